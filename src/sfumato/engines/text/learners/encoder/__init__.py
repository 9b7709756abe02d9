"""A pretrained encoder as a learner: weights read as data, fine-tuned with JAX.

architectures  what config.json may describe, and under which names files hold its tensors
folder         config.json, model.safetensors and tokenizer.json, checked before anything is used
pieces         word pieces of our tokens, exactly aligned for any script; windows of long documents
device         what the network runs on, and how threads share it
compile_cache  what XLA has compiled, kept between runs
attention      plain, by distances, and turned by places
layer          one layer of any architecture
network        the forward pass as plain functions over a tree of arrays
windowed       batches of windows, and what the lower layers make of them
steps          a step of AdamW
training       a schedule, early stopping inside the documents that are learned from
model          `EncoderModel`, which scores
learner        `Encoder`, which learns in addition to the CRF
detector       a user's own token classifier, from safetensors
onnx_detector  and from ONNX
detector_model a detector as one model in the competition

The packages that it needs (the extra `encoder`) are imported when an encoder is first used.
"""
