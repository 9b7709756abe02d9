"""What a regime asks for, answered from the facts: figures, comparisons, a checklist, and blanks to sign.

Every figure is looked up in the content of facts.json by the place that its engine names, and every number that
it is compared with comes from the regimes file; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..core.engine import Part, engine_named
from ..core.regimes import Regime, SizeComparison, review_date, smallest_group
from ..core.story import Check, Grid
from ..presentation.language import say, write_date
from ..presentation.numbers import count, decimal, percent

__all__ = ["Answer", "Board", "BoardFigure", "board_of", "limits_json"]

_NAMES = {
    "smallest group": "Smallest group of people that look alike",
    "maximum risk": "Highest chance of naming a record, by someone who knows who is in the data",
    "average risk": "Chance of naming a record on average, by someone who knows who is in the data",
    "maximum risk in the population": "Highest chance of naming a record, by someone who knows the population",
    "average risk in the population": "Chance of naming a record on average, by someone who knows the population",
    "sample uniqueness": "Share of records that are unique in the data",
    "population uniqueness": "Share of records that are unique in the population",
    "distinct sensitive values": "Fewest different sensitive values in a group",
    "distance of sensitive values": "Largest distance of a group's sensitive values from all",
    "records left out": "Records left out because their group was too small",
    "words left": "Share of the sensitive words that are left",
    "documents with a leak": "Share of documents with at least one sensitive word left",
    "rows left": "Rows left to someone who knows everything, absences included",
    "unique rows": "Share of rows that are exactly unique",
}
"""In words: the measures that a regime asks for."""


@dataclass(frozen=True)
class BoardFigure:
    """One figure that a regime asks for: its name, its value in words, and where facts.json holds it."""

    part: str
    name: str
    value: str
    place: str


@dataclass(frozen=True)
class Answer:
    """One thing that a regime asks for, and its place: in the report, or left to be written."""

    what: str
    where: str
    anchor: str | None
    """None: people must write it, and a blank is left."""


@dataclass(frozen=True)
class Board:
    """A report's part for a regime, ready to render."""

    title: str
    sentences: list[str]
    checks: list[Check]
    figures: list[BoardFigure]
    answers: list[Answer]
    rules: list[str]
    questions: list[str]
    sources: list[tuple[str, str, str, str]]
    """Title, date, how sure, and of what."""

    @property
    def grid(self) -> Grid | None:
        """The figures as a table."""
        heads = ((say("Figure"), None), (say("Of"), None), (say("Value"), None))
        rows = tuple((f.name, f.part, f.value) for f in self.figures)
        caption = say("The figures that it asks for, in its order")
        return Grid("published", caption, heads, rows, words=True) if rows else None


def board_of(regime: Regime, parts: Sequence[Part], content: Mapping[str, object]) -> Board:
    """Return what a regime asks for, answered.

    Parameters
    ----------
    regime : Regime
        The regime.
    parts : sequence of Part
        What the report is about.
    content : mapping
        The content of facts.json.

    """
    return Board(
        title=regime.name,
        sentences=_sentences(regime),
        checks=[check for part in parts for check in _checks(regime, part)],
        figures=list(_figures(regime, parts, content)),
        answers=[_answer(ask.what, ask.at, parts) for ask in regime.ask],
        rules=[say(rule) for rule in regime.rules],
        questions=[say(question) for question in regime.questions],
        sources=[
            (
                source.title if source.section is None else f"{source.title}, {source.section}",
                "–" if source.date is None else write_date(source.date),
                say(source.sure),
                ", ".join(say(field) for field in source.of),
            )
            for source in regime.sources
        ],
    )


def limits_json(regime: Regime, parts: Sequence[Part]) -> dict[str, object]:
    """Return what facts.json holds of a regime: its numbers, and how each part compares."""
    return {
        "id": regime.id,
        "reviewed": review_date().isoformat(),
        "limits": [
            {"level": level.name, "value": level.value, "size": level.size}
            for level in regime.limits
        ],
        "parts": {
            part.id: [
                {"level": c.level.name, "size": c.size, "meets": c.meets, "verdict": c.verdict}
                for c in regime.compare(_group(part))
            ]
            for part in parts
        },
    }


def _group(part: Part) -> int | None:
    """Return the smallest group of what a part is about: of the release, else of the candidate."""
    record = part.release if part.release is not None else part.chosen
    return None if record is None else smallest_group(engine_named(part.engine), record)


def _sentences(regime: Regime) -> list[str]:
    found = [
        say(
            "{instrument}; {authority}. Kind: {binding}.",
            instrument=regime.instrument,
            authority=regime.authority,
            binding=say(regime.binding),
        )
    ]
    if regime.words is not None:
        found.append(say("In its own words: “{words}”.", words=regime.words))
    nothing = {
        "none": "It names no number, so there is no verdict: the figures are for people to judge.",
        "list": "It is a list of rules and names no risk, so there is no verdict on a risk.",
        "office": "Its numbers are set by each office, so there is no verdict.",
    }
    if regime.number in nothing:
        found.append(say(nothing[regime.number]))
    if regime.note is not None:
        found.append(say(regime.note))
    found.append(
        say(
            "The regimes were last compared with their sources on {day}. This is decision support, not a "
            "determination.",
            day=write_date(review_date()),
        )
    )
    return found


def _checks(regime: Regime, part: Part) -> Iterator[Check]:
    """Yield how a part compares with each number of a regime, and which verdict that carries."""
    title = say(engine_named(part.engine).title)
    found = regime.compare(_group(part))
    for comparison in found:
        yield _check(regime, title, comparison)
    if found and all(c.size is None for c in found):
        return
    if found and found[0].sure != "read":
        yield Check(
            "open",
            say(
                "{title}: no verdict, because the number was reported by others and the original was not "
                "read. Compare the original before you sign.",
                title=title,
            ),
        )


def _check(regime: Regime, title: str, found: SizeComparison) -> Check:
    level = "" if found.level.name is None else f" ({say(found.level.name)})"
    values = {
        "title": title,
        "regime": regime.name + level,
        "size": count(found.level.size),
        "value": decimal(found.level.value),
    }
    if found.size is None:
        words = say(
            "{title}: {regime} asks for groups of {size} people or more; groups of people were not "
            "measured here.",
            **values,
        )
        return Check("open", words)
    values["found"] = count(found.size)
    if found.meets:
        words = say(
            "{title}: {regime} asks for groups of {size} people or more (a risk of about {value}); the "
            "smallest group has {found}.",
            **values,
        )
        state: Literal["holds", "open"] = "holds" if found.verdict else "open"
        return Check(state, words)
    words = say(
        "{title}: {regime} asks for groups of {size} people or more (a risk of about {value}); the "
        "smallest group has only {found}.",
        **values,
    )
    return Check("look", words)


def _figures(
    regime: Regime, parts: Sequence[Part], content: Mapping[str, object]
) -> Iterator[BoardFigure]:
    for name in regime.measures:
        for index, part in enumerate(parts):
            places = engine_named(part.engine).figures.get(name)
            start = _start(part, index)
            if places is None or start is None:
                continue
            place = f"{start}.{places['candidates' in start]}"
            found = look_up(content, place)
            title = say(engine_named(part.engine).title)
            shown = list(_values(say(_NAMES[name]), title, found, place))
            if (
                name == "records left out"
                and part.release is not None
                and part.release.multiples_of > 1
            ):
                shown = [replace(f, value=say("at most {n}", n=f.value)) for f in shown]
            yield from shown


def _start(part: Part, index: int) -> str | None:
    """Return where facts.json holds what a part is about."""
    if part.release is not None:
        return f"parts.{index}.release"
    if part.frontier is None or part.chosen is None:
        return None
    ids = [candidate.id for candidate in part.frontier.candidates]
    own = ids.index(part.chosen.id) if part.chosen.id in ids else None
    return None if own is None else f"parts.{index}.frontier.candidates.{own}"


def look_up(content: object, place: str) -> object:
    """Return what facts.json holds at a place, None where there is nothing.

    >>> look_up({"parts": [{"k": 11}]}, "parts.0.k")
    11
    """
    for name in place.split("."):
        if isinstance(content, Mapping):
            content = content.get(name)
        elif isinstance(content, Sequence) and not isinstance(content, str):
            content = content[int(name)] if name.isdigit() and int(name) < len(content) else None
        else:
            return None
    return content


def _values(name: str, part: str, found: object, place: str) -> Iterator[BoardFigure]:
    """Yield a figure for a number, a number with its range, or each of several columns."""
    if isinstance(found, Mapping) and "value" in found:
        low, high = found.get("low"), found.get("high")
        if isinstance(ends := found.get("interval"), Sequence):
            low, high = ends
        value = _write(found["value"])
        if isinstance(low, float | int) and isinstance(high, float | int):
            if (low, high) == (0, 1):
                value = say("not measured")
            else:
                value = say("{value} (up to {high})", value=value, high=_write(high))
        yield BoardFigure(part, name, value, place)
    elif isinstance(found, Mapping):
        for column, value in found.items():
            named = say("{name}: {value}", name=name, value=column)
            yield BoardFigure(part, named, _write(value), f"{place}.{column}")
    elif found is not None:
        yield BoardFigure(part, name, _write(found), place)


def _write(value: object) -> str:
    if isinstance(value, int):
        return count(value)
    assert isinstance(value, float)
    return percent(value)


def _answer(what: str, at: str, parts: Sequence[Part]) -> Answer:
    named = {
        "published": "What is published", "tradeoff": "The trade-off", "attack": "The attack",
        "cost": "The cost", "assumptions": "The assumptions",
    }  # fmt: skip
    if at == "sign":
        return Answer(say(what), say("To be written and signed"), None)
    if at == "board":
        return Answer(say(what), say("The figures above"), "board")
    if at == "repeat":
        return Answer(say(what), say("Method, and how to repeat it"), "method")
    return Answer(say(what), say(named[at]), f"{parts[0].id}-{at}")
