"""What a desk tells the page, as it is sent: plain JSON with named fields.

It stays between the program and the browser on the same machine. Places are (document, first, last) in
characters of the document's text.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

__all__ = [
    "Agreement",
    "DocumentView",
    "LabelStatus",
    "Like",
    "Passage",
    "Question",
    "ReleaseAudit",
    "ReleasedView",
    "ReviewedDocument",
    "Status",
    "StepAdvice",
]


class Like(TypedDict):
    """How many other places each answer would settle."""

    yes: int
    no: int


class Passage(TypedDict):
    """A place with a little context."""

    place: list[int]
    before: str
    words: str
    after: str


class Question(TypedDict):
    """What is asked: about one place ("word"), a whole window, a class of words, or nothing ("none")."""

    kind: str
    random: NotRequired[bool]
    doc: NotRequired[int]
    id: NotRequired[str]
    first: NotRequired[int]
    last: NotRequired[int]
    offset: NotRequired[int]
    """Where `text` begins in the document."""
    text: NotRequired[str]
    words: NotRequired[list[list[int]]]
    """First and last character of each word of `text`."""
    number: NotRequired[int]
    spans: NotRequired[list[list[int | str]]]
    """Of a window: (first, last, label) of what is proposed in it."""
    label: NotRequired[str]
    chance: NotRequired[float]
    like: NotRequired[Like]
    class_key: NotRequired[str]
    """Of a class: its name, what it holds in words, how many places, and some of them."""
    title: NotRequired[str]
    asks: NotRequired[str]
    """The question about a convention; empty for other classes."""
    count: NotRequired[int]
    examples: NotRequired[list[Passage]]
    proposed: NotRequired[str]
    """What rules call the words of a class: numbers of one form are several classes where rules tell them apart."""


class DocumentView(TypedDict):
    """A document with what would be redacted in it."""

    doc: int
    id: str
    text: str
    words: list[list[int]]
    spans: list[list[int | str | float | None]]
    """(first, last, label, chance); the chance is None where a person or a rule was sure."""


class ReleasedView(DocumentView):
    """A document of a release: what was redacted in it, and its text as it was published.

    Where its file has pages, each is a list of boxes: left, top, right, bottom, in parts of the page, and the label.
    """

    published: str
    pages: NotRequired[list[list[list[float | str]]]]


class ReleaseAudit(TypedDict):
    """What random windows read since a release say about it: how many of the sensitive words found are in its file."""

    release: str
    windows: int
    sensitive: int
    left: int
    low: float
    high: float


class Agreement(TypedDict):
    """In how many words of the windows that both have read two readers agree."""

    windows: int
    words: int
    same: int
    sensitive_to_both: int
    sensitive_to_one: int
    kappa: NotRequired[float | None]
    """Cohen's kappa."""
    missed_by_first: NotRequired[int]
    missed_by_second: NotRequired[int]
    found: NotRequired[float | None]
    """The share of the sensitive words that the first reader finds, by capture and recapture."""
    left_corrected: NotRequired[float | None]
    """The share left if what both have missed is left."""


class StepAdvice(TypedDict):
    """What is expected to help most, in words, and in how many minutes of a person."""

    what: str
    words: str
    minutes: int | None


class LabelStatus(TypedDict):
    """What random windows say of one label."""

    label: str
    sensitive: int
    left: float | None
    low: float
    high: float
    wanted: float


class Status(TypedDict):
    """The progress of the work, and the estimated risk."""

    answers: int
    documents: int
    documents_seen: int
    words: int
    words_known: int
    expected_left: float
    windows: int
    sensitive: int
    left: float | None
    low: float | None
    high: float | None
    found_in_100: float | None
    wanted: float
    verdict: str
    more_answers: int | None
    audit_words: int
    readers: str
    teaching: bool
    curve: list[list[float | None]]
    pending: bool
    agreement: Agreement
    step: NotRequired[StepAdvice]
    by_label: NotRequired[list[LabelStatus]]
    documents_with_leak: NotRequired[list[float] | None]
    """The share of documents with at least one word left, and its range."""


class ReviewedDocument(TypedDict):
    """A document of the review room; the drawn ones must be seen before a release is approved."""

    doc: int
    id: str
    expected_left: float
    drawn: bool
    seen: bool
    corrected: bool
