"""Publish documents with a candidate: into a folder, or as a list."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pydantic import JsonValue

from ....core.engine import Progress, no_progress
from ....core.errors import InputError, ParameterError, did_you_mean
from ....core.files import canonical_json
from ....core.randomness import Streams
from ....core.release import refuse_different
from ....data.document import Document
from ....data.documents import Corpus, documents_frame, read_documents
from ....data.findings import with_findings
from ..exploration import TextExploration
from ..payload import Learned
from ..records import TextCandidate
from ..redaction.registry import REPLACEMENTS
from ..redaction.sanitiser import Sanitiser, batches
from ..redaction.surrogates import DateReading
from ..redaction.surrogates.dates import MONTH_FIRST
from ..request import TextPublishRequest
from ..sanitize.classifiers import ClassifierSet
from ..shift import LARGEST_SAMPLE
from ..sources import layout_of, opened
from .measure import check_sample, measured, promised, promised_documents, shift_sentence
from .parts import without_fields
from .sample import Look, look_at
from .writing import Measures
from .writing import publish as write_release

__all__ = ["publish"]

_UNJUDGED = (
    "No document of this kind was labelled from end to end: what is left was not measured on whole "
    "documents; audit the release."
)


def publish(
    exploration: TextExploration,
    candidate: TextCandidate,
    request: TextPublishRequest,
    *,
    out: Path | None,
    force: bool = False,
    progress: Progress = no_progress,
) -> object:
    """Publish into the folder `out`; without one, return a frame for a frame and a list of documents else.

    Without a folder, documents that fail are not left out silently: the first of them raises. Documents
    that are not like those learned from are refused unless the request accepts the shift.

    Parameters
    ----------
    exploration : TextExploration
        Whose classifiers redact.
    candidate : TextCandidate
        The candidate to publish.
    request : TextPublishRequest
        What is published, and how.
    out : Path or None
        The folder of the release.
    force : bool, default False
        Whether an existing release may be replaced.
    progress : callable
        Called with the documents that are done.

    """
    corpus = opened(request.documents, request)
    _check_options(exploration, corpus, request)
    classifiers = _with_rules(exploration.classifiers[candidate.id], request, corpus)
    learned, seed = exploration.learned, exploration.record.seed
    random = Streams(seed).generator("sample of the release")
    look = look_at(corpus, most=LARGEST_SAMPLE, random=random)
    _check_fields(look, corpus, request)
    check, expected = check_sample(learned, classifiers, [d.text for d in look.sample], seed=seed)
    held_out = learned.held_out.get(candidate.id)
    risk = candidate.risk
    if held_out is not None:
        batch = held_out.batch(look.documents, seed)
        risk = promised(risk, held_out, batch)
    sentence = shift_sentence(check, expected, risk) if held_out is not None else _UNJUDGED
    refuse_different(check, sentence, accepted=request.accept_shift)
    reading = _reading(request, learned, look)
    sanitiser = _sanitiser(classifiers, request, reading, strict=request.strict or out is None)
    if out is None:
        return _returned(sanitiser, corpus, request)
    if isinstance(request.findings, Mapping):
        raise InputError("Findings must be a file when a folder is published into.")
    progress(0, total=look.documents)

    def measure(counts: Mapping[str, int | Mapping[str, int]]) -> Measures:
        if held_out is None:
            return {"risk": risk, "sentences": (sentence,)}
        about = measured(held_out, learned.labels, counts, check, expected, batch)
        leaking = promised_documents(held_out, batch)
        return {
            "risk": risk, "measured": about, "documents_with_leak": leaking, "sentences": (sentence,)
        }  # fmt: skip

    return write_release(
        corpus,
        out,
        sanitiser=sanitiser,
        candidate=candidate,
        made_from=_made_from(classifiers, sanitiser, candidate, request),
        **_written_with(request),
        seed=seed,
        frontier=exploration.record.current_mark(),
        force=force,
        measure=measure,
        progress=progress,
    )


def _made_from(
    classifiers: ClassifierSet,
    sanitiser: Sanitiser,
    candidate: TextCandidate,
    request: TextPublishRequest,
) -> dict[str, JsonValue]:
    """Return what the output depends on beside its inputs."""
    return {
        "model": _hash(classifiers),
        "key": sanitiser.replacer.mark,
        "candidate": candidate.id,
        "accept_shift": request.accept_shift,
        "ignore_marks": request.ignore_marks,
    }


def _written_with(request: TextPublishRequest) -> dict[str, object]:
    """Return the options of writing that are parameters of the request."""
    named = (
        "replacement", "findings", "min_score", "findings_labels", "drop", "new_ids", "engine",
        "threads", "accept_shift",
    )  # fmt: skip
    return {"request": request.to_record(), **{name: getattr(request, name) for name in named}}


def _sanitiser(
    classifiers: ClassifierSet, request: TextPublishRequest, reading: DateReading, *, strict: bool
) -> Sanitiser:
    """Return what redacts and replaces, as the request says."""
    return Sanitiser(
        classifiers,
        replacer=REPLACEMENTS.get_or_raise(request.replacement).for_release(
            key=request.key, scope=request.scope, reading=reading
        ),
        findings=request.findings is not None,
        marks=not request.ignore_marks,
        strict=strict,
    )


def _check_options(
    exploration: TextExploration, corpus: Corpus, request: TextPublishRequest
) -> None:
    """Refuse a call that would publish something else than what was promised."""
    if exploration.record.findings and request.findings is None:
        raise ParameterError(
            "The frontier was explored with another tool's findings, and none are given now.",
            hint="give the findings of these documents by --findings (findings=).",
        )
    layout = layout_of(corpus)
    for name in request.drop:
        if name == layout.text:
            raise ParameterError(f"The field {name!r} is the text; it cannot be dropped.")
        if name == layout.id:
            raise ParameterError(
                f"The field {name!r} is the id of the documents; it cannot be dropped.",
                hint="--new-ids (new_ids=True) replaces the ids by random ones.",
            )


def _check_fields(look: Look, corpus: Corpus, request: TextPublishRequest) -> None:
    """Refuse to drop what no document has: a slip would publish the field that was meant."""
    known = look.fields | {layout_of(corpus).spans}
    for name in request.drop:
        if name not in known:
            raise ParameterError(
                f"No document has the field {name!r} that is to be dropped.",
                hint=did_you_mean(name, sorted(look.fields)) if look.fields else None,
            )


def _reading(request: TextPublishRequest, learned: Learned, look: Look) -> DateReading:
    """Return how dates are read: as the steward says, as these documents show, as was learned."""
    if request.dates != "learned":
        return DateReading((), default=True) if request.dates == "day-first" else MONTH_FIRST
    shown = DateReading.learned([d.text for d in look.sample], default=learned.reading.default)
    known = dict(learned.reading.by_separator) | dict(shown.by_separator)
    return DateReading(tuple(sorted(known.items())), shown.default)


def _returned(sanitiser: Sanitiser, corpus: Corpus, request: TextPublishRequest) -> object:
    """Return the published documents: a frame for a frame, else a list."""
    published = _listed(sanitiser, corpus, request)
    if getattr(corpus.format, "native", None) is not None:
        return documents_frame(published, like=corpus)
    return published


def _listed(sanitiser: Sanitiser, corpus: Corpus, request: TextPublishRequest) -> list[Document]:
    documents: Iterable[Document] = read_documents(corpus)
    if request.findings is not None:
        keep = sanitiser.candidate.labels
        documents = with_findings(
            documents, request.findings, keep=keep, min_score=request.min_score,
            labels=request.findings_labels,
        )  # fmt: skip
    published = []
    for batch in batches(documents):
        texts = sanitiser(batch).texts
        for document, text in zip(batch, texts, strict=True):
            extra = without_fields(document.extra, request.drop, corpus.format.name)
            published.append(Document(document.id, text, (), extra))
    return published


def _with_rules(
    classifiers: ClassifierSet, request: TextPublishRequest, corpus: Corpus
) -> ClassifierSet:
    """Return the classifiers with the rules that the request names."""
    if request.rules is None:
        return classifiers
    if classifiers.rules is not None:
        raise InputError(
            "The exploration has rules of its own, which are applied anyway.",
            hint="leave the option out, or explore again with other rules.",
        )
    from ..rules.chosen import ChosenRules

    texts = (document.text for document in islice(iter(corpus), 200))
    rules = ChosenRules.read(
        request.rules, labels=classifiers.labels, texts=texts, is_feature=False
    )
    return replace(classifiers, rules=rules)


def _hash(classifiers: ClassifierSet) -> str:
    header, arrays = classifiers.to_arrays()
    digest = hashlib.sha256(canonical_json(header).encode())
    for name in sorted(arrays):
        digest.update(f"{name}\0{arrays[name].dtype.str}\0{arrays[name].shape}\0".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()
