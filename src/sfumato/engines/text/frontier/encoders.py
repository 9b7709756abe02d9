"""What a request says about an encoder: which one takes part, on which texts, and what records say of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ....data.document import Document
from ..learners.encoder_choices import NO_ENCODER
from ..reading.features import TokenData
from ..reading.labelled import Labelled
from ..reading.tokens import Vocabulary, tokenize
from ..records import EncoderRecord
from ..request import TextRequest
from ..rules import ChosenRules

if TYPE_CHECKING:
    from ..learners.pretrained import PretrainedEncoder

__all__ = ["append_unlabelled_texts", "encoder_of", "encoder_record"]

_TIMES = 10  # unlabelled text that a student reads, over the labelled


def encoder_of(request: TextRequest) -> PretrainedEncoder | None:
    """Return the encoder that a request asks for; None where it asks for none.

    Parameters
    ----------
    request : TextRequest
        The request; the literal algorithm has no place for an encoder.

    """
    if request.encoder == NO_ENCODER or request.mode != "honest":
        return None

    from ..learners.registry import encoders

    return encoders().named(os.fspath(request.encoder), tuning=request.encoder_tuning)


def append_unlabelled_texts(
    own: Sequence[Document],
    texts: Sequence[str],
    labelled: Labelled,
    rules: ChosenRules | None,
) -> TokenData | None:
    """Return the steward's documents followed by unlabelled ones, for a student of an encoder.

    Ten times the labelled text is enough; more would cost without teaching much.

    Parameters
    ----------
    own : sequence of Document
        The steward's documents.
    texts : sequence of str
        The unlabelled texts.
    labelled : Labelled
        The steward's tokens; what is redacted in them stays so.
    rules : ChosenRules, optional
        Rules that are a feature and redact.

    """
    if not texts:
        return None
    room = _TIMES * sum(len(d.text) for d in own)
    every = [Document(str(i), d.text) for i, d in enumerate(own)]
    for text in texts:
        room -= len(text)
        if room < 0 and len(every) > len(own):
            break
        every.append(Document(str(len(every)), text))
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in every], vocabulary)
    data = TokenData.of(tokens, vocabulary, labelled.data.words.knowledge)
    count = int(labelled.data.tokens.doc[len(own)])
    gone = np.zeros(len(tokens), np.bool_)
    if rules is not None:
        place, gone, _ = rules.applied(rules.documents(every), tokens)
        data = data.with_places(place)
    gone[:count] = labelled.data.redacted[:count]
    return data.redact(gone)


def encoder_record(encoder: PretrainedEncoder) -> EncoderRecord:
    """Return what frontier.json says about an encoder.

    Parameters
    ----------
    encoder : PretrainedEncoder
        The encoder that took part.

    """
    device = encoder.device()
    return EncoderRecord(
        sha256=encoder.sha256,
        tuning=encoder.tuned,
        device=device,
        repeatable=device == "cpu",
    )
