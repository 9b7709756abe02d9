"""Words that reveal a removed name: found by association, labelled before or removed after, measured.

A word is associated with an identifier when it is in the identifier's documents more often than
chance allows (Fisher's exact test, one-sided, on documents; Benjamini–Hochberg over all pairs that were
tested). What the associations are worth to an adversary is measured by an inference attack: guess which
identifier was removed from a document by the words that are left in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ....core.errors import ParameterError
from ..reading.arrays import Array, Mask
from ..reading.features import RESERVED, TokenData

__all__ = [
    "Associations",
    "Inference",
    "contextual_labels",
    "contextual_redactions",
    "find_associated_words",
    "infer_identifiers",
]

_TRUSTS = (1.0, 0.5, 0.2, 0.1, 0.0)  # weights of the evidence against the prior
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Associations:
    """Pairs of an identifier and a word, by the hashes of their lower-case forms.

    `tested` is the number of pairs that the correction accounts for.
    """

    identifier: Keys
    word: Keys
    p: npt.NDArray[np.float64]
    adjusted: npt.NDArray[np.float64]
    strength: npt.NDArray[np.float64]
    tested: int

    def __len__(self) -> int:
        return len(self.word)


def _keys(data: TokenData) -> Keys:
    """Return each token's word without regard to case, redacted or not."""
    return data.words.lower[data.tokens.type + RESERVED]


def _by_document(
    keys: Keys, document: npt.NDArray[np.int64], use: Mask, documents: int
) -> tuple[sparse.csr_matrix, Keys]:
    """Return which document holds which of the keys."""
    kinds, column = np.unique(keys[use], return_inverse=True)
    ones = np.ones(len(column), np.int32)
    matrix = sparse.csr_matrix((ones, (document[use], column)), shape=(documents, len(kinds)))
    matrix.data[:] = 1
    return matrix, kinds


def find_associated_words(
    data: TokenData,
    sensitive: npt.NDArray[np.uint8],
    *,
    documents: Mask | None = None,
    level: float = 0.05,
    min_documents: int = 3,
    max_share: float = 0.5,
) -> Associations:
    """Find the words associated with identifiers, at a false discovery rate of `level`.

    Identifiers and words of fewer than `min_documents` documents take no part (nothing can be
    shown of them), nor do words of more than the share `max_share` of all documents. Both limits look at
    one margin of the table alone, so they leave the tests valid.

    Parameters
    ----------
    data : TokenData
        The tokens.
    sensitive : array of uint8
        1 for the identifiers.
    documents : mask over the documents, default None
        The documents that are looked at; all of them for None.
    level : float, default 0.05
        The false discovery rate over all pairs that were tested.
    min_documents : int, default 3
        Identifiers and words of fewer documents take no part.
    max_share : float, default 0.5
        Words of a larger share of the documents take no part.

    """
    if not 0 < level < 1:
        raise ParameterError.constraint("level", "associated", "a number in (0, 1)", level)
    if min_documents < 2:
        raise ParameterError.constraint(
            "min_documents", "associated", "an int in [2, inf)", min_documents
        )
    chosen = np.ones(data.documents, np.bool_) if documents is None else documents
    words = data.words.counted[data.tokens.type + RESERVED] & chosen[data.document_of]
    named = words & (sensitive != 0)
    keys, n = _keys(data), int(chosen.sum())
    who, names = _by_document(keys, data.document_of, named, data.documents)
    what, plain = _by_document(
        keys, data.document_of, words & ~named & ~data.redacted, data.documents
    )
    names_in, words_in = np.asarray(who.sum(0)).ravel(), np.asarray(what.sum(0)).ravel()
    keep_names = names_in >= min_documents
    keep_words = (words_in >= min_documents) & (words_in <= max_share * n)
    who, names, names_in = who[:, keep_names], names[keep_names], names_in[keep_names]
    what, plain, words_in = what[:, keep_words], plain[keep_words], words_in[keep_words]
    tested = len(names) * len(plain)
    together = (who.T @ what).tocoo()
    # One document in common is the least that any pair has; it shows nothing at these sizes.
    several = together.data >= 2
    both = together.data[several]
    row, column = together.row[several], together.col[several]
    p = _fisher(both, names_in[row], words_in[column], n)
    adjusted = benjamini_hochberg(p, tested)
    found = adjusted <= level
    return Associations(
        names[row[found]],
        plain[column[found]],
        p[found],
        adjusted[found],
        _likelihood_ratio(both, names_in[row], words_in[column], n)[found],
        tested,
    )


def _fisher(both: Array, one: Array, other: Array, n: int) -> npt.NDArray[np.float64]:
    """P(at least `both` documents in common | the margins), for each pair."""
    from scipy.stats import hypergeom

    return np.asarray(hypergeom.sf(both - 1, n, one, other), np.float64)


def _likelihood_ratio(both: Array, one: Array, other: Array, n: int) -> npt.NDArray[np.float64]:
    """Dunning's log-likelihood ratio of each 2 × 2 table: how strong, in addition to how sure."""
    cells = np.array([both, one - both, other - both, n - one - other + both], np.float64)
    rows = np.array([one, one, n - one, n - one], np.float64)
    columns = np.array([other, n - other, other, n - other], np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = cells * np.log(cells * n / (rows * columns))
    return np.asarray(2 * np.nansum(terms, axis=0), np.float64)


def benjamini_hochberg(p: npt.NDArray[np.float64], tested: int) -> npt.NDArray[np.float64]:
    """Adjust p-values for the number of tests; those not given count as 1.

    >>> benjamini_hochberg(np.array([0.01, 0.04]), 4).tolist()
    [0.04, 0.08]
    """
    order = np.argsort(p, kind="stable")
    ranked = p[order] * tested / np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.minimum.accumulate(ranked[::-1])[::-1], 1.0)
    return adjusted


def contextual_redactions(data: TokenData, redacted: Mask, associations: Associations) -> Mask:
    """Return which further words to remove: those associated with an identifier removed from their document.

    Parameters
    ----------
    data : TokenData
        The tokens.
    redacted : mask over the tokens
        What is removed already.
    associations : Associations
        Which words go with which identifiers.

    """
    keys = _keys(data)
    partners: dict[int, set[int]] = {}
    for identifier, word in zip(
        associations.identifier.tolist(), associations.word.tolist(), strict=True
    ):
        partners.setdefault(identifier, set()).add(word)
    more = np.zeros(len(data), np.bool_)
    for d in range(data.documents):
        part = slice(data.tokens.doc[d], data.tokens.doc[d + 1])
        gone = {int(k) for k in np.unique(keys[part][redacted[part]])} & partners.keys()
        if gone:
            telling = set().union(*(partners[k] for k in sorted(gone)))
            more[part] = np.isin(keys[part], np.array(sorted(telling), np.uint64))
    counted = data.words.counted[data.tokens.type + RESERVED]
    return more & counted & ~redacted


def contextual_labels(
    data: TokenData,
    labels: npt.NDArray[np.int16],
    associations: Associations,
    *,
    kind: int,
) -> npt.NDArray[np.int16]:
    """Label the words that give an identifier of their document away as a separate label.

    The labels then go into learning as any other category (the paper's first way).

    Parameters
    ----------
    data : TokenData
        The tokens.
    labels : array of int16
        i + 1 for the sensitive kind i.
    associations : Associations
        Which words go with which identifiers.
    kind : int
        The label of the words that are found.

    """
    more = contextual_redactions(data, labels > 0, associations)
    return np.where(more & (labels == 0), kind, labels).astype(np.int16)


@dataclass(frozen=True, slots=True)
class Inference:
    """What an adversary guesses who knows other documents of the same people.

    `right` of `cases` removed identifiers were guessed first among `candidates`; `by_prior` would be
    without reading the document. The range is from resampling documents.
    """

    cases: int
    candidates: int
    right: int
    by_prior: int
    low: float
    high: float

    @property
    def share(self) -> float:
        return self.right / self.cases if self.cases else 0.0

    def to_json(self) -> dict[str, object]:
        return {
            "cases": self.cases,
            "candidates": self.candidates,
            "right": self.right,
            "share": self.share,
            "low": self.low,
            "high": self.high,
            "by_prior": self.by_prior,
        }


def infer_identifiers(
    data: TokenData,
    sensitive: npt.NDArray[np.uint8],
    removed: Mask,
    *,
    known: Mask,
    attacked: Mask,
    generator: np.random.Generator,
    min_documents: int = 2,
    replicates: int = 400,
) -> Inference:
    """Guess which identifier was removed from each attacked document by the words that are left.

    The adversary knows the documents of `known` with their names (a naive Bayes classifier of one
    identifier against the rest of the documents, its weight against the prior chosen on a part of
    the known documents) and reads what is published of those of `attacked`. A case is a document
    from which an identifier was removed wherever it was, that the adversary knows from at least
    `min_documents` documents; the guess is right when such a one is ranked first among all that
    the adversary knows.

    Parameters
    ----------
    data : TokenData
        The tokens of all documents, nothing redacted.
    sensitive : array of uint8
        1 for the identifiers.
    removed : mask over the tokens
        What is not published.
    known, attacked : mask over the documents
        The documents that the adversary knows by name, and those that are published.
    generator : numpy.random.Generator
        The source of chance for the range.
    min_documents : int, default 2
        Identifiers of fewer known documents are not guessed.
    replicates : int, default 400
        Resamples of documents.

    """
    named = data.words.counted[data.tokens.type + RESERVED] & (sensitive != 0)
    inner = known & (np.cumsum(known) % 4 != 0)
    rehearsal = _profiles(data, named, inner, min_documents)
    trust = 1.0
    if rehearsal is not None:
        # What is removed from the known documents is their names.
        tries = _guesses(
            data, named, named, attacked=known & ~inner, profiles=rehearsal, trusts=_TRUSTS
        )
        if len(tries.hits):
            trust = _TRUSTS[int(np.argmax(tries.hits.sum(0)))]
    profiles = _profiles(data, named, known, min_documents)
    if profiles is None:
        return Inference(0, 0, 0, 0, 0.0, 0.0)
    made = _guesses(data, named, removed, attacked=attacked, profiles=profiles, trusts=(trust,))
    hits = made.hits[:, 0]
    if not len(hits):
        return Inference(0, len(profiles.names), 0, 0, 0.0, 0.0)
    draws = generator.multinomial(len(hits), np.full(len(hits), 1 / len(hits)), replicates)
    low, high = np.quantile(draws @ hits / len(hits), [0.025, 0.975])
    return Inference(
        len(hits), len(profiles.names), int(hits.sum()), int(made.by_prior.sum()),
        float(low), float(high),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Profiles:
    """What the adversary knows of each identifier: how often, and with which words."""

    names: Keys
    words: Keys
    prior: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Guesses:
    """By case and trust: whether the guess was right; and whether the most frequent one would be."""

    hits: npt.NDArray[np.int64]
    by_prior: npt.NDArray[np.int64]


def _profiles(data: TokenData, named: Mask, known: Mask, min_documents: int) -> _Profiles | None:
    keys, inside = _keys(data), known[data.document_of]
    counted = data.words.counted[data.tokens.type + RESERVED]
    who, names = _by_document(keys, data.document_of, named & inside, data.documents)
    often = np.asarray(who.sum(0)).ravel()
    enough = often >= min_documents
    who, names, often = who[:, enough], names[enough], often[enough]
    what, words = _by_document(keys, data.document_of, counted & ~named & inside, data.documents)
    # A word of one document says nothing about another.
    several = np.asarray(what.sum(0)).ravel() >= 2
    what, words = what[:, several], words[several]
    if len(names) < 2 or len(words) == 0:
        return None
    n, total = int(known.sum()), np.asarray(what.sum(0)).ravel()
    together = np.asarray((who.T @ what).todense(), np.float64)
    outside = (total + 0.5) / (n + 1)
    share = (together + 0.5 * outside) / (often[:, None] + 0.5)
    return _Profiles(names, words, np.log(often / n), np.log(share) - np.log(outside))


def _guesses(
    data: TokenData,
    named: Mask,
    removed: Mask,
    *,
    attacked: Mask,
    profiles: _Profiles,
    trusts: tuple[float, ...],
) -> _Guesses:
    keys = _keys(data)
    counted = data.words.counted[data.tokens.type + RESERVED]
    left = counted & ~removed & attacked[data.document_of]
    column = np.minimum(np.searchsorted(profiles.words, keys), len(profiles.words) - 1)
    seen = left & (profiles.words[column] == keys)
    favourite = int(np.argmax(profiles.prior))
    hits, by_prior = [], []
    for d in np.flatnonzero(attacked):
        part = slice(data.tokens.doc[d], data.tokens.doc[d + 1])
        gone = np.setdiff1d(keys[part][removed[part] & named[part]], keys[part][left[part]])
        place = np.flatnonzero(np.isin(profiles.names, gone))
        if len(place) == 0:
            continue
        evidence = profiles.weight[:, np.unique(column[part][seen[part]])].sum(1)
        ranked = [int(np.argmax(profiles.prior + trust * evidence)) for trust in trusts]
        hits.append([int(guess in place) for guess in ranked])
        by_prior.append(int(favourite in place))
    return _Guesses(np.array(hits, np.int64).reshape(-1, len(trusts)), np.array(by_prior, np.int64))
