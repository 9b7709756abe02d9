"""The result of `explore` and `load`: a frontier of candidates that can be chosen and published.

An `Exploration` has a record (frontier.json), a frontier built from it, and whatever its engine needs to
publish later (classifiers, a lattice, feature sets), which the engine's subclass saves next to the record.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeAlias, TypeVar, cast

from . import display
from .dominance import ChosenBy, frontier_of, mark_dominated
from .errors import FormatError, ModelError, NoCandidateError, did_you_mean
from .files import read_json, sha256_of
from .frontier import Frontier
from .frontier_file import FRONTIER_FILE, find_frontier
from .records import Candidate, FrontierRecord, Reference
from .storage.disk import put_in_place

if TYPE_CHECKING:
    from .engine import AnyEngine, Progress
    from .story import Chart

__all__ = ["AnyExploration", "Exploration", "load"]

C = TypeVar("C", bound=Candidate)
R = TypeVar("R", bound=FrontierRecord)


def load(folder: str | os.PathLike[str]) -> Exploration[FrontierRecord, Candidate]:
    """Return what `explore` returned, from the folder that it was saved in.

    Parameters
    ----------
    folder : path
        A folder with a frontier.json of any installed engine.

    Returns
    -------
    Exploration
        The frontier, ready to choose from and to publish.

    """
    from .engine import engine_named

    content = read_json(find_frontier(folder))
    name = content.get("engine") if isinstance(content, dict) else None
    found: Exploration[FrontierRecord, Candidate] = engine_named(str(name)).load(Path(folder))
    return found


class Exploration(Generic[R, C]):
    """A frontier of candidates, ready to choose from and to publish.

    Parameters
    ----------
    record : FrontierRecord
        The content of frontier.json.

    """

    Record: ClassVar[type[FrontierRecord]] = FrontierRecord
    ways: ClassVar[tuple[str, ...]] = ("knee", "max-risk:R", "min-utility:U")
    """How a candidate is chosen without its id."""
    unread: Sequence[Mapping[str, str]] = ()
    """The records that could not be read and were left out, by id, with the reason."""

    def __init__(self, record: R) -> None:
        self.record = record
        self.frontier = self._frontier(record)

    @staticmethod
    def _frontier(record: FrontierRecord) -> Frontier[C]:
        return frontier_of(c for c in cast("Sequence[C]", record.candidates) if not c.dominated)

    @classmethod
    def mark_dominated(cls, candidates: Sequence[C]) -> tuple[tuple[C, ...], float]:
        """Return the candidates by rising risk with `dominated` set, and the area under their frontier.

        An engine whose utilities are estimates may leave out differences that are within noise.

        Parameters
        ----------
        candidates : sequence of Candidate
            All candidates, in any order.

        """
        return mark_dominated(candidates)

    # --- choosing -----------------------------------------------------------------------------

    @property
    def candidates(self) -> tuple[C, ...]:
        """All candidates by rising risk, those that another one dominates included."""
        return self.record.candidates  # type: ignore[return-value]

    @property
    def references(self) -> tuple[Reference, ...]:
        return self.record.references

    def __iter__(self) -> Iterator[C]:
        """Yield the candidates on the frontier, by rising risk."""
        return iter(self.frontier)

    def __len__(self) -> int:
        return len(self.frontier)

    def area(self) -> float:
        """Return the area under the frontier; smaller is better."""
        return self.frontier.area()

    def candidate(self, candidate_id: str) -> C:
        """Return a candidate by its id.

        Parameters
        ----------
        candidate_id : str
            The id, as `lines`, the report and frontier.json show it.

        """
        for candidate in self.candidates:
            if candidate.id == candidate_id:
                return candidate
        raise NoCandidateError(
            f"There is no candidate {candidate_id!r} on this frontier.",
            hint=did_you_mean(candidate_id, [*(c.id for c in self.candidates), *self.ways]),
        )

    def choose(self, *, max_risk: float | None = None, min_utility: float | None = None) -> C:
        """Return the most useful candidate within a risk, or the safest with at least a utility.

        Parameters
        ----------
        max_risk : float, optional
            The largest risk allowed.
        min_utility : float, optional
            The smallest utility allowed.

        """
        return self.frontier.choose(max_risk=max_risk, min_utility=min_utility)

    def knee(self) -> C:
        """Return the candidate farthest above the straight line between the two ends."""
        return self.knee_of(self.record, self.frontier)

    @classmethod
    def knee_of(cls, record: FrontierRecord, frontier: Frontier[C]) -> C:  # noqa: ARG003
        """Return the knee of a frontier, as `knee` and reports do.

        Parameters
        ----------
        record : FrontierRecord
            The content of frontier.json.
        frontier : Frontier
            Its candidates that no other one dominates.

        """
        return frontier.knee()

    @classmethod
    def suggest(cls, record: FrontierRecord) -> tuple[C, ChosenBy] | None:
        """Return the candidate that a report is about where nobody has chosen one, and how it is chosen.

        Parameters
        ----------
        record : FrontierRecord
            The content of frontier.json.

        """
        frontier: Frontier[C] = cls._frontier(record)
        return (cls.knee_of(record, frontier), "knee") if len(frontier) else None

    def dominating(self, reference: Reference | str | tuple[float, float]) -> C | None:
        """Return the safest candidate that is better than a reference, if there is one.

        Parameters
        ----------
        reference : Reference, str or (float, float)
            A reference of this frontier, its name, or a point (risk, utility).

        """
        if isinstance(reference, str):
            known = {r.name: r for r in self.references}
            if reference not in known:
                raise NoCandidateError(
                    f"The frontier has no reference {reference!r}.",
                    hint=did_you_mean(reference, known),
                )
            reference = known[reference]
        if isinstance(reference, Reference):
            reference = (reference.risk.value, reference.utility.value)
        return self.frontier.dominating(reference)

    # --- publishing ---------------------------------------------------------------------------

    @property
    def engine(self) -> AnyEngine:
        """The engine that made this."""
        from .engine import engine_named

        return engine_named(self.record.engine)

    def publish(
        self,
        candidate: C | str,
        data: object,
        *,
        out: str | os.PathLike[str] | None = None,
        force: bool = False,
        progress: Progress | None = None,
        **options: object,
    ) -> Any:
        """Publish data by a candidate.

        Parameters
        ----------
        candidate : Candidate or str
            A candidate of this exploration, or its id.
        data : path, frame or other input of the engine
            What is published.
        out : path, optional
            Where the release goes; without it the published data is returned where the engine can.
        force : bool, default=False
            Whether an existing release may be replaced.
        progress : callable, optional
            Called with the steps done since the last call, the total where it is known, and a note.
        **options
            The engine's options of publishing, as `sf.<engine>.publish` takes them.

        Returns
        -------
        Release, or the published data where `out` is None.

        """
        from .engine import no_progress
        from .request import parameters

        engine = self.engine
        own = candidate if isinstance(candidate, str) else candidate.id
        name = next(n for n, p in parameters(engine.PublishRequest).items() if p.role == "data")
        owner = f"{engine.name}.publish"
        request = engine.PublishRequest.build({**options, name: data}, owner=owner)
        target = None if out is None else Path(out)
        made = engine.publish(
            self, self.candidate(own), request, out=target, force=force,
            progress=progress or no_progress,
        )  # fmt: skip
        return made.result()

    # --- saving -------------------------------------------------------------------------------

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write frontier.json, and what publishing needs, into a folder; a missing one is made.

        The record keeps a hash of each file and folder that is next to it, and `load` refuses what
        is not the same any more: a promise holds only for the payload it was measured with.

        Parameters
        ----------
        folder : path
            Where the files go.

        Returns
        -------
        Path
            The frontier.json that was written.

        """
        folder = Path(folder)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".payload-", dir=folder) as name:
            payload = Path(name)
            self.save_payload(payload)
            bound = {p.name: sha256_of(p) for p in sorted(payload.iterdir())}
            for entry in bound:
                put_in_place(payload / entry, folder / entry)
        mark = self.record.current_mark()
        self.record = self.record.model_copy(update={"files": bound, "mark": mark})
        return self.record.save(folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read back what `save` wrote; a damaged or foreign folder is refused.

        Parameters
        ----------
        folder : path
            The folder.

        """
        folder = Path(folder)
        record = cls.Record.read(folder)
        marked, _ = cls.mark_dominated(cast("Sequence[C]", record.candidates))
        order = [(c.id, c.dominated) for c in record.candidates]
        if [(c.id, c.dominated) for c in marked] != order:
            raise FormatError(
                f"The candidates of {FRONTIER_FILE} are not in order.", hint="explore again."
            )
        for name, digest in record.files.items():
            if not (folder / name).exists() or sha256_of(folder / name) != digest:
                raise ModelError(
                    f"{name!r} next to {FRONTIER_FILE} is not the file that explore wrote.",
                    hint="explore again, or copy the whole folder again from where it was made.",
                )
        return cls.load_payload(folder, record)

    def save_payload(self, folder: Path) -> None:
        """Write what publishing needs into its own folder; the base writes nothing.

        `save` moves it next to frontier.json, which keeps its hashes.

        Parameters
        ----------
        folder : Path
            An empty folder.

        """

    @classmethod
    def load_payload(cls, folder: Path, record: FrontierRecord) -> Self:  # noqa: ARG003
        """Return the exploration, from its record and what `save_payload` wrote.

        Parameters
        ----------
        folder : Path
            The folder of frontier.json, with the payload next to it.
        record : FrontierRecord
            The content of frontier.json.

        """
        return cls(record)  # type: ignore[arg-type]

    # --- looking ------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """Return what the command line prints: one line per candidate on the frontier."""
        width = max((len(c.id) for c in self), default=2)
        rows = [f"{c.id:>{width}}  {c.risk.value:9.4g}  {c.utility.value:8.4f}" for c in self]
        return [f"{'id':>{width}}  {'risk':>9}  {'utility':>8}", *rows]

    def to_rows(self) -> list[dict[str, object]]:
        """Return one flat row per candidate: numbers, names and flags, no nested values."""
        rows = []
        for candidate in self.candidates:
            flat = candidate.to_json()
            row: dict[str, object] = {
                k: v for k, v in flat.items() if isinstance(v, bool | int | float | str)
            }
            for axis in ("risk", "utility"):
                ends = flat[f"{axis}_interval"] or (None, None)
                row |= {f"{axis}_low": ends[0], f"{axis}_high": ends[1]}
            rows.append(row)
        return rows

    def to_frame(self) -> Any:
        """Return the candidates as a frame: pandas where it is installed, else polars, else Arrow."""
        return display.frame_of(self.to_rows())

    def plot(self, candidate: C | str | None = None, *, log: bool = False) -> Chart:
        """Draw risk against utility, as a report does.

        Parameters
        ----------
        candidate : Candidate or str, optional
            The candidate to mark, or its id; the one that a report suggests by default.
        log : bool, default=False
            Whether the risk axis is logarithmic.

        Returns
        -------
        Chart
            A notebook draws it; `save` writes an SVG, a PNG or the Vega-Lite spec, `spec` is the spec.

        """
        from .engine import Part

        chosen_by: ChosenBy = "steward"
        if candidate is None:
            candidate, chosen_by = self.suggest(self.record) or (self.knee(), "knee")
        own = self.candidate(candidate if isinstance(candidate, str) else candidate.id)
        part = Part(
            self.record.engine, self.record.engine, self.record, chosen=own, chosen_by=chosen_by
        )
        plot: Callable[..., Chart] = import_module("sfumato.presentation.plotting").plot
        return plot(part, self.engine.story(part).charts, log=log)

    def __repr__(self) -> str:
        return display.show_exploration(self)

    def _repr_html_(self) -> str:
        return display.show_exploration_html(self)


AnyExploration: TypeAlias = Exploration[Any, Any]
"""The exploration of an engine that is known by its name only."""
