"""A whole engine in one file: numbers, one per line, published rounded to a step.

Risk is the share of numbers that stay unique; utility is 1 − mean rounding error over the range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from sfumato.core.dominance import mark_dominated
from sfumato.core.engine import Engine, Part, Progress, no_progress
from sfumato.core.errors import DataError
from sfumato.core.exploration import Exploration
from sfumato.core.files import sha256_of, whole_directory
from sfumato.core.measures import Risk, Utility
from sfumato.core.publication import Publication
from sfumato.core.records import (
    Candidate,
    FrontierRecord,
    InputFile,
    OutputFile,
    Public,
    Release,
)
from sfumato.core.request import Request, parameter
from sfumato.core.story import Check, Stat, Story, Term

__all__ = ["ENGINE"]

ATTACKER = "knows the rounded number of a person"
KEPT = "1 − mean rounding error over the range"


class ToyRequest(Request):
    numbers: str | Path = parameter(help="Text file with one number per line.", role="data")
    steps: list[int] = parameter([1, 5, 10], help="Rounding steps to try.", min_length=1)
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)


class ToyPublishRequest(Request):
    numbers: str | Path = parameter(help="Numbers to publish.", role="data")
    signed: bool = parameter(False, help="Write a plus sign before positive numbers.")


class ToyCandidate(Candidate):
    step: int


class ToyFrontier(FrontierRecord):
    candidates: tuple[ToyCandidate, ...]


class ToyExploration(Exploration[ToyFrontier, ToyCandidate]):
    Record = ToyFrontier


class ToyRelease(Release):
    unique: Public[int]


def _read(path: str | Path) -> list[int]:
    try:
        return [int(line) for line in Path(path).read_text(encoding="utf-8").split()]
    except (OSError, ValueError):
        raise DataError(
            f"The file {Path(path).name!r} is not a list of whole numbers.", hint="one per line."
        ) from None


def _unique(numbers: list[int]) -> int:
    return sum(count == 1 for count in Counter(numbers).values())


def _rounded(numbers: list[int], step: int) -> list[int]:
    return [step * round(n / step) for n in numbers]


class ToyEngine(Engine[ToyRequest, ToyPublishRequest, ToyExploration, ToyCandidate, ToyRelease]):
    name: ClassVar[str] = "toy"
    title: ClassVar[str] = "Numbers"
    summary: ClassVar[str] = "Numbers: round until nobody stands alone."
    Request = ToyRequest
    PublishRequest = ToyPublishRequest
    Exploration = ToyExploration
    Release = ToyRelease

    def explore(self, request: ToyRequest, *, progress: Progress = no_progress) -> ToyExploration:
        numbers = _read(request.numbers)
        spread = max(numbers) - min(numbers) or 1
        found = []
        for step in request.steps:
            rounded = _rounded(numbers, step)
            error = sum(abs(a - b) for a, b in zip(numbers, rounded, strict=True)) / len(numbers)
            found.append(
                ToyCandidate(
                    id=f"step{step}",
                    step=step,
                    risk=Risk(_unique(rounded) / len(numbers), attacker=ATTACKER),
                    utility=Utility(max(0.0, 1 - error / spread), kept=KEPT),
                )
            )
            progress(total=len(request.steps))
        candidates, area = mark_dominated(found)
        return ToyExploration(
            ToyFrontier(
                engine=self.name,
                seed=request.seed,
                request=request.to_record(),
                inputs=(InputFile.of(request.numbers, len(numbers)),),
                axes={"risk": "share of numbers that stay unique", "utility": KEPT},
                area=area,
                evaluations=len(found),
                candidates=candidates,
            )
        )

    def publish(
        self,
        exploration: ToyExploration,
        candidate: ToyCandidate,
        request: ToyPublishRequest,
        *,
        out: Path | None,
        force: bool = False,
        progress: Progress = no_progress,
    ) -> Publication[ToyRelease]:
        numbers = _read(request.numbers)
        rounded = sorted(_rounded(numbers, candidate.step))
        if out is None:
            return Publication(data=rounded)
        with whole_directory(out, force=force) as folder:
            written = folder / "numbers.txt"
            form = "{:+d}" if request.signed else "{}"
            written.write_text("".join(form.format(n) + "\n" for n in rounded), encoding="utf-8")
            release = ToyRelease(
                engine=self.name,
                candidate=candidate.id,
                frontier=exploration.record.current_mark(),
                inputs=(InputFile(path=Path(request.numbers).name, rows=len(numbers)),),
                outputs=(
                    OutputFile(path=written.name, sha256=sha256_of(written), rows=len(rounded)),
                ),
                seed=exploration.record.seed,
                request=request.to_record(),
                counts={"rows": len(rounded)},
                risk=candidate.risk,
                utility=candidate.utility,
                unique=_unique(rounded),
            )
            release.save(folder)
        return Publication(release, out)

    def story(self, part: Part) -> Story:
        story = Story(part.id, self.name, "Numbers", "Published" if part.release else "Explored")
        if part.chosen is not None:
            story.verdict = [
                f"[[toy.risk|{part.chosen.risk.value:.1%}]] of the numbers are unique."
            ]
            story.stats = [Stat(f"{part.chosen.risk.value:.1%}", "unique numbers", "toy.risk")]
        if isinstance(part.release, ToyRelease):
            story.checks = [
                Check("holds", f"{part.release.unique} numbers were counted as unique again.")
            ]
        story.tradeoff = ["A larger step hides more people and tells less."]
        story.assumptions = ["Each number belongs to one person."]
        story.glossary = {
            "toy.risk": Term(
                "Uniqueness",
                "The share of published numbers that occur once.",
                "unique / all",
                "The published numbers.",
                "Zero: nobody stands alone.",
            )
        }
        return story

    def claim(self, file: Path) -> float:
        return 1.0 if file.suffix == ".numbers" else 0.0

    def draft(self, file: Path, others: Mapping[str, Path], folder: Path) -> list[str]:
        return ["[toy]", f'numbers = "{file.name}"', "choose = { knee = true }", ""]


ENGINE = ToyEngine()
