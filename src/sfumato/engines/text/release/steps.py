"""Publish documents with a candidate: into a folder, or as a list."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pydantic import JsonValue

from ....core.engine import Progress, no_progress
from ....core.errors import InputError, ParameterError
from ....core.files import canonical_json
from ....core.randomness import Streams
from ....core.release import refuse_different
from ....core.statistics.resampling import exact_interval
from ....core.storage.placed_bands import PlacedBands
from ....data.document import Document, Edited
from ....data.documents import Corpus
from ....data.findings import with_findings
from ....data.formats.columns import FrameFormat
from ..attack_records import RangedShare
from ..exploration import TextExploration
from ..payload import Learned
from ..records import TextCandidate
from ..redaction.counts import RedactionCounts
from ..redaction.person import PersonRule
from ..redaction.registry import REPLACEMENTS
from ..redaction.sanitiser import Ranges, Sanitiser, batches
from ..redaction.surrogates import DateReading, Surrogates
from ..redaction.surrogates.dates import MONTH_FIRST
from ..request import TextPublishRequest
from ..sanitize.classifiers import ClassifierSet
from ..shift import LARGEST_SAMPLE
from .measure import (
    check_sample,
    expected_documents,
    expected_risk,
    measure_release,
    shift_sentence,
)
from .options import AnsweredRequest, Measures
from .sample import CorpusSample, Sampler, sample_corpus
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
    answered: AnsweredRequest | None = None,
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
    answered : AnsweredRequest, optional
        The project that is published, where it is one: the request then holds its documents and marks.

    """
    corpus = request.open(request.documents)
    is_reviewed = answered is not None and answered.is_reviewed
    corpus.format.reads_scans = request.accept_scans or is_reviewed
    _check_options(exploration, corpus, request)
    if answered is None and exploration.record.answers is not None:
        _refuse_without_project(exploration.learned, corpus)
    classifiers = _with_rules(exploration.classifiers[candidate.id], request, corpus)
    seed = exploration.record.seed
    bands = PlacedBands.beside(corpus.paths)
    promise = _Promise(exploration, candidate, classifiers, request, bands)
    sampler = Sampler(most=LARGEST_SAMPLE, random=Streams(seed).generator("sample of the release"))
    # What is redacted may depend on the sample, by how its dates are read; else one reading will do.
    seen: CorpusSample | None = None
    needs_sample = request.dates == "learned" and not REPLACEMENTS.get_or_raise(request.replacement).by_label_alone  # fmt: skip
    if out is None or needs_sample:
        seen = sample_corpus(corpus, sampler)
        promise.check(seen)
    reading = _reading(request, exploration.learned, seen)
    cleared = None if answered is None else answered.cleared
    sanitiser = _sanitiser(
        classifiers, request, reading, corpus, bands, cleared, strict=request.strict or out is None
    )
    if out is None:
        return _publish_in_memory(sanitiser, corpus, request)
    if isinstance(request.findings, Mapping):
        raise InputError("Findings must be a file when a folder is published into.")
    if seen is not None:
        progress(0, total=seen.documents)
    return write_release(
        corpus,
        out,
        sanitiser=sanitiser,
        candidate=candidate,
        made_from=_made_from(classifiers, sanitiser, candidate, request),
        **_written_with(request, answered),
        seed=seed,
        frontier=exploration.record.current_mark(),
        force=force,
        measure=promise.measure,
        sampler=sampler if seen is None else None,
        check=promise.check,
        progress=progress,
    )


class _Promise:
    """What was promised of a release, and whether it holds for these documents.

    Parameters
    ----------
    exploration : TextExploration
        What was learned from, and how the candidate did on held-out documents.
    candidate : TextCandidate
        The candidate that is published.
    classifiers : ClassifierSet
        What redacts.
    request : TextPublishRequest
        Says whether a shift is accepted.
    bands : PlacedBands, optional
        The places of a table's bands in the documents.

    """

    def __init__(
        self,
        exploration: TextExploration,
        candidate: TextCandidate,
        classifiers: ClassifierSet,
        request: TextPublishRequest,
        bands: PlacedBands | None = None,
    ) -> None:
        self._bands = bands
        self._learned, self._seed = exploration.learned, exploration.record.seed
        self._candidate, self._classifiers, self._request = candidate, classifiers, request
        self._held_out = self._learned.held_out.get(candidate.id)
        self._starter = exploration.record.starter

    def check(self, seen: CorpusSample) -> None:
        """Refuse documents that are not like those learned from, unless that is accepted."""
        texts = [document.text for document in seen.sample]
        if self._bands is not None:  # compared as they were written, not as a table published them
            texts = [self._bands.without(text) for text in texts]
        self._shift, self._expected = check_sample(
            self._learned, self._classifiers, texts, seed=self._seed
        )
        self._risk = self._candidate.risk
        self._sentence = _UNJUDGED if self._starter is None else self._starter.sentence
        if self._held_out is not None:
            self._batch = self._held_out.batch(seen.documents, self._seed)
            self._risk = expected_risk(self._risk, self._held_out, self._batch)
            self._sentence = shift_sentence(self._shift, self._expected, self._risk)
        refuse_different(self._shift, self._sentence, accepted=self._request.accept_shift)

    def measure(self, counts: RedactionCounts) -> Measures:
        """Return what the record of the release says, from the counts of what was read back."""
        if self._held_out is None:
            measures: Measures = {"risk": self._risk, "sentences": (self._sentence,)}
            measures["left_by_label"] = _left_by_label(self._candidate)
            if self._candidate.documents_with_leak is not None:
                measures["documents_with_leak"] = self._candidate.documents_with_leak
            return measures if self._starter is None else {**measures, "starter": self._starter}
        about = measure_release(
            self._held_out, self._learned.labels, counts, self._shift, self._expected, self._batch
        )
        leaking = expected_documents(self._held_out, self._batch)
        return {
            "risk": self._risk, "measured": about, "documents_with_leak": leaking,
            "sentences": (self._sentence,), "left_by_label": _left_by_label(self._candidate),
        }  # fmt: skip


def _left_by_label(candidate: TextCandidate) -> dict[str, RangedShare]:
    """Return the share left of each label with its range; labels that nobody met are left out."""
    found = {}
    for label, own in candidate.by_label.items():
        if own.range is not None:
            found[label] = own.range
        elif own.sensitive:
            around, value = exact_interval(own.leaked, own.sensitive), own.leaked / own.sensitive
            found[label] = RangedShare(
                value=value, low=min(around.low, value), high=max(around.high, value)
            )
    return found


def _made_from(
    classifiers: ClassifierSet,
    sanitiser: Sanitiser,
    candidate: TextCandidate,
    request: TextPublishRequest,
) -> dict[str, JsonValue]:
    """Return what the output depends on apart from its inputs."""
    return {
        "model": _hash(classifiers),
        "key": sanitiser.replacer.mark,
        "candidate": candidate.id,
        "accept_shift": request.accept_shift,
        "accept_scans": request.accept_scans,
        "person": request.person,
        "ignore_marks": request.ignore_marks,
        "cleared": {name: [list(pair) for pair in own] for name, own in sanitiser.cleared.items()},
        "bands": None if sanitiser.bands is None else sanitiser.bands.mark(),
    }


def _written_with(
    request: TextPublishRequest, answered: AnsweredRequest | None
) -> dict[str, object]:
    """Return the options of writing that are parameters of the request."""
    named = (
        "replacement", "findings", "min_score", "findings_labels", "keep", "keep_ids", "engine",
        "threads", "accept_shift", "accept_scans",
    )  # fmt: skip
    record = request.to_record() if answered is None else answered.record
    return {"request": record, **{name: getattr(request, name) for name in named}}


def _sanitiser(
    classifiers: ClassifierSet, request: TextPublishRequest, reading: DateReading,
    corpus: Corpus, bands: PlacedBands | None, cleared: Mapping[str, Ranges] | None, *, strict: bool,
) -> Sanitiser:  # fmt: skip
    """Return what redacts and replaces, as the request says."""
    by_file = corpus.format.unit == "folder"
    person = None if request.person is None else PersonRule(request.person, by_file=by_file)
    replacer = REPLACEMENTS.get_or_raise(request.replacement).for_release(
        key=request.key, scope="person" if person else request.scope, reading=reading
    )
    if (
        person is not None
        and person.field == corpus.format.person_field
        and isinstance(replacer, Surrogates)
    ):
        corpus.format.shift_by(replacer.days)
    return Sanitiser(
        classifiers,
        replacer=replacer,
        person=person,
        cleared=cleared,
        findings=request.findings is not None,
        marks=not request.ignore_marks,
        strict=strict,
        bands=bands,
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
    _check_reader(exploration.record.reader, corpus.format.reader)
    names = corpus.format.names
    for name in (*request.keep, *request.drop):
        if name in (names.text, names.id, names.spans):
            what = {names.text: "text", names.id: "id", names.spans: "spans"}[name]
            raise ParameterError(
                f"The field {name!r} is the {what} of the documents; it is not one of the other fields.",
                hint="--keep-ids (keep_ids=True) keeps the ids; else they are replaced."
                if name == names.id
                else None,
            )
        if name in request.keep and name in request.drop:
            raise ParameterError(f"The field {name!r} is to be kept and to be dropped.")
    if request.person is not None:
        if REPLACEMENTS.get_or_raise(request.replacement).by_label_alone:
            raise ParameterError(
                "Only surrogates distinguish persons.",
                hint="give --replace surrogate as well.",
            )
        if request.scope == "corpus":
            raise ParameterError(
                "Surrogates are shared by person or by the whole corpus, not by both."
            )
    if request.new_ids and request.keep_ids:
        raise ParameterError("New ids are asked for, and to keep the old ones.")


def _refuse_without_project(learned: Learned, corpus: Corpus) -> None:
    """Refuse the documents of a project without the project: its answers would be missing."""
    known = sum(
        isinstance(record, Document) and learned.knows(record.text) for record in corpus.tolerant()
    )
    if known:
        raise InputError(
            f"{known:,} of the documents are those of the project that this frontier was made from; "
            "what was answered about them would be missing.",
            hint="publish the folder of the project instead of its documents.",
        )


def _check_reader(learned: str | None, now: str) -> None:
    """Refuse documents that another version of the same reader reads: what was learned may not fit them."""
    if (
        learned is not None
        and learned.split(" ")[0] == now.split(" ", maxsplit=1)[0]
        and learned != now
    ):
        raise InputError(
            f"The frontier was explored on documents that were read by {learned!r}; they are read by "
            f"{now!r} now.",
            hint="explore them again, or publish with the version of then.",
        )


def _reading(
    request: TextPublishRequest, learned: Learned, seen: CorpusSample | None
) -> DateReading:
    """Return how dates are read: as the steward says, as these documents show, as was learned."""
    if request.dates != "learned":
        return DateReading((), default=True) if request.dates == "day-first" else MONTH_FIRST
    texts = [] if seen is None else [document.text for document in seen.sample]
    shown = DateReading.learned(texts, default=learned.reading.default)
    known = dict(learned.reading.by_separator) | dict(shown.by_separator)
    return DateReading(tuple(sorted(known.items())), shown.default)


def _publish_in_memory(sanitiser: Sanitiser, corpus: Corpus, request: TextPublishRequest) -> object:
    """Return the published documents, under their own ids: a frame for a frame, else a list."""
    documents: Iterable[Document] = corpus
    if request.findings is not None:
        keep = sanitiser.candidate.labels
        documents = with_findings(
            documents, request.findings, keep=keep, min_score=request.min_score,
            labels=request.findings_labels,
        )  # fmt: skip
    form, edited = corpus.format, list[Edited]()
    for batch in batches(documents):
        done = sanitiser(batch)
        for document, edits in zip(done.documents, done.edits, strict=True):
            fields = form.publish_fields(document, request.keep)
            edited.append(Edited(document, edits, document.id, fields))
    if isinstance(form, FrameFormat):
        return form.frame_of(edited)
    return [Document(e.id, e.text, (), e.fields, part=e.document.part) for e in edited]


def _with_rules(
    classifiers: ClassifierSet, request: TextPublishRequest, corpus: Corpus
) -> ClassifierSet:
    """Return the classifiers with the rules that the request names."""
    if request.rules is None:
        return classifiers
    if classifiers.rules is not None:
        raise InputError(
            "The exploration has its own rules, which are applied anyway.",
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
