"""Every parameter of the text engine's verbs, once: types, defaults, choices and one line of help each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Self, TypeAlias, TypeVar

from pydantic import Field, field_validator

from ...compute import compute_option, engine_parameter, threads_parameter
from ...core.arguments import Argument, Compound, Flagged, Named
from ...core.choice import Choice, Choosing
from ...core.errors import NoCandidateError
from ...core.input_types import InputType
from ...core.request import Request, parameter
from ...data.inputs import DocumentsInput, Estimator
from .attack.registry import ATTACKERS, ENCODER
from .learners.encoder_choices import DEFAULT_ENCODER, NO_ENCODER, TUNINGS
from .learners.registry import LEARNERS
from .read_options import ReadOptions, WithFindings
from .reading.given_words import File, GivenWords, held_words
from .redaction.registry import ARGUMENTS, REPLACEMENTS
from .sanitize.modes import MODES

if TYPE_CHECKING:
    from ...core.exploration import Exploration
    from ...core.records import Candidate, FrontierRecord
    from .learners.protocol import Learner

    LearnerInput: TypeAlias = Learner | Estimator
else:
    LearnerInput = Annotated[object, InputType("LearnerInput", "Learner or classifier", __name__)]

__all__ = [
    "BUDGETS",
    "EVERY_LABEL",
    "RATIOS",
    "LearnerInput",
    "ReadOptions",
    "TextAttackRequest",
    "TextChoice",
    "TextPublishRequest",
    "TextRequest",
]

RATIOS = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
BUDGETS = [10, 100, 1000]
_EVERYONE, _NOBODY = "all", "none"
EVERY_LABEL = "all"

Ratio = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Inspected = Annotated[int, Field(ge=1)]
Words = Annotated["File | GivenWords", InputType("WordsInput", "path or list of str")]
C = TypeVar("C", bound="Candidate")
R = TypeVar("R", bound="FrontierRecord")


def _attackers(value: object) -> object:
    """Take None for all attackers and an empty list for none, as Python code says it."""
    if value is None:
        return [_EVERYONE]
    return (list(value) or [_NOBODY]) if isinstance(value, Iterable) else value


def attacker_names() -> list[str]:
    """Return what `attackers` may hold."""
    return [*ATTACKERS, ENCODER, _EVERYONE, _NOBODY]


def as_encoder(value: object) -> object:
    """Hold a folder as a path, so that records show its name only."""
    if isinstance(value, str) and value not in (NO_ENCODER, DEFAULT_ENCODER):
        return Path(value)
    return value


def _check_encoder(attackers: Sequence[object], encoder: object) -> None:
    """Refuse an attacker who was asked for by name and has no encoder; `all` means those who can attack."""
    if encoder == NO_ENCODER and any(isinstance(one, str) and one == ENCODER for one in attackers):
        raise ValueError(
            f"attackers: {ENCODER!r} needs an encoder; give one as encoder={DEFAULT_ENCODER}, or leave it out"
        )


_ENCODER = Named(
    "encoder",
    {DEFAULT_ENCODER: [Argument("encoder_tuning", metavar="TUNING")]},
    metavar="none|default[:TUNING]|FOLDER",
)
_ENGINE = "Engine that does the work."
_COMPUTE = compute_option(_ENGINE)


class TextRequest(WithFindings):
    """What `explore` takes."""

    compounds: ClassVar[Mapping[str, Compound]] = {
        "encoder": _ENCODER,
        "background": Flagged("background", "starter", "starter"),
    }
    corpus: DocumentsInput = parameter(
        help="Labelled documents (JSONL, brat, CoNLL, CSV, …), or a project with answers.",
        role="data",
        metavar="CORPUS",
    )
    labels: list[str] = parameter(
        help="Labels that are sensitive; all for every label of the corpus.", flag="--label",
        aliases=["label"], min_length=1,
    )  # fmt: skip
    background: list[DocumentsInput] = parameter(
        [], help="Other labelled corpora of any origin, or starter, the built-in model.", role="file",
        metavar="FILE|starter",
    )  # fmt: skip
    starter: bool = parameter(
        False, help="Let the starter take part, adapted to the documents without their labels.",
        within="background",
    )  # fmt: skip
    detector: File | None = parameter(
        None, help="Folder of a detector of your own: it competes, and is stored with the frontier.",
        role="file", metavar="FOLDER", within="findings", warns=False,
    )  # fmt: skip
    unlabelled: list[DocumentsInput] = parameter(
        [], help="Your own texts without labels.", role="file"
    )
    rules: File | None = parameter(
        None, help="Rules file, or built-in: firm matches are redacted first, others are a feature.",
        role="file", metavar="FILE|built-in",
    )  # fmt: skip
    ratios: list[Ratio] = parameter(
        RATIOS, help="Loss ratios L/C: how many words withheld one leak is worth.", min_length=1
    )
    folds: int = parameter(4, help="Folds by document.", ge=2)
    learner: str | LearnerInput = parameter(
        "crf", help="Learner of the classifiers.", choices=lambda: LEARNERS
    )
    mode: str = parameter(
        "honest",
        help="Evaluate on unseen documents, or as in the paper.",
        choices=lambda: MODES,
    )
    weights: dict[str, Ratio] = parameter(
        {}, help="Factors of L per label, for example NAME=2.", metavar="LABEL=FACTOR"
    )
    deny: Words | None = parameter(
        None, help="File of words and phrases that are always redacted, one per line.", role="file"
    )
    allow: Words | None = parameter(
        None, help="File of words and phrases that are never redacted, one per line.", role="file"
    )
    word_lists: dict[str, Words] = parameter(
        {}, help="Files of words that share a meaning, one per line; each is a feature.",
        role="file", metavar="NAME=FILE",
    )  # fmt: skip
    context_fdr: float | None = parameter(
        None,
        help="Also redact words that reveal a removed name; false discovery rate, e.g. 0.05.",
        gt=0,
        lt=1,
        former=["context"],
        record_as="context",
    )
    attackers: list[str | LearnerInput] = parameter(
        ["crf"], help="Who attacks each candidate.", choices=attacker_names, min_length=1
    )
    budgets: list[Inspected] = parameter(
        BUDGETS, help="Numbers of words that an attacker inspects.", flag="--budget", aliases=["budget"],
        min_length=1,
    )  # fmt: skip
    encoder: File = parameter(
        NO_ENCODER,
        help="Pretrained encoder that takes part; TUNING is head, two (default) or all of its layers.",
        metavar="none|default|FOLDER",
    )
    encoder_tuning: str = parameter(
        "two",
        help="What is tuned: its head, its upper two layers, or all.",
        choices=lambda: TUNINGS,
        within="encoder",
        warns=False,  # the only way for a folder, which takes no argument
    )
    threads: int | None = parameter(
        None, help="Threads (default: all cores).", ge=1, in_plan=False, recorded=False
    )
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)

    _held_encoder = field_validator("encoder", mode="before")(as_encoder)
    _held_words = field_validator("deny", "allow", mode="before")(held_words)
    _said = field_validator("attackers", mode="before")(_attackers)

    @field_validator("word_lists", mode="before")
    @classmethod
    def _held_lists(cls, value: Mapping[str, object] | None) -> object:
        return {k: held_words(v) for k, v in dict(value).items()} if value else {}

    @field_validator("weights", mode="before")
    @classmethod
    def _no_weights(cls, value: object) -> object:
        return value or {}

    @field_validator("labels")
    @classmethod
    def _different(cls, value: list[str]) -> list[str]:
        if len(set(value)) != len(value):
            raise ValueError("the labels must be different")
        return value

    def with_absolute_paths(self, folder: Path) -> Self:
        """Return the same request with its files relative to a folder made absolute."""
        found = super().with_absolute_paths(folder)
        if isinstance(found.encoder, Path):
            return found.model_copy(update={"encoder": folder / found.encoder})
        return found

    def model_post_init(self, _context: object) -> None:
        """Refuse a weight for an unknown label, and an attacker with an encoder where there is none."""
        _check_encoder(self.attackers, self.encoder)
        for name in self.weights:
            if name not in self.labels and self.labels != [EVERY_LABEL]:
                raise ValueError(
                    f"weights: there is a weight for {name!r}, which is not one of the labels"
                )


class TextPublishRequest(WithFindings):
    """What `publish` takes."""

    compounds: ClassVar[Mapping[str, Compound]] = {
        "replacement": Named("replacement", ARGUMENTS),
        "compute": _COMPUTE,
    }
    documents: DocumentsInput = parameter(
        help="Documents to publish, or a project with its answers.", role="data", metavar="INPUT"
    )
    replacement: str = parameter(
        "placeholder", help="How redacted text is replaced.", flag="--replace",
        aliases=["replace"], choices=lambda: REPLACEMENTS, on_page=True,
    )  # fmt: skip
    key: File | None = parameter(
        None, help="File (mode 600) with the secret key of surrogates (default: SFUMATO_KEY).", role="file",
        on_page=True,
    )  # fmt: skip
    scope: str = parameter(
        "document", help="Where surrogates are consistent.",
        choices=lambda: ("document", "corpus"), within="replacement",
    )  # fmt: skip
    person: str | None = parameter(
        None, help="Whose documents share surrogates and one shift of dates: a field, folder, or a file-name "
        "pattern such as {person}_*.txt.", metavar="FIELD|folder|PATTERN", on_page=True,
    )  # fmt: skip
    rules: File | None = parameter(
        None, help="Rules file, or built-in, where explore had none: firm matches are redacted first.",
        role="file", metavar="FILE|built-in",
    )  # fmt: skip
    keep: list[str] = parameter(
        [], help="Other fields to publish unchanged; all others are dropped."
    )
    drop: list[str] = parameter(
        [], help="Other fields to drop, as all are that are not kept by name.", within="keep"
    )
    dates: str = parameter(
        "learned", help="How surrogates read dates such as 03/04/2020.",
        choices=lambda: ("learned", "day-first", "month-first"), within="replacement",
    )  # fmt: skip
    accept_shift: bool = parameter(
        False,
        help="Publish although the documents differ from the training documents; recorded in release.json.",
    )
    accept_scans: bool = parameter(
        False,
        help="Publish scanned pages, read by OCR, although nobody has seen them; recorded in release.json.",
    )
    ignore_marks: bool = parameter(
        False,
        help="Treat marked spans of the input as unmarked, to measure what was learned.",
    )
    keep_ids: bool = parameter(
        False,
        help="Keep the ids and the order of documents; by default both are new.",
        on_page=True,
    )
    new_ids: bool = parameter(
        False,
        help="Give documents new ids and a new order, as is done unless ids are kept.",
        within="keep_ids",
    )
    engine: str = engine_parameter(_ENGINE, in_plan=False)
    threads: int | None = threads_parameter("Threads (default: all cores).", in_plan=False)
    strict: bool = parameter(False, help="Stop at the first document that fails.")


class TextAttackRequest(Request):
    """What `attack` takes."""

    directory: File = parameter(help="Folder that explore wrote.", role="data", metavar="DIR")
    published: File = parameter(help="What publish wrote.", role="data", metavar="PUBLISHED")
    labels: DocumentsInput = parameter(help="The originals, with their labels.", role="file")
    background: list[DocumentsInput] = parameter(
        [], help="Labelled corpora that an outsider brings.", role="file"
    )
    training: DocumentsInput | None = parameter(
        None, help="The corpus that explore learned from: adds attacker A.", role="file"
    )
    earlier: list[File] = parameter(
        [],
        help="Earlier releases of some of the same documents or people.",
        role="file",
        flag="--with",
        metavar="RELEASE",
    )
    attackers: list[str | LearnerInput] = parameter(
        [_EVERYONE], help="Who attacks.", choices=attacker_names, min_length=1
    )
    budgets: list[Inspected] = parameter(
        BUDGETS, help="Numbers of words to inspect.", flag="--budget", aliases=["budget"],
        min_length=1,
    )  # fmt: skip
    encoder: File | None = parameter(
        None,
        help="Encoder of attackers who have one (default: the installed one, if any).",
        metavar="none|default|FOLDER",
    )
    folds: int = parameter(4, help="Folds by document inside the release.", ge=2)
    seed: int = parameter(0, help="Seed of all randomness.", ge=0)

    def model_post_init(self, _context: object) -> None:
        """Refuse an attacker with an encoder where there is none."""
        _check_encoder(self.attackers, self.encoder)

    _held_encoder = field_validator("encoder", mode="before")(as_encoder)
    _said = field_validator("attackers", mode="before")(_attackers)


class TextChoice(Choice):
    """The ways of choosing a candidate of the text engine: also by its loss ratio, or by what attackers find."""

    compounds: ClassVar[Mapping[str, Compound]] = {
        "id": Choosing(limits=["max_found"], ratio="ratio:RATIO", max_found="max-found:COUNT")
    }
    ratio: float | None = parameter(
        None, help="The candidate of this loss ratio.", gt=0, within="id", warns=False
    )
    max_found: float | None = parameter(
        None,
        help="Choose the most useful candidate in which the strongest attacker that was run finds at most this many "
        "sensitive words among the first 100 that it inspects.",
        ge=0, le=100, within="id", warns=False,
    )  # fmt: skip

    def _own_ways(self) -> tuple[str, ...]:
        return ("ratio",)

    def of(self, exploration: Exploration[R, C]) -> C:
        """Return the chosen candidate of an exploration."""
        if self.ratio is None:
            return super().of(exploration)
        from .records import BEST_FORM

        for candidate in exploration.candidates:
            mine = getattr(candidate, "ratio", None) == self.ratio
            if mine and getattr(candidate, "way", BEST_FORM) == BEST_FORM:
                return candidate
        raise NoCandidateError(
            f"No candidate has the loss ratio {self.ratio:g}.",
            hint=f"explored were: {', '.join(_ratios(exploration))}.",
        )


def _ratios(exploration: Exploration[R, C]) -> list[str]:
    known = {getattr(candidate, "ratio", None) for candidate in exploration.candidates}
    return [f"{ratio:g}" for ratio in sorted(r for r in known if r is not None)]
