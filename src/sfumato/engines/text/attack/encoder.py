"""Attackers with a pretrained encoder, learned on public corpora as they would look after a release.

Most names of the background are masked at random before the encoder learns from it, so that it expects
a text from which names were removed and looks for those that were left.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ....core.randomness import Streams
from ..attack_records import Reading
from ..learners.folds import out_of_fold, within
from ..learners.protocol import Model
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData

if TYPE_CHECKING:
    from ..learners.pretrained import PretrainedEncoder
    from .attacker import AttackedRelease, Residual

__all__ = ["encoder_attacks", "learning", "mask_background"]

_LEAST_MASKED, _MOST_MASKED = 0.6, 1.0
_BACKGROUND_TOKENS = 600_000
_EPOCHS, _STEPS = 3, 60  # at least, on a small release
learning = threading.Lock()  # of what attacks on many releases share


def mask_background(target: AttackedRelease, random: np.random.Generator) -> TokenData:
    """Redact most of the names of the background, as a publisher would.

    Parameters
    ----------
    target : AttackedRelease
        The release, with background documents.
    random : numpy.random.Generator
        Draws the share of each document, and the names.

    """
    data = target.data
    share = random.uniform(_LEAST_MASKED, _MOST_MASKED, data.documents)
    sensitive = (target.sensitive != 0) & target.background[data.document_of]
    starts = sensitive.copy()
    starts[1:] &= ~(sensitive[:-1] & (data.document_of[1:] == data.document_of[:-1]))
    run = np.cumsum(starts) - 1  # the number of each name; its tokens share one fate
    drawn = random.random(int(starts.sum()) + 1)
    return data.redact(sensitive & (drawn[run] < share[data.document_of]))


def encoder_attacks(
    encoder: PretrainedEncoder,
    target: AttackedRelease,
    fold: np.ndarray,
    residuals: Sequence[Residual],
    *,
    streams: Streams,
    seed: int,
    known: dict[str, Model],
    tell: Callable[[str], None],
) -> Iterator[tuple[Reading, str, Scores]]:
    """Yield the reading, the name and the scores of each attacker with an encoder.

    Parameters
    ----------
    encoder : PretrainedEncoder
        Learns.
    target : AttackedRelease
        The release, with background documents after it where there are some.
    fold : array of int
        The folds of attacker B.
    residuals : sequence of Residual
        What attacker A learns from. Where that is the release itself, A is B with other folds, and is
        not run a second time.
    streams : Streams
        The source of chance; what depends on the background alone depends on its first seed alone.
    seed : int
        The seed of the encoders that learn from the release.
    known : dict
        Keeps the model of the background, for the attacks on other releases.
    tell : callable
        Called with a short note before each attacker.

    """
    encoder = _attacking(encoder)
    release = target.alone()
    inside = fold[: release.data.documents]
    several = len(np.unique(inside[inside >= 0])) > 1
    if several:
        tell(f"attacker B, {encoder.name}")
        encoder.prepare(release.data)
        yield "B", encoder.name, _inside(encoder, release, inside, seed)
    apart = [r for r in residuals if r.data is not target.data]
    if apart:
        tell(f"attacker A, {encoder.name}")
        scores = np.full(len(release.data), -np.inf)
        for r in apart:
            model = encoder.fit(r.data, r.sensitive, documents=r.documents, seed=seed)
            attacked: Mask = r.attacked[: release.data.documents] & release.documents
            np.maximum(scores, model.scores(release.data, documents=attacked), out=scores)
        yield "A", encoder.name, scores
    if not target.background.any():
        return
    tell(f"outsider, {encoder.name}, background")
    with learning:  # candidates that are attacked side by side share it
        if encoder.name not in known:
            known[encoder.name] = _of_background(encoder, target, Streams(streams.seed))
    informed = known[encoder.name]
    yield "outside", f"{encoder.name} with background", informed.scores(release.data)
    tuned = encoder.warm_start(informed)
    if several and tuned is not None:
        tell(f"outsider, {encoder.name}, background and release")
        scores = _inside(tuned, release, inside, seed)
        yield "outside", f"{encoder.name} with background and release", scores


def _attacking(encoder: PretrainedEncoder) -> PretrainedEncoder:
    """Return the encoder as an attacker tunes it: a few passes over a release, not as many as a publisher."""
    if encoder.has_schedule:
        return encoder
    return encoder.scheduled(replace(encoder.planned, epochs=_EPOCHS, steps=_STEPS))


def _inside(
    encoder: PretrainedEncoder, release: AttackedRelease, fold: np.ndarray, seed: int
) -> Scores:
    return out_of_fold(encoder, release.data, release.sensitive, fold, seed=seed)


def _of_background(encoder: PretrainedEncoder, target: AttackedRelease, streams: Streams) -> Model:
    data = mask_background(target, streams.generator("masked background"))
    random = streams.generator("background of attackers")
    chosen = within(data, target.background, _BACKGROUND_TOKENS, random)
    seed = streams.seed_of("encoder of attackers")
    learner = encoder.scheduled(replace(encoder.planned, epochs=2, steps=0))
    return learner.fit(data, target.sensitive, documents=chosen, seed=seed)
