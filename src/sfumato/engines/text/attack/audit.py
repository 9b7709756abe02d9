"""The audit of a release: a person reads a random part of it, and the risk is counted, not estimated.

The work is a text file to edit. The first call draws documents (or the words that an attacker would read
first) and writes the file; after it was edited, the same call counts what was marked and writes the
result with an exact interval.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ....core.errors import DataError, ParameterError
from ....core.files import sha256_of, write_json
from ....core.measures import Interval
from ....core.randomness import Streams
from ....core.records import RELEASE_FILE
from ....core.statistics.resampling import exact_interval, exact_upper
from ....core.storage.staging import whole_file
from ....data.document import Document
from ....data.documents import read_documents
from ..attack_records import AuditRecord, RangedShare
from ..reading.features import TokenData
from ..reading.tokens import Vocabulary, tokenize
from ..records import TextRelease
from ..sanitize.classifiers import ClassifierSet
from .released.releases import placeholders, release_of

__all__ = [
    "acceptance",
    "answers_of",
    "audit_documents",
    "audit_words",
    "check_numbers",
    "result_of",
]

_PAIRS = (("[[", "]]"), ("{{", "}}"), ("<<", ">>"))
_HEAD = "==== "
_CONTEXT = 40  # characters on each side of a word
_BOX = re.compile(r"^\[(.)\] (\d+): ")


def answers_of(release: Path, kind: str) -> Path:
    """Return the file that a person edits; it is next to the release, never in it."""
    return release.with_name(f"{release.name}.audit-{kind}.txt")


def result_of(release: Path, kind: str) -> Path:
    """Return the file of the counted result."""
    return release.with_name(f"{release.name}.audit-{kind}.json")


def acceptance(of: int, noun: str) -> list[str]:
    """Return what the audit will be able to say, before the work starts.

    >>> acceptance(60, "documents")[0]
    'none found in 60 documents: at most 4.9 % of documents leak (95 %)'
    """
    lines = []
    for found in range(min(3, of)):
        upper = exact_upper(found, of)
        count = "none" if found == 0 else str(found)
        share = f"{100 * upper:.1f} %"
        lines.append(f"{count} found in {of:,} {noun}: at most {share} of {noun} leak (95 %)")
    return lines


def audit_documents(
    release: str | os.PathLike[str], documents: int, *, seed: int = 0, force: bool = False
) -> tuple[AuditRecord | None, list[str]]:
    """Draw documents for a person to read, or count what was marked in them.

    Parameters
    ----------
    release
        What publish wrote.
    documents
        How many documents are drawn.
    seed
        Seed of the draw.
    force
        Whether answers given so far are discarded.

    Returns
    -------
    tuple of AuditRecord and list of str
        The result, or None while the answers are awaited, and what is to be said.

    """
    folder = Path(release)
    source, record = release_of(folder)
    published = list(read_documents(source))
    if not published:
        raise DataError("The release holds no document.")
    count = min(documents, len(published))
    random = Streams(seed).generator("audit documents")
    drawn = [published[i] for i in np.sort(random.choice(len(published), count, replace=False))]
    answers = answers_of(folder, "documents")
    pair = _pair(drawn)
    if force or not answers.exists():
        with whole_file(answers, force=force) as beside:
            beside.write_text(_sheet(drawn, pair), encoding="utf-8")
        return None, [
            *acceptance(count, "documents"),
            f"written: {answers}",
            (
                f"Read it, put {pair[0]} and {pair[1]} around whatever should have been redacted, save it, "
                "and run the same command again."
            ),
        ]
    marked = _read_marks(answers.read_text(encoding="utf-8"), drawn, pair)
    leaking = sum(1 for found in marked if found)
    around = exact_interval(leaking, count)
    result = _result(
        "documents", record, drawn=count, leaking=leaking, marked=sum(map(len, marked)),
        around=around, seed=seed, mark=_mark_of(folder),
    )  # fmt: skip
    write_json(result_of(folder, "documents"), result.to_json(), force=True)
    return result, result.lines()


def audit_words(
    release: str | os.PathLike[str],
    words: int,
    classifiers: ClassifierSet,
    *,
    seed: int = 0,
    force: bool = False,
) -> tuple[AuditRecord | None, list[str]]:
    """List the words that an attacker with the publisher's knowledge reads first, or count the answers.

    Parameters
    ----------
    release
        What publish wrote.
    words
        How many words are listed.
    classifiers
        The classifiers of the release's candidate; what they score highest is read first.
    seed, force
        As for `audit_documents`.

    """
    folder = Path(release)
    source, record = release_of(folder)
    published = list(read_documents(source))
    if not published:
        raise DataError("The release holds no document.")
    sheet = _rank_words(published, classifiers, words)
    answers = answers_of(folder, "words")
    if force or not answers.exists():
        with whole_file(answers, force=force) as beside:
            beside.write_text("".join(line + "\n" for line in sheet), encoding="utf-8")
        return None, [
            *acceptance(len(sheet), "words"),
            f"written: {answers}",
            (
                "Read it, put an x into the brackets of every word that should have been redacted, save "
                "it, and run the same command again."
            ),
        ]
    found = _count_ticks(answers.read_text(encoding="utf-8"), sheet)
    around = exact_interval(found, len(sheet))
    result = _result(
        "words", record, drawn=len(sheet), leaking=found, marked=found, around=around, seed=seed,
        mark=_mark_of(folder),
    )  # fmt: skip
    write_json(result_of(folder, "words"), result.to_json(), force=True)
    return result, result.lines()


def _pair(documents: Sequence[Document]) -> tuple[str, str]:
    """Return brackets that none of the documents holds."""
    for pair in _PAIRS:
        if not any(mark in d.text for d in documents for mark in pair):
            return pair
    raise DataError("The documents hold every kind of double bracket; they cannot be marked.")


def _sheet(documents: Sequence[Document], pair: tuple[str, str]) -> str:
    lines = [
        f"# Put {pair[0]} and {pair[1]} around whatever should have been redacted; change nothing else.",
        f"# Lines that begin with {_HEAD.strip()} tell the documents apart.",
    ]
    for number, document in enumerate(documents, 1):
        lines += [f"{_HEAD}{number} of {len(documents)}", document.text]
    return "".join(line + "\n" for line in lines)


def _read_marks(
    answers: str, documents: Sequence[Document], pair: tuple[str, str]
) -> list[list[str]]:
    """Return what was marked in each document; a document that was changed otherwise is refused."""
    total = len(documents)
    head = re.search(rf"^{_HEAD}1 of (\d+)$", answers, flags=re.MULTILINE)
    if head is not None and int(head[1]) != total:
        raise DataError(
            f"The answers are about {int(head[1]):,} documents, and {total:,} were asked for.",
            hint="ask for as many as before, or start over with --force.",
        )
    pieces = re.split(rf"^{_HEAD}(\d+) of {total}\n", answers, flags=re.MULTILINE)
    found = dict(zip(map(int, pieces[1::2]), pieces[2::2], strict=True))
    inside = re.compile(re.escape(pair[0]) + r"(.*?)" + re.escape(pair[1]), re.DOTALL)
    marked = []
    for number, document in enumerate(documents, 1):
        text = found.get(number)
        bare = None if text is None else text.replace(pair[0], "").replace(pair[1], "")
        if text is None or bare is None or _plain(bare) != _plain(document.text):
            raise DataError(
                f"Document {number} of the answers is not the one that was drawn.",
                hint="change nothing but the brackets, or start over with --force.",
            )
        if text.count(pair[0]) != text.count(pair[1]):
            raise DataError(f"A bracket of document {number} is not closed.")
        marked.append(inside.findall(text))
    return marked


def _plain(text: str) -> str:
    """Return a text without what editors change by themselves: line ends and trailing space."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


def _rank_words(published: Sequence[Document], classifiers: ClassifierSet, words: int) -> list[str]:
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in published], vocabulary)
    marks = placeholders(published, tokens, classifiers.labels, len(published))
    data = TokenData.of(tokens, vocabulary, classifiers.knowledge).redact(marks)
    data, _ = classifiers.ruled(data)  # the classifiers of a project see what rules propose
    scores = np.full(len(data), -np.inf)
    for classifier in classifiers.classifiers[:1]:
        scores = classifier.scores(data)
    scores = np.where(data.counted, scores, -np.inf)
    best = np.argsort(-scores, kind="stable")[: min(words, int(data.counted.sum()))]
    start, end = tokens.char_offsets()
    lines = []
    for number, i in enumerate(best.tolist(), 1):
        text = published[int(data.document_of[i])].text
        before = text[max(0, start[i] - _CONTEXT) : start[i]]
        after = text[end[i] : end[i] + _CONTEXT]
        shown = f"{before}>{text[start[i] : end[i]]}<{after}"
        lines.append(f"[ ] {number}: {' '.join(shown.split())}")
    return lines


def _count_ticks(answers: str, sheet: Sequence[str]) -> int:
    """Count the ticked boxes; a sheet that was changed otherwise is refused."""
    lines = [line for line in answers.splitlines() if line.strip()]
    same = len(lines) == len(sheet) and all(
        _BOX.match(line) and line[3:].rstrip() == own[3:].rstrip()
        for line, own in zip(lines, sheet, strict=False)
    )
    if not same:
        raise DataError(
            "The answers are not those of this release.",
            hint="change nothing but the boxes, or start over with --force.",
        )
    return sum(line[1].strip() != "" for line in lines)


def _mark_of(folder: Path) -> str | None:
    """Return the hash of the record of a release, by which its report knows the audit."""
    record = folder / RELEASE_FILE
    return sha256_of(record) if record.is_file() else None


def _result(
    kind: str,
    record: TextRelease | None,
    *,
    drawn: int,
    leaking: int,
    marked: int,
    around: Interval,
    seed: int,
    mark: str | None,
) -> AuditRecord:
    promise = None if record is None else record.documents_with_leak
    return AuditRecord(
        engine="text",
        release=mark,
        kind=kind,  # type: ignore[arg-type]
        candidate=None if record is None else record.candidate,
        drawn=drawn,
        leaking=leaking,
        marked=marked,
        measured=RangedShare(value=leaking / drawn, low=around.low, high=around.high),
        promised=promise if kind == "documents" else None,
        bound=None if record is None or kind == "documents" else 1 / (1 + record.how.ratio),
        seed=seed,
    )


def check_numbers(documents: int | None, words: int | None) -> Mapping[str, int]:
    """Return what is audited: documents or words, not both."""
    if (documents is None) == (words is None):
        raise ParameterError("An audit reads either --documents N or --words N.")
    return {"documents": documents} if documents is not None else {"words": words or 0}
