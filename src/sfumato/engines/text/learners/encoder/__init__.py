"""A pretrained encoder of the BERT family as a learner: weights read as data, fine-tuned with JAX.

folder      config.json, model.safetensors and tokenizer.json, checked before anything is used
pieces      word pieces of our tokens, exactly aligned for any script; windows of long documents
device      what the network runs on, and how threads share it
network     the forward pass as plain functions over a tree of arrays
steps       a step of AdamW
training    a schedule, early stopping inside the documents that are learned from, calibration
model       `EncoderModel`, which scores
learner     `Encoder`, which learns in addition to the CRF

The packages that it needs (the extra `encoder`) are imported when an encoder is first used.
"""
