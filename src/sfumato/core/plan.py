"""A plan: one TOML file that defines what is read, and how it is explored, chosen, published and attacked.

A section of a plan is named after an engine and is that engine's own requests: the parameters of explore
and of publish, `choose` for the candidate, and `publish` for the data to publish where it is not the data
that was explored (a file, or the name of another section whose output is published). Paths are relative
to the plan's folder. All mistakes are reported together, each with the path of its key.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .choice import Choice
from .command_lines import warn_of_former
from .engine import ENGINES, AnyEngine
from .errors import PlanError, SfumatoError, did_you_mean
from .request import Parameter, Request, fields_of, parameters
from .toml_files import mistakes_in, read_toml

__all__ = ["Plan", "Section", "data_parameter"]

_NEAR = 0.85  # similarity from which an unknown key is taken for a misspelt one
_OWN_KEYS = ("choose", "publish")


def data_parameter(model: type[Request]) -> str:
    """Return the name of the one parameter that is the data itself."""
    return next(name for name, p in parameters(model).items() if p.role == "data")


def _keys(model: type[Request]) -> dict[str, Parameter]:
    """Return the keys that a plan may give a request: what people see, and fields of former spellings."""
    return {k: p for k, p in (fields_of(model) | parameters(model)).items() if p.in_plan}


class _Head(BaseModel):
    """What a plan says outside its sections."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = "Release"
    seed: int = Field(default=0, ge=0, le=2**63 - 1)
    out: str = "release"
    pdf: bool = False
    regime: str | None = Field(default=None, alias="for")
    language: str = "en"
    sign: str | None = None


@dataclass(frozen=True)
class Section:
    """One engine's part of a plan, with all paths resolved."""

    engine: AnyEngine
    request: Request
    publishing: dict[str, object]
    choice: Choice
    publish: Path | None
    published_from: str | None

    def publish_request(self, data: object) -> Request:
        """Return the request of publishing the given data."""
        model: type[Request] = self.engine.PublishRequest
        values = {**self.publishing, data_parameter(model): data}
        return model.build(values, owner=f"[{self.engine.name}]")

    def input_files(self) -> list[tuple[str, Path]]:
        """Return (key, path) of every file that the section reads."""
        name = self.engine.name
        files = [(f"{name}.{key}", path) for key, path in self.request.input_files()]
        if self.publish is not None:
            files.append((f"{name}.publish", self.publish))
        probe = self.publish_request(self.publish or "-")
        known = {path for _, path in files}
        files += [
            (f"{name}.{k}", p) for k, p in probe.input_files() if p not in known and str(p) != "-"
        ]
        return files


@dataclass(frozen=True)
class Plan:
    """Everything that one run does; the same plan gives the same bytes."""

    title: str
    seed: int
    out: str
    pdf: bool
    sections: dict[str, Section]
    content: dict[str, object]
    regime: str | None = None
    language: str = "en"
    sign: Path | None = None
    """The key that release and report are signed with."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Read and check a plan; every file that it names must exist."""
        path = Path(path)
        return cls.of(read_toml(path), folder=path.absolute().parent, source=path.name)

    @classmethod
    def of(cls, content: Mapping[str, object], *, folder: Path, source: str = "plan") -> Plan:
        """Check the content of a plan.

        Parameters
        ----------
        content : mapping
            The parsed TOML.
        folder : Path
            What paths are relative to.
        source : str
            The plan's file name, for messages.

        """
        mistakes: list[str] = []
        parts = {k: v for k, v in content.items() if k in ENGINES}
        head = _Head()
        try:
            head = _Head.model_validate({k: v for k, v in content.items() if k not in ENGINES})
        except ValidationError as error:
            mistakes += mistakes_in(
                error, known=[*(f.alias or n for n, f in _Head.model_fields.items()), *ENGINES]
            )
        mistakes += _regime_mistakes(head.regime, folder)
        if not parts:
            mistakes.append(f"a plan needs at least one of [{'], ['.join(ENGINES)}]")
        sections: dict[str, Section] = {}
        for name in sorted(parts, key=lambda n: (ENGINES[n].order, n)):
            read = _SectionReader(ENGINES[name], parts[name], head.seed, folder, set(parts))
            section = read.section()
            mistakes += read.mistakes
            if section is not None:
                source_part = section.published_from
                if source_part is not None and source_part not in sections and not mistakes:
                    mistakes.append(f"{name}.publish: [{source_part}] comes after [{name}]")
                sections[name] = section
        if not mistakes:
            mistakes = [
                f"{key}: there is no file {file.name!r} in the folder of the plan"
                for section in sections.values()
                for key, file in section.input_files()
                if not file.exists()
            ]
        if mistakes:
            mistakes = list(
                dict.fromkeys(mistakes)
            )  # what exploring and publishing both read is told once
            many = "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
            raise PlanError(f"The file {source!r} holds {many}:", mistakes=mistakes)
        return cls(
            head.title,
            head.seed,
            head.out,
            head.pdf,
            sections,
            dict(content),
            _regime_of(head.regime, folder),
            head.language,
            None if head.sign is None else folder / head.sign,
        )

    def input_files(self) -> list[tuple[str, Path]]:
        """Return (key, path) of all files that the plan reads."""
        return [entry for section in self.sections.values() for entry in section.input_files()]


def _regime_of(name: str | None, folder: Path) -> str | None:
    """Return what `for` names; a file is relative to the plan's folder."""
    return str(folder / name) if name is not None and name.endswith(".toml") else name


def _regime_mistakes(name: str | None, folder: Path) -> list[str]:
    from .regimes import find_regime

    try:
        if name is not None:
            find_regime(_regime_of(name, folder) or "")
    except SfumatoError as error:
        return [f"for: {error}"]
    return []


class _SectionReader:
    """Reads one section and collects its mistakes."""

    def __init__(
        self, engine: AnyEngine, content: object, seed: int, folder: Path, parts: set[str]
    ) -> None:
        self.engine, self.seed = engine, seed
        self.content = content if isinstance(content, Mapping) else None
        self.folder, self.parts = folder, parts
        self.mistakes: list[str] = []

    def section(self) -> Section | None:
        engine, name = self.engine, self.engine.name
        if self.content is None:
            self.mistakes.append(f"{name}: a section is a table")
            return None
        exploring = _keys(engine.Request)
        publishing = {k: p for k, p in _keys(engine.PublishRequest).items() if p.role != "data"}
        known = {
            **{other: k for k, p in exploring.items() for other in (*p.aliases, *p.former)},
            **{other: k for k, p in publishing.items() for other in (*p.aliases, *p.former)},
            **{k: k for k in [*exploring, *publishing, *_OWN_KEYS]},
        }
        for key in self.content:
            if key not in known:
                shown = [
                    *parameters(engine.Request),
                    *parameters(engine.PublishRequest),
                    *_OWN_KEYS,
                ]
                near = get_close_matches(key, known, n=1, cutoff=_NEAR)
                hint = (
                    f"did you mean {near[0]!r}?"
                    if near
                    else did_you_mean(key, dict.fromkeys(shown))
                )
                self.mistakes.append(f"{name}.{key}: unknown key; {hint}")
        given = {k: v for k, v in self.content.items() if k in known and k not in _OWN_KEYS}
        self._warn(given)
        given = self._expanded(given)
        if "seed" in exploring:
            given.setdefault("seed", self.seed)
        publish = self.content.get("publish")
        values = {k: v for k, v in given.items() if known[k] in exploring}
        options = {k: v for k, v in given.items() if known[k] in publishing}
        chained = publish if publish in self.parts and publish != name else None
        if chained is not None:
            values, options = engine.for_chained_input(values, options)
        request = self._made(engine.Request, values)
        probe = self._made(
            engine.PublishRequest, {data_parameter(engine.PublishRequest): "-", **options}
        )
        choice = self._choice()
        if publish is not None and not isinstance(publish, str):
            self.mistakes.append(f"{name}.publish: a file or the name of another section")
        elif publish in ENGINES and publish not in self.parts:
            self.mistakes.append(f'{name}.publish: "{publish}" needs a [{publish}] section')
        if self.mistakes or request is None or probe is None or choice is None:
            return None
        resolved = probe.with_absolute_paths(self.folder).public()
        resolved.pop(data_parameter(engine.PublishRequest))
        file = None if publish is None or chained is not None else self.folder / str(publish)
        return Section(
            engine, request.with_absolute_paths(self.folder), resolved, choice, file, chained
        )

    def _warn(self, given: Mapping[str, object]) -> None:
        """Warn once of each key of an earlier version."""
        seen: set[str] = set()
        for model in (self.engine.Request, self.engine.PublishRequest):
            mine = {k: v for k, v in given.items() if k not in seen}
            warn_of_former(
                model,
                mine,
                spell=lambda key: f"{self.engine.name}.{key}",
                assign=lambda about, text: f'{self.engine.name}.{about.name} = "{text}"',
            )
            seen.update(_keys(model))

    def _expanded(self, given: dict[str, object]) -> dict[str, object]:
        """Return the section with each key that fills several fields replaced by those fields."""
        for model in (self.engine.Request, self.engine.PublishRequest):
            try:
                given = model.expand(given)
            except ValueError as error:
                self.mistakes.append(f"{self.engine.name}: {error}")
        return given

    def _choice(self) -> Choice | None:
        if self.content is None or "choose" not in self.content:
            self.mistakes.append(
                f"{self.engine.name}.choose: say which candidate is published, for example "
                '{ max_risk = 0.01 } or "knee"'
            )
            return None
        choose = self.content["choose"]
        given = {"id": choose} if isinstance(choose, str) else choose
        found = self._made(self.engine.Choice, given, under="choose")
        assert found is None or isinstance(found, Choice)
        return found

    def _made(self, model: type[Request], values: object, *, under: str = "") -> Request | None:
        where = f"{self.engine.name}.{under}" if under else self.engine.name
        try:
            return model.model_validate(values)
        except ValidationError as error:
            within = [name for name, about in fields_of(model).items() if about.within]
            known = [*parameters(model), *within]
            self.mistakes += mistakes_in(error, known=known, under=where)
            return None
