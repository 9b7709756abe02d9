"""Discount what only the starter finds where rules already find nearly all of a kind; no label is needed.

Two views of the same words tell of each other. The share of the starter's surest words that rules match, too, is an
estimate of what rules find of all words of the kind. Where that is nearly everything, the matched share of less sure
words tells how many of them are of the kind, and hardly any of the unmatched ones can be: drugs, headings and titles.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..rules.features import rule_matches
from .adapted import Adaptation, without_lone_words

__all__ = ["heed_rules", "least_alone"]

COMPLETE = 0.95
"""The share of the surest words that rules must match to count as complete; see benchmarks/starter."""
_HEEDED = ("NAME",)
"""Kinds whose surest words are as hard for rules as the others; of dates, rules and the starter know the same forms."""
_SUREST = (6.0, 4.0, 3.0, 2.0)  # log-odds of the surest words: the highest with enough of them
_FEWEST = 20
_BANDS = (-np.log(10.0), -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 6.0, np.inf)
_LEAST_CHANCE = 1.0 / 11.0  # probability from which a word is withheld at L/C 10


def least_alone(scores: Scores, matched: Mask, counted: Mask) -> float:
    """Return the log-odds from which a word counts that no rule matches; −inf where all of them count.

    Parameters
    ----------
    scores : array of float
        The starter's log-odds of a kind.
    matched : mask over the tokens
        What rules match as that kind.
    counted : mask over the tokens
        The words.

    """
    rules_find = _share_that_rules_find(scores, matched, counted)
    if rules_find < COMPLETE:
        return -np.inf
    least = np.inf
    for low, high in reversed(list(itertools.pairwise(_BANDS))):
        band = counted & (scores >= low) & (scores < high)
        share = _share(matched, band)
        chance = min(1.0, share / rules_find) * (1.0 - rules_find) / max(1.0 - share, 1e-9)
        if band.any() and chance < _LEAST_CHANCE:
            break
        least = low
    return float(least)


def _share(matched: Mask, words: Mask) -> float:
    return float((np.count_nonzero(matched & words) + 0.5) / (np.count_nonzero(words) + 1.0))


def _share_that_rules_find(scores: Scores, matched: Mask, counted: Mask) -> float:
    for least in _SUREST:
        surest = counted & (scores >= least)
        if np.count_nonzero(surest) >= _FEWEST:
            return _share(matched, surest)
    return 0.0


def heed_rules(adapted: Adaptation, data: TokenData) -> Adaptation:
    """Return an adaptation that withholds less of what no rule matches, for kinds that rules find completely.

    Parameters
    ----------
    adapted : Adaptation
        The starter, adapted to a collection.
    data : TokenData
        The same collection, with what rules found as a feature of places.

    """
    readers, scores = [], dict(adapted.scores)
    for reader in adapted.model.readers:
        matched = rule_matches(data, reader.kind) if reader.kind in _HEEDED else None
        least = -np.inf
        if matched is not None:
            least = least_alone(adapted.scores[reader.kind], matched, data.counted)
            scores[reader.kind] = without_lone_words(scores[reader.kind], matched, least)
        readers.append(replace(reader, least_alone=least))
    model = replace(adapted.model, readers=tuple(readers))
    return replace(adapted, model=model, scores=scores)
