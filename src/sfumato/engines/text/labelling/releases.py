"""The releases of a labelling project: made from its answers, reviewed as they are on the disk, approved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ....core.approval import Approval, Look
from ....core.engine import Progress
from ....core.errors import InputError, ParameterError
from ....core.measures import Interval
from ....core.publication import Publication
from ....core.randomness import Streams
from ....core.statistics.resampling import exact_interval
from ....core.storage.staging import whole_directory
from ....desk.protocol import Desk
from ....desk.records import ReleaseAudit, ReleasedView, ReviewedDocument
from ..exploration import TextExploration
from ..learners.partial import UNKNOWN
from ..learners.protocol import cost_threshold
from ..records import TextRelease
from ..request import TextPublishRequest, TextRequest
from .journal import ANSWERS, Event
from .requests import explore_session, publish_session
from .review import ReviewedRelease
from .session import Session

__all__ = ["ProjectReleases", "words_in"]

_SAMPLE = 20  # documents that are drawn to be seen before a release is approved


def words_in(session: Session, document: int, low: int, high: int) -> list[list[int]]:
    """Return the first and last character of each word of a part of a document."""
    sheet = session.sheet
    inside = sheet.tokens_of((document, low, high)) if low < high else slice(0, 0)
    return list(map(list, zip(sheet.starts[inside].tolist(), sheet.ends[inside].tolist(), strict=True)))  # fmt: skip


class ProjectReleases(Desk):
    """The half of a desk that is about releases; the other half asks questions."""

    folder: Path
    session: Session
    _opened: tuple[int, ReviewedRelease] | None = None

    def explore(self) -> Path:
        """Write the frontier of the answers so far into the project."""
        out = self.folder / "frontier"
        asked = {"corpus": self.folder, "labels": list(self.labels)}
        found = explore_session(self.session, TextRequest.build(asked, owner="explore"))
        with whole_directory(out, force=True) as folder:
            found.save(folder)
        return out

    def publish(
        self, candidate: str, progress: Progress, choices: Mapping[str, object] | None = None
    ) -> Publication[TextRelease]:
        """Publish the project's documents, with every answer."""
        asked = {"documents": self.folder, **(choices or {})}
        request = TextPublishRequest.build(asked, owner="publish")
        exploration = TextExploration.load(self.folder / "frontier")
        chosen = exploration.candidate(candidate)
        out = self.folder / "releases" / candidate
        out.parent.mkdir(mode=0o700, exist_ok=True)
        release = publish_session(
            self.session, exploration, chosen, request, out=out, force=True, progress=progress,
            is_reviewed=True,
        )  # fmt: skip
        assert isinstance(release, TextRelease)
        with self.session.lock:
            self.session.journal.append({"do": "release", "candidate": candidate})
        return Publication(release, out)

    def _since_release(self, wanted: str | None = None) -> tuple[str | None, list[Event]]:
        """Return the candidate of the last release (of a candidate, where one is wanted) and the events since."""
        events = self.session.journal.events
        for place in range(len(events) - 1, -1, -1):
            if events[place]["do"] == "release" and wanted in (None, events[place]["candidate"]):
                return str(events[place]["candidate"]), events[place + 1 :]
        return None, []

    @property
    def released_candidate(self) -> str | None:
        """The candidate of the last release; None where nothing was published yet."""
        return self._since_release()[0]

    @property
    def aimed_candidate(self) -> str:
        """The candidate of the project's loss ratio, for which questions are chosen and the risk is estimated."""
        return f"r{self.session.record.ratio:g}"

    def has_release(self, candidate: str) -> bool:
        """Return whether a candidate was published."""
        return self._since_release(candidate)[0] is not None

    def audit(self) -> ReleaseAudit | None:
        """Return what the random windows that were read since the last release say of its file."""
        candidate, events = self._since_release()
        if candidate is None:
            return None
        release, sheet, counted = (
            self._release(),
            self.session.sheet,
            self.session.pool.data.counted,
        )
        undone = {event["of"] for event in events if event["do"] == "undo"}
        windows = met = left = 0
        for event in events:
            if event["do"] != "window" or not event["random"] or "reader" in event or event["n"] in undone:  # fmt: skip
                continue
            windows, d = windows + 1, event["doc"]
            sensitive, redacted = np.zeros((2, counted.size), np.bool_)
            for first, last, _ in event["spans"]:
                sensitive[sheet.tokens_of((d, first, last))] = True
            for edit in release.edits_of(self.session.documents[d]):
                redacted[sheet.tokens_of((d, edit.start, edit.end))] = True
            met += int(np.count_nonzero(sensitive & counted))
            left += int(np.count_nonzero(sensitive & counted & ~redacted))
        around = exact_interval(left, met) if met else Interval(0.0, 1.0)
        return {
            "release": candidate, "windows": windows, "sensitive": met, "left": left,
            "low": around.low, "high": around.high,
        }  # fmt: skip

    def review(self) -> list[ReviewedDocument]:
        """Return the documents, the drawn sample first; those that may still hold most first in both."""
        session = self.session
        candidate, events = self._since_release()
        seen = {event["doc"] for event in events if event["do"] == "seen"}
        corrected = {event["places"][0][0] for event in events if event["do"] == "mark"}
        ratio = session.record.ratio if candidate is None else self._release().record.how.ratio
        threshold = cost_threshold(ratio)
        with session.lock:
            known, scores = session.answers.known, session.scores
        published = session.pool.data.counted & (known == UNKNOWN) & (scores < threshold)
        chance = np.where(published, 1 / (1 + np.exp(-np.clip(scores, -50, 50))), 0.0)
        risk = np.bincount(
            session.pool.data.document_of, weights=chance, minlength=len(session.documents)
        )
        drawn = self._drawn(candidate, len(session.journal.events) - len(events))
        order = sorted(np.argsort(-risk, kind="stable").tolist(), key=lambda d: d not in drawn)
        return [
            {"doc": d, "id": session.documents[d].id, "expected_left": round(float(risk[d]), 3),
             "drawn": d in drawn, "seen": d in seen, "corrected": d in corrected}
            for d in order
        ]  # fmt: skip

    def _drawn(self, candidate: str | None, made: int) -> set[int]:
        """Return the documents of a release that must be seen before it is approved, drawn at random.

        Those with scanned pages are all among them: what a recogniser misread only a person sees.
        A release that was made again, after corrections, has its own sample: `made` is the number of
        events up to it.
        """
        documents = len(self.session.documents)
        if candidate is None or documents <= _SAMPLE:
            return set(range(documents))
        random = (
            Streams(self.session.record.seed).child("approval").generator(f"{candidate} {made}")
        )
        drawn = set(random.choice(documents, _SAMPLE, replace=False).tolist())
        return drawn | {d for d, own in enumerate(self.session.documents) if own.scanned}

    def see(self, number: int, *, seconds: float = 0.0, to_the_end: bool = False) -> None:
        """Keep that a document of the release was looked at, for how long, and whether to its end."""
        if not 0 <= number < len(self.session.documents):
            raise InputError("There is no such document.")
        if not 0.0 <= seconds < 1e6:
            raise ParameterError("The seconds of a look are a number from 0 on.")
        self._release().text(self.session.documents[number])  # what was seen is what was written
        event: Event = {
            "do": "seen",
            "doc": number,
            "seconds": round(seconds),
            "to_the_end": to_the_end,
        }
        with self.session.lock:
            self.session.journal.append(event)

    def to_see(self) -> int:
        """Return how many documents of the drawn sample are still to be seen before approval."""
        return sum(bool(row["drawn"]) and not row["seen"] for row in self.review())

    def approval(self) -> Approval | None:
        """Return who approved the last release, as it is on the disk; None where nobody did."""
        return None if self.released_candidate is None else self._release().approval()

    def approve(self, initials: str) -> None:
        """Keep who approved the last release, and what they saw of it, in its private folder."""
        name = initials.strip()
        if not re.fullmatch(r"[^\W\d_]{1,4}", name):
            raise InputError("Initials are one to four letters.")
        candidate, events = self._since_release()
        if candidate is None:
            raise InputError("Nothing was published yet.", hint="publish a candidate first.")
        if any(event["do"] in (*ANSWERS, "undo") for event in events):
            raise InputError(
                "Answers were given since the release was made.", hint="publish it again first."
            )
        if left := self.to_see():
            raise InputError(
                f"{left} documents of the drawn sample are still to be seen before approval."
            )
        looks = {
            event["doc"]: Look(
                document=event["doc"],
                seconds=event.get("seconds", 0),
                to_the_end=event.get("to_the_end", False),
            )
            for event in events
            if event["do"] == "seen"
        }
        corrections = sum(
            event["do"] == "mark" and event.get("by") == "review"
            for event in self.session.journal.events
        )
        self._release().approve(name, tuple(looks[d] for d in sorted(looks)), corrections)
        with self.session.lock:
            self.session.journal.append({"do": "approve", "by": name})

    def released(self, number: int, candidate: str | None = None) -> ReleasedView:
        """Return a document as a release has it: the original, its edits and the published text."""
        if not 0 <= number < len(self.session.documents):
            raise InputError("There is no such document.")
        document, release = self.session.documents[number], self._release(candidate)
        return {
            "doc": number,
            "id": document.id,
            "text": document.text,
            "words": words_in(self.session, number, 0, len(document.text)),
            "spans": [[e.start, e.end, e.label, None] for e in release.edits_of(document)],
            "published": release.text(document),
            "pages": [
                [[*(round(v, 4) for v in own.box), own.label] for own in page]
                for page in release.pages(document)
            ],
        }

    def picture(self, number: int, page: int) -> bytes:
        """Return a page of a document of the last release, from 0, as a PNG."""
        if not 0 <= number < len(self.session.documents) or page < 0:
            raise InputError("There is no such page.")
        return self._release().picture(self.session.documents[number], page)

    def _release(self, wanted: str | None = None) -> ReviewedRelease:
        """Return the last release (of a candidate, where one is wanted), as it is on the disk."""
        candidate, events = self._since_release(wanted)
        if candidate is None:
            raise InputError("Nothing was published yet.", hint="publish a candidate first.")
        made = len(self.session.journal.events) - len(events)
        if self._opened is None or self._opened[0] != made:
            out, reading = self.folder / "releases" / candidate, self.session.project.reading
            self._opened = made, ReviewedRelease(out, reading)
        return self._opened[1]
