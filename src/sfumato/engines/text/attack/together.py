"""Two releases of documents together, by what the steward keeps of their edits.

Documents in both are known by their ids and texts. To somebody who brings the two versions of a document together, only
what both releases redact is redacted: a place that one of them shows is shown. They come together by marks that repeat
(an id, or the surrogates of one secret key), else among the documents in whose place the same kinds of things are
redacted. Groups are counted as those of tables are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ....core.composition.joint import (
    Codes,
    JointSizes,
    ReleaseCodes,
    bound_without_link,
    combine_codes,
    group_sizes,
)
from ....core.composition.measure import joint_figures
from ....core.composition.releases import private_record
from ....core.errors import InputError
from ....data.document import Document, Edit
from ..composition_records import LeftTogether, TextComposition
from ..private_edits import EDITS_FILE, DocumentEdits
from ..redaction.replacer import MASK

__all__ = ["KnownDocuments", "measure_composition", "measure_with_earlier", "places_shown"]

Hashes = npt.NDArray[np.uint64]
Range = tuple[int, int]
_GAP = 1  # the blank between two words that are redacted one by one is nothing that is shown


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _surrogates(edits: Iterable[Edit]) -> set[str]:
    """Return the replacements that are neither placeholders nor masks."""
    return {e.replacement for e in edits if e.replacement not in ("", MASK, f"[{e.label}]")}


def _is_full_name(surrogate: str) -> bool:
    """Return whether a surrogate is unlikely to be drawn twice by chance: several words, no date and no number."""
    return " " in surrogate.strip() and not any(map(str.isdigit, surrogate))


@dataclass(frozen=True)
class KnownDocuments:
    """The documents of a release as numbers, and where the edits of each are in the private file.

    `ids` and `texts` tell which document it is, `published` is the id that it was given, `kinds` what kinds of things were
    redacted, `surrogates` with what (0 for none), `names` the full names among them.
    """

    name: str
    file: Path
    ids: Hashes
    texts: Hashes
    published: Hashes
    kinds: Hashes
    surrogates: Hashes
    names: Sequence[tuple[int, ...]]
    places: npt.NDArray[np.int64]

    @classmethod
    def of(cls, release: str | os.PathLike[str]) -> KnownDocuments:
        """Read the edits of a release; refuse one whose private folder is not at hand."""
        release = Path(release)
        file = private_record(
            release, EDITS_FILE, about="documents",
            hint="name a release of documents; its private folder must be next to it.",
        )  # fmt: skip
        rows, names, places, at = [], [], [], 0
        with file.open("rb") as stream:
            for line in stream:
                entry = DocumentEdits.of_line(line)
                own = _surrogates(entry.edits)
                kinds = sorted({str(e.label) for e in entry.edits})
                rows.append(
                    (
                        _hash(entry.id),
                        int(entry.text_sha256[:16], 16),
                        _hash(entry.published_id),
                        _hash("\x1f".join(kinds)),
                        _hash("\x1f".join(sorted(own))) if own else 0,
                    )
                )
                names.append(tuple(_hash(s) for s in sorted(own) if _is_full_name(s)))
                places.append(at)
                at += len(line)
        ids, texts, published, kinds_of, surrogates = np.array(rows, np.uint64).reshape(-1, 5).T
        return cls(
            release.name, file, ids, texts, published, kinds_of, surrogates, names,
            np.array(places, np.int64),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.ids)

    def edits_at(self, places: Iterable[int]) -> Iterable[DocumentEdits]:
        """Yield the edits of documents, one by one."""
        with self.file.open("rb") as stream:
            for place in places:
                stream.seek(int(self.places[place]))
                yield DocumentEdits.of_line(stream.readline())


def measure_composition(
    earlier: KnownDocuments,
    later: KnownDocuments,
    originals: Mapping[str, Document] | None = None,
    labels: Sequence[str] = (),
) -> TextComposition | None:
    """Measure two releases together; None where they have neither a document nor a surrogate in common.

    Parameters
    ----------
    earlier, later : KnownDocuments
        The releases.
    originals : mapping of str to Document, optional
        Labelled originals by id: sensitive spans that are left are counted where they are given.
    labels : sequence of str
        The sensitive labels.

    """
    _, at_a, at_b = np.intersect1d(earlier.ids, later.ids, return_indices=True)
    same = earlier.texts[at_a] == later.texts[at_b]
    at_a, at_b = at_a[same], at_b[same]
    repeated = _share_with_known_name(earlier, later)
    if not len(at_a) and not repeated:
        return None
    by_id = earlier.published[at_a] == later.published[at_b]
    own = earlier.surrogates[at_a]
    by_surrogates = (own == later.surrogates[at_b]) & (own != 0)
    places = shown = 0
    differ = np.zeros(len(at_a), np.bool_)
    left = None if originals is None else LeftTogether(first=0, second=0, together=0)
    pairs = zip(earlier.edits_at(at_a), later.edits_at(at_b), strict=True)
    for i, (one, other) in enumerate(pairs):
        many, seen = places_shown(one.edits, other.edits)
        places, shown, differ[i] = places + many, shown + seen, seen > 0
        document = None if originals is None else originals.get(one.id)
        if left is not None and document is not None:
            left = left.plus(document, one.edits, other.edits, labels)
    mark = np.where(by_id, earlier.published[at_a], np.where(by_surrogates, own, 0))
    return TextComposition(
        **joint_figures(_sizes(earlier, later, at_a, at_b, mark), differ).model_dump(),
        earlier=earlier.name,
        only_earlier=len(earlier) - len(at_a),
        only_later=len(later) - len(at_b),
        shared_columns=0,
        same_ids=float(np.mean(by_id)) if len(by_id) else 0.0,
        same_surrogates=float(np.mean(by_surrogates)) if len(by_id) else 0.0,
        repeated_names=repeated,
        places=places,
        shown=shown,
        left=left,
    )


def measure_with_earlier(
    published: str | os.PathLike[str],
    earlier: Sequence[str | os.PathLike[str]],
    originals: Sequence[Document],
    names: Sequence[str],
) -> tuple[TextComposition, ...]:
    """Measure a release together with earlier ones; those that have nothing in common are left out.

    Parameters
    ----------
    published : path
        The release.
    earlier : sequence of paths
        The others.
    originals : sequence of Document
        Its labelled originals.
    names : sequence of str
        The sensitive labels.

    """
    if not earlier:
        return ()
    later, by_id = KnownDocuments.of(published), {d.id: d for d in originals}
    measured = [
        measure_composition(KnownDocuments.of(path), later, by_id, names) for path in earlier
    ]
    found = tuple(record for record in measured if record is not None)
    if not found:
        raise InputError(
            "The releases have no document and no surrogate in common.",
            hint="documents are known by their ids and texts.",
        )
    return found


def places_shown(first: Sequence[Edit], second: Sequence[Edit]) -> tuple[int, int]:
    """Return how many places at least one of two releases redacts, and how many of them one shows in part.

    >>> places_shown([Edit(0, 4, "[NAME]", "NAME")], [Edit(0, 4, "[NAME]", "NAME"), Edit(9, 12, "[DATE]", "DATE")])
    (2, 1)
    """
    either = _unite([*_ranges(first), *_ranges(second)])
    both = _common(_unite(_ranges(first)), _unite(_ranges(second)))
    return len(either), sum(place not in both for place in either)


def _ranges(edits: Iterable[Edit]) -> list[Range]:
    return [(e.start, e.end) for e in edits]


def _unite(ranges: Iterable[Range]) -> list[Range]:
    """Return separate ranges, in order."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1] + _GAP:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _common(first: Sequence[Range], second: Sequence[Range]) -> set[Range]:
    """Return where two lists of separate ranges overlap."""
    found, i, j = set(), 0, 0
    while i < len(first) and j < len(second):
        start, end = max(first[i][0], second[j][0]), min(first[i][1], second[j][1])
        if start < end:
            found.add((start, end))
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return found


def _share_with_known_name(earlier: KnownDocuments, later: KnownDocuments) -> float:
    """Return the share of the later documents that carry a full name which also replaces one in the earlier ones."""
    known = {name for names in earlier.names for name in names}
    return sum(any(n in known for n in names) for names in later.names) / max(1, len(later))


def _sizes(
    earlier: KnownDocuments, later: KnownDocuments, at_a: Codes, at_b: Codes, mark: Hashes
) -> JointSizes:
    """Return the groups of the documents in both: alone, by marks that repeat, and without a link."""
    everything = np.concatenate([earlier.kinds, later.kinds])
    kinds = np.unique(everything, return_inverse=True)[1].reshape(-1).astype(np.int64)
    first, second = kinds[: len(earlier)], kinds[len(earlier) :]
    marks = np.unique(mark, return_inverse=True)[1].reshape(-1).astype(np.int64)
    shared = [np.zeros(len(kinds), np.int64) for kinds in (first, second)]
    if len(marks):
        shared[0][at_a] = shared[1][at_b] = marks + 1
    codes = [ReleaseCodes(own, marked) for own, marked in zip((first, second), shared, strict=True)]
    linked = [first[at_a], second[at_b], marks]
    return JointSizes(
        group_sizes(first)[at_a],
        group_sizes(second)[at_b],
        group_sizes(combine_codes(linked)) if len(marks) else marks,
        bound_without_link(codes[0], codes[1], at_a, at_b),
    )
