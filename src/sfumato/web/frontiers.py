"""The frontiers that folders hold, whatever engine made them: to look at, to choose from, to publish."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

from markupsafe import Markup

from ..core.engine import AnyEngine, Part, Progress, engine_named
from ..core.errors import InputError, NoCandidateError
from ..core.measures import Risk, Utility
from ..core.publication import Publication
from ..core.records import Candidate, Release
from ..core.request import Parameter, parameters
from ..core.story import Story
from ..desk.protocol import Desk
from ..presentation.frontier_chart import frontier_chart_id, svg_with_links
from ..presentation.language import check_language, current_language, retell, say
from ..presentation.numbers import count, decimal, percent, plain

__all__ = ["Frontiers"]

_TOLD = frozenset({"id", "risk", "utility", "dominated", "measures", "risk_interval", "utility_interval", "held_out"})  # fmt: skip


class Frontiers:
    """Reads frontiers as they are on the disk now, so that a new one appears when it is written.

    Parameters
    ----------
    folders : sequence of Path
        Where to look.
    desk : Desk, optional
        The project whose frontier is published with its own documents.

    """

    def __init__(self, folders: Sequence[Path], desk: Desk | None) -> None:
        self.folders, self.desk = folders, desk

    def parts(self) -> list[Part]:
        """Return the parts that have a frontier."""
        from ..reports.parts import find_parts

        try:
            parts = find_parts(self.folders)
        except InputError:
            return []
        return [part for part in parts if part.frontier is not None]

    def report(self, regime: str | None = None, language: str | None = None) -> str | None:
        """Return the report of everything in the folders, or None where there is nothing yet.

        Parameters
        ----------
        regime, language : str, optional
            What it is made for, and what it is written in; unknown ones are refused.

        """
        from ..core.regimes import REGIMES
        from ..reports.facts import ReportFacts
        from ..reports.html import render_html
        from ..reports.parts import find_parts

        wished = REGIMES.get_or_raise(regime) if regime else None
        check_language(language or current_language())
        try:
            parts = tuple(find_parts(self.folders))
        except InputError:
            return None
        facts = ReportFacts(parts, regime=wished, language=language or current_language())
        return render_html(facts, asking=True)

    def view(self, part_id: str | None, candidate_id: str | None) -> dict[str, object]:
        """Return what the room shows of one part and one candidate."""
        parts = self.parts()
        if not parts:
            return {"parts": [], "details": {}}
        part = self._chosen(parts, part_id, candidate_id)
        assert part.frontier is not None
        assert part.chosen is not None
        story = engine_named(part.engine).story(part)
        return {
            "parts": [{"id": p.id, "title": say(engine_named(p.engine).title)} for p in parts],
            "part": part.id,
            "engine": part.engine,
            "axes": {name: retell(words) for name, words in part.frontier.axes.items()},
            "candidates": [_row(part, c) for c in part.frontier.candidates],
            "drawing": _drawing(part, story),
            "candidate": part.chosen.id,
            "details": _details(part, story),
            "is_project": self._is_project(part),
            "ratio": getattr(part.chosen, "ratio", None),
            "is_released": self.desk is not None and self.desk.has_release(part.chosen.id),
            "choices": _choices(part.engine),
        }

    def candidate(self, part_id: str | None, candidate_id: str | None) -> dict[str, object]:
        """Return a candidate in words."""
        parts = self.parts()
        if not parts:
            raise InputError("There is no frontier yet.")
        part = self._chosen(parts, part_id, candidate_id)
        return _details(part, engine_named(part.engine).story(part))

    def _chosen(self, parts: Sequence[Part], part_id: str | None, candidate_id: str | None) -> Part:
        """Return the part asked for, with the candidate asked for as the chosen one.

        Where none is asked for, it is the one that was chosen before, or in a project the one that it aims at.
        """
        part = next((p for p in parts if p.id == part_id), None)
        if part_id and part is None:
            raise InputError("There is no such frontier.")
        part = part or parts[0]
        assert part.frontier is not None
        by_id = {candidate.id: candidate for candidate in part.frontier.candidates}
        if candidate_id and candidate_id not in by_id:
            raise NoCandidateError("There is no such candidate.")
        chosen, by = part.chosen or part.frontier.candidates[0], part.chosen_by
        if candidate_id:
            chosen, by = by_id[candidate_id], "steward"
        elif by not in ("release", "steward") and self.desk is not None and self._is_project(part):
            released, aimed = self.desk.released_candidate, self.desk.aimed_candidate
            if released in by_id:
                chosen, by = by_id[str(released)], "steward"
            elif aimed in by_id:
                chosen, by = by_id[str(aimed)], "project"
        elif by == "release":
            by = "steward"
        return Part(part.id, part.engine, part.frontier, chosen=chosen, chosen_by=by, folder=part.folder)  # fmt: skip

    def _is_project(self, part: Part) -> bool:
        return self.desk is not None and part.folder == self.desk.folder / "frontier"

    def publisher(self, given: Mapping[str, object]) -> Callable[[Progress], str]:
        """Return the work that publishes a candidate; invalid requests are rejected immediately."""
        part = next((p for p in self.parts() if p.id == given.get("part")), None)
        if part is None or part.frontier is None:
            raise InputError("There is no such frontier.")
        wanted = str(given.get("candidate", ""))
        if wanted not in {c.id for c in part.frontier.candidates}:
            raise NoCandidateError("There is no such candidate.")
        engine, desk = engine_named(part.engine), self.desk if self._is_project(part) else None
        choices = _given_choices(engine, given.get("choices"))
        data = Path(str(given.get("data") or "")) if desk is None else desk.folder
        # `os.path` says no where a name is too long or holds a null; a path raises.
        if not data.name or not os.path.exists(data):
            raise InputError("There is no such data file on this machine.", hint="give its path.")
        name = next(n for n, p in parameters(engine.PublishRequest).items() if p.role == "data")
        request = engine.PublishRequest.build({name: data, **choices}, owner="publish", spelled=_title_of)  # fmt: skip
        if desk is not None:
            return lambda progress: _result_text(desk.publish(wanted, progress, choices))
        folder = part.folder
        assert folder is not None

        def work(progress: Progress) -> str:
            exploration = engine.load(folder)
            out = folder.parent / f"{folder.name}-{wanted}"
            made = engine.publish(
                exploration, exploration.candidate(wanted), request, out=out, progress=progress
            )
            return _result_text(made)

        return work


def _title_of(name: str) -> str:
    """Return the name of a parameter as the page writes it."""
    return name.replace("_", " ")


def _on_page(engine: AnyEngine) -> dict[str, Parameter]:
    return {n: p for n, p in parameters(engine.PublishRequest).items() if p.on_page}


def _choices(engine: str) -> list[dict[str, object]]:
    """Return what may be chosen where a release is published, as its engine declares it."""
    return [
        {
            "name": name,
            "title": say(_title_of(name)),
            "help": say(about.help),
            "is_flag": about.is_flag,
            "names": [] if about.choices is None else list(about.choices()),
            "default": about.default,
        }
        for name, about in _on_page(engine_named(engine)).items()
    ]


def _given_choices(engine: AnyEngine, given: object) -> dict[str, str | bool]:
    """Return what was chosen; what was left empty is left to its default."""
    if given is None:
        return {}
    known = _on_page(engine)
    if not isinstance(given, Mapping) or not all(
        name in known and isinstance(value, bool if known[name].is_flag else str)
        for name, value in given.items()
    ):
        raise InputError("There is no such choice for a release.")
    texts = {name: v.strip() if isinstance(v, str) else v for name, v in given.items()}
    return {name: value for name, value in texts.items() if value}


def _details(part: Part, story: Story) -> dict[str, object]:
    """Return the chosen candidate in words: its numbers, what each means, and its policy as its engine tells it."""
    candidate = part.chosen
    assert candidate is not None
    return {
        "id": candidate.id,
        "risk": _measure(candidate.risk),
        "high_by_label": _high_by_label(candidate),
        "utility": _measure(candidate.utility),
        "dominated": candidate.dominated,
        "sentences": [plain(sentence) for sentence in (*story.verdict, *story.published)],
        "rows": [
            (
                say(key.replace("_", " ")) if own else key,
                value,
                _meaning(story, part.engine, key) if own else "",
            )
            for key, value, own in _rows(candidate)
        ],
        "grids": [
            {"caption": grid.caption, "heads": [head for head, _ in grid.heads], "rows": grid.rows}
            for grid in story.grids
            if grid.section == "cost" and grid.marked is None and not grid.words
        ],
        "chips": [
            {"title": chips.title, "items": list(chips.items[:200])}
            for chips in story.chips
            if chips.section == "published"
        ],
    }


def _high_by_label(candidate: Candidate) -> dict[str, float]:
    """Return the upper end of what is left of each label that was measured, of candidates that have labels."""
    by_label = candidate.to_json().get("by_label")
    found = {}
    for label, counts in (by_label if isinstance(by_label, dict) else {}).items():
        ends = counts.get("range") if isinstance(counts, dict) else None
        if isinstance(ends, dict):
            found[str(label)] = float(ends["high"])
    return found


def _result_text(made: Publication[Release]) -> str:
    """Return the name of what was published and, line by line, what the command line says of it."""
    assert made.out is not None
    return "\n".join([made.out.name, *map(retell, made.lines())])


def _measure(measure: Risk | Utility) -> dict[str, float | str | bool | None]:
    ends = measure.interval
    low, high = (None, None) if ends is None else (ends.low, ends.high)
    text = percent(measure.value)
    if ends is not None and (low, high) != (0.0, 1.0):
        text += f" ({percent(ends.low)} – {percent(ends.high)})"
    elif ends is not None:
        text = say("not measured")
    return {
        "value": measure.value,
        "low": low,
        "high": high,
        "measured": (low, high) != (0.0, 1.0),
        "text": text,
    }


def _link(part: Part, candidate: Candidate) -> str:
    return "?" + urlencode({"part": part.id, "candidate": candidate.id})


def _drawing(part: Part, story: Story) -> Markup | None:
    """Return the report's drawing of the frontier, each candidate a link; None where there is none."""
    chart = next((c for c in story.charts if c.id == frontier_chart_id(part)), None)
    if chart is None or part.frontier is None:
        return None
    links = [_link(part, c) for c in part.frontier.candidates]
    return Markup(svg_with_links(chart, links))  # noqa: S704 (drawn by us)


def _row(part: Part, candidate: Candidate) -> dict[str, object]:
    return {
        "id": candidate.id,
        "link": _link(part, candidate),
        "dominated": candidate.dominated,
        "risk": _measure(candidate.risk)["text"],
        "utility": _measure(candidate.utility)["text"],
    }


def _meaning(story: Story, engine: str, key: str) -> str:
    """Return what a number of a candidate means, where the glossary of its engine says it."""
    term = story.glossary.get(f"{engine}.{key}")
    return "" if term is None else plain(say(term.means))


def _rows(candidate: Candidate) -> list[tuple[str, str, bool]]:
    """Return the numbers and names of a candidate, for a table, and whether each is a field of its own.

    Left out is what has its default, and what the sentences say.
    """
    found = []
    fields = type(candidate).model_fields
    for key, value in candidate.to_json().items():
        if key in _TOLD or (key in fields and value == fields[key].default):
            continue
        if isinstance(value, bool):
            found.append((key, say("yes") if value else say("no"), True))
        elif isinstance(value, int):
            found.append((key, count(value), True))
        elif isinstance(value, float):
            found.append((key, decimal(value, 4), True))
        elif isinstance(value, str):
            found.append((key, say(value), True))
        elif isinstance(value, list) and value and all(isinstance(v, str | int) for v in value):
            found.append((key, ", ".join(map(str, value[:40])), True))
        elif key == "policy" and isinstance(value, dict):
            found += [(str(k), _format_value(v), False) for k, v in value.items()]
    return found


def _format_value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(
            f"{v[0]}–{v[1]}" if isinstance(v, list) and len(v) == 2 else str(v) for v in value
        )
    return str(value)
