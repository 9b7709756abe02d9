"""What the text engine's further commands do: start, convert, formats, audit, study."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.engine import Call
from ...core.errors import InputError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from .verb_requests import (
        AuditRequest,
        ConvertRequest,
        FormatsRequest,
        StartRequest,
        TextStudyRequest,
    )

__all__ = ["audit", "convert", "list_formats", "start", "study"]


def start(request: StartRequest, call: Call) -> Mapping[str, JsonValue]:
    """Make a labelling project."""
    from ...core.publication import unread_error
    from ...core.storage.quarantine import read_unread
    from .labelling.first_proposals import FirstProposals
    from .labelling.project import LabellingAims, start_project
    from .reading.label_kinds import is_several
    from .request import ReadOptions

    assert call.out is not None
    record = start_project(
        request.documents,
        call.out,
        labels=request.labels,
        first=FirstProposals(
            rules=request.rules,
            findings=request.findings,
            model=request.model,
            background=request.background,
            generated=request.generated,
            starter=not request.no_starter,
        ),
        aims=LabellingAims(
            ratio=request.ratio,
            wanted=request.target_risk,
            wanted_by_label=request.target_risks,
            seed=request.seed,
            encoder=request.encoder,
        ),
        reading=ReadOptions(**{name: getattr(request, name) for name in ReadOptions.model_fields}),
    )
    documents = sum(source.documents for source in record.sources)
    call.say(f"{documents:,} documents, {record.words:,} words")
    for source, count in record.proposals.items():
        call.say(f"{count:,} proposals by {source}")
    call.say(", ".join(f"{label} {n:,}" for label, n in record.proposals_by_label.items()))
    if silent := [label for label, count in record.proposals_by_label.items() if not count]:
        call.say(
            f"warning: nothing is proposed for {', '.join(silent)}: no rule and no model knows "
            f"{'it' if len(silent) == 1 else 'them'} here. Hint: --rules FILE holds rules of your own."
        )
    if joined := [label for label in record.proposals_by_label if is_several(label)]:
        call.say(
            f"warning: {joined[0]!r} is one label. Hint: several are given with commas, --label "
            f"{','.join(joined[0].replace(';', ' ').split())}."
        )
    if record.starter is not None and not record.starter.speaks:
        call.say(
            f"The starter is silent: it knows {int(100 * record.starter.known_words)}% of the words, so their "
            "language is probably another."
        )
    call.say("These are proposals: there is no estimate of risk until somebody has looked.")
    call.say(f"Open the page that asks: sfumato serve {call.out}")
    if unread := read_unread(call.out):
        call.end_with(unread_error(len(unread), call.out))
    return record.to_json()


def convert(request: ConvertRequest, call: Call) -> Mapping[str, JsonValue]:
    """Write labels in another tool's format."""
    from ...data.documents import write_documents
    from .labelling import is_project

    assert call.out is not None
    source = Path(request.source)
    if is_project(source):
        from .labelling.session import Session

        session = Session(source, background=False, read=False)
        try:
            words = session.pool.data.counted
            documents = session.sheet.looked_at(session.known_spans(), session.answers.known, words)
        finally:
            session.close()
    else:
        documents = list(request.open(source))
    count = write_documents(documents, like=request.to, out=call.out, force=call.force)
    spans = sum(len(document.spans) for document in documents)
    call.say(f"{count:,} documents, {spans:,} spans")
    partly = sum(d.fields.get("looked_at", "all") != "all" for d in documents)
    if partly:
        call.say(
            f"{partly:,} of them nobody has read to the end: their field looked_at says so (in Prodigy they are "
            "ignored); words without a span are not harmless there."
        )
    return {"documents": count, "spans": spans, "not_read_whole": partly}


def list_formats(_request: FormatsRequest, call: Call) -> Mapping[str, JsonValue]:
    """List the formats of documents."""
    from ...data.formats.registry import FORMATS
    from .format_options import FORMAT

    found: dict[str, JsonValue] = {}
    for name, kind in FORMATS.items():
        options = [argument.form for argument in FORMAT.arguments.get(name, ())]
        suffixes = kind.suffixes
        found[name] = {"suffixes": list(suffixes), "options": list(options)}
        call.say(f"{name:<12} {' '.join(suffixes) or '(by name only)':<22} {','.join(options)}")
    call.say(
        "For example: --format conll:token=1,tag=none; auto:… for the format that the suffix says."
    )
    return found


def audit(request: AuditRequest, call: Call) -> Mapping[str, JsonValue]:
    """Draw what a person reads of a release, or count what was found in it."""
    from .attack.audit import audit_documents, audit_words, check_numbers
    from .attack.released import classifiers_of

    number = check_numbers(request.documents, request.words)
    if "documents" in number:
        result, lines = audit_documents(
            request.release, number["documents"], seed=request.seed, force=call.force
        )
    else:
        if request.frontier is None:
            raise InputError(
                "The words that an attacker reads first are ranked by the classifiers.",
                hint="name the folder that explore wrote by --frontier.",
            )
        classifiers = classifiers_of(request.frontier, request.release)
        result, lines = audit_words(
            request.release, number["words"], classifiers, seed=request.seed, force=call.force
        )
    for line in lines:
        call.say(line)
    return {} if result is None else result.to_json()


def study(request: TextStudyRequest, call: Call) -> Mapping[str, JsonValue]:
    """Reproduce the papers' figures."""
    from ...core.studies import STUDIES

    return STUDIES["text"](request, call)
