"""Documents: redact what is sensitive until what is left cannot be found."""

# Generated from the requests by `make stubs`; a test compares.

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from pydantic import JsonValue

from sfumato.core.engine import Progress
from sfumato.data.inputs import DocumentsInput, WordsInput
from sfumato.engines.text.attack_records import TextAttack
from sfumato.engines.text.exploration import TextExploration
from sfumato.engines.text.records import TextCandidate, TextRelease
from sfumato.engines.text.request import LearnerInput

__all__ = [
    "attack",
    "audit",
    "convert",
    "explore",
    "formats",
    "load",
    "publish",
    "start",
    "study",
]

def explore(
    corpus: DocumentsInput,
    *,
    labels: Sequence[str] | str,
    text_column: str = "text",
    id_column: str = "id",
    format: str | Mapping[str, object] | None = None,
    findings: str | os.PathLike[str] | Mapping[str, object] | None = None,
    background: Sequence[DocumentsInput] | DocumentsInput = ...,
    unlabelled: Sequence[DocumentsInput] | DocumentsInput = ...,
    rules: str | os.PathLike[str] | None = None,
    ratios: Sequence[float] | float = ...,
    folds: int = 4,
    learner: Literal["crf", "svm", "adaboost", "ensemble", "selection"] | LearnerInput = "crf",
    mode: Literal["honest", "paper"] = "honest",
    weights: Mapping[str, float] = ...,
    deny: WordsInput | None = None,
    allow: WordsInput | None = None,
    word_lists: Mapping[str, WordsInput] = ...,
    context_fdr: float | None = None,
    attackers: Sequence[Literal["crf", "svm", "adaboost", "ensemble", "starter", "encoder", "all", "none"] | LearnerInput] | Literal["crf", "svm", "adaboost", "ensemble", "starter", "encoder", "all", "none"] | LearnerInput = ...,
    budgets: Sequence[int] | int = ...,
    encoder: str | os.PathLike[str] | Mapping[str, object] = "none",
    threads: int | None = None,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> TextExploration:
    """Find the frontier of candidate releases, risk against utility.

    Parameters
    ----------
    corpus : path, frame, Corpus or list of Document
        Labelled documents (JSONL, brat, CoNLL, CSV, …), or a project with answers.
    labels : list of str
        Labels that are sensitive; all for every label of the corpus.
    text_column : str, default='text'
        Field that holds the text.
    id_column : str, default='id'
        Field that holds the id; empty: numbered.
    format : str or dict of str to object, optional
        Format, if not inferred from the name, and how it is read (`sfumato text formats`). One
        of fhir, jsonl, csv, tsv, parquet, conll, brat, prodigy, doccano, labelstudio, i2b2,
        docx, xlsx, sheet, pptx, html, xml, odt, rtf, pdf, eml, mbox, hl7, plain, mixed.
    findings : path or dict of str to object, optional
        Another tool's findings (JSONL), or the folder of a detector; redacted before anything
        else.
    background : list of path, frame, Corpus or list of Document, default=[]
        Other labelled corpora of any origin, or starter, the built-in model.
    unlabelled : list of path, frame, Corpus or list of Document, default=[]
        Your own texts without labels.
    rules : path, optional
        Rules file, or built-in: firm matches are redacted first, others are a feature.
    ratios : list of float, default=[1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
        Loss ratios L/C: how many words withheld one leak is worth.
    folds : int, default=4
        Folds by document.
    learner : {'crf', 'svm', 'adaboost', 'ensemble', 'selection'} or Learner or classifier, default='crf'
        Learner of the classifiers.
    mode : {'honest', 'paper'}, default='honest'
        Evaluate on unseen documents, or as in the paper.
    weights : dict of str to float, default={}
        Factors of L per label, for example NAME=2.
    deny : path or list of str, optional
        File of words and phrases that are always redacted, one per line.
    allow : path or list of str, optional
        File of words and phrases that are never redacted, one per line.
    word_lists : dict of str to path or list of str, default={}
        Files of words that share a meaning, one per line; each is a feature.
    context_fdr : float, optional
        Also redact words that reveal a removed name; false discovery rate, e.g. 0.05.
    attackers : list of str or Learner or classifier, default=['crf']
        Who attacks each candidate. One of crf, svm, adaboost, ensemble, starter, encoder, all,
        none.
    budgets : list of int, default=[10, 100, 1000]
        Numbers of words that an attacker inspects.
    encoder : path or dict of str to object, default='none'
        Pretrained encoder that takes part; TUNING is head, two (default) or all of its layers.
    threads : int, optional
        Threads (default: all cores).
    seed : int, default=0
        Seed of all randomness.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    TextExploration
        The frontier: choose a candidate, publish it, or save all for later.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.data.samples import clinic_notes
    >>> found = sf.text.explore(clinic_notes(40), labels="NAME", ratios=10, attackers="none")
    >>> [candidate.id for candidate in found]
    ['r10']
    """

@overload
def publish(
    exploration: TextExploration | str | os.PathLike[str],
    data: DocumentsInput,
    *,
    choose: str | TextCandidate | None = None,
    text_column: str = "text",
    id_column: str = "id",
    format: str | Mapping[str, object] | None = None,
    findings: str | os.PathLike[str] | Mapping[str, object] | None = None,
    replacement: str | Mapping[str, object] = "placeholder",
    key: str | os.PathLike[str] | None = None,
    person: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    keep: Sequence[str] | str = ...,
    accept_shift: bool = False,
    accept_scans: bool = False,
    ignore_marks: bool = False,
    keep_ids: bool = False,
    compute: str | Mapping[str, object] | None = None,
    strict: bool = False,
    out: str | os.PathLike[str],
    force: bool = False,
    progress: Progress | bool | None = None,
) -> TextRelease:
    """Publish data by a candidate, and measure what was written.

    Parameters
    ----------
    exploration : TextExploration or path
        What `explore` returned, or the folder it was saved in.
    data : path, frame, Corpus or list of Document
        Documents to publish, or a project with its answers.
    choose : str or TextCandidate, optional
        A candidate, its id, or how it is chosen, such as 'knee' or 'max-risk:0.01'.
    text_column : str, default='text'
        Field that holds the text.
    id_column : str, default='id'
        Field that holds the id; empty: numbered.
    format : str or dict of str to object, optional
        Format, if not inferred from the name, and how it is read (`sfumato text formats`). One
        of fhir, jsonl, csv, tsv, parquet, conll, brat, prodigy, doccano, labelstudio, i2b2,
        docx, xlsx, sheet, pptx, html, xml, odt, rtf, pdf, eml, mbox, hl7, plain, mixed.
    findings : path or dict of str to object, optional
        Another tool's findings (JSONL), or the folder of a detector; redacted before anything
        else.
    replacement : {'placeholder', 'mask', 'surrogate:scope=document|corpus,dates=learned|day-first|month-first'} or dict of str to object, default='placeholder'
        How redacted text is replaced.
    key : path, optional
        File (mode 600) with the secret key of surrogates (default: SFUMATO_KEY).
    person : str, optional
        Whose documents share surrogates and one shift of dates: a field, folder, or a file-name
        pattern such as {person}_*.txt.
    rules : path, optional
        Rules file, or built-in, where explore had none: firm matches are redacted first.
    keep : list of str, default=[]
        Other fields to publish unchanged; all others are dropped.
    accept_shift : bool, default=False
        Publish although the documents differ from the training documents; recorded in
        release.json.
    accept_scans : bool, default=False
        Publish scanned pages, read by OCR, although nobody has seen them; recorded in
        release.json.
    ignore_marks : bool, default=False
        Treat marked spans of the input as unmarked, to measure what was learned.
    keep_ids : bool, default=False
        Keep the ids and the order of documents; by default both are new.
    compute : {'local', 'spark'} or dict of str to object, optional
        Engine that does the work.
    strict : bool, default=False
        Stop at the first document that fails.
    out : path, optional
        Where the release goes; without it the published data is returned.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    TextRelease
        The record of the release; without `out` the published data.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.data.samples import clinic_notes
    >>> found = sf.text.explore(clinic_notes(40), labels="NAME", ratios=10, attackers="none")
    >>> published = sf.text.publish(found, clinic_notes(3, seed=1), choose="ratio:10")
    >>> len(published), "[NAME]" in published[0].text
    (3, True)
    """
@overload
def publish(
    exploration: TextExploration | str | os.PathLike[str],
    data: DocumentsInput,
    *,
    choose: str | TextCandidate | None = None,
    text_column: str = "text",
    id_column: str = "id",
    format: str | Mapping[str, object] | None = None,
    findings: str | os.PathLike[str] | Mapping[str, object] | None = None,
    replacement: str | Mapping[str, object] = "placeholder",
    key: str | os.PathLike[str] | None = None,
    person: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    keep: Sequence[str] | str = ...,
    accept_shift: bool = False,
    accept_scans: bool = False,
    ignore_marks: bool = False,
    keep_ids: bool = False,
    compute: str | Mapping[str, object] | None = None,
    strict: bool = False,
    out: None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> Any:
    ...

def attack(
    directory: str | os.PathLike[str],
    published: str | os.PathLike[str],
    *,
    labels: DocumentsInput,
    background: Sequence[DocumentsInput] | DocumentsInput = ...,
    training: DocumentsInput | None = None,
    earlier: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] = ...,
    attackers: Sequence[Literal["crf", "svm", "adaboost", "ensemble", "starter", "encoder", "all", "none"] | LearnerInput] | Literal["crf", "svm", "adaboost", "ensemble", "starter", "encoder", "all", "none"] | LearnerInput = ...,
    budgets: Sequence[int] | int = ...,
    encoder: str | os.PathLike[str] | None = None,
    folds: int = 4,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> TextAttack:
    """Attack a release, and report what the adversary finds.

    Parameters
    ----------
    directory : path
        Folder that explore wrote.
    published : path
        What publish wrote.
    labels : path, frame, Corpus or list of Document
        The originals, with their labels.
    background : list of path, frame, Corpus or list of Document, default=[]
        Labelled corpora that an outsider brings.
    training : path, frame, Corpus or list of Document, optional
        The corpus that explore learned from: adds attacker A.
    earlier : list of path, default=[]
        Earlier releases of some of the same documents or people.
    attackers : list of str or Learner or classifier, default=['all']
        Who attacks. One of crf, svm, adaboost, ensemble, starter, encoder, all, none.
    budgets : list of int, default=[10, 100, 1000]
        Numbers of words to inspect.
    encoder : path, optional
        Encoder of attackers who have one (default: the installed one, if any).
    folds : int, default=4
        Folds by document inside the release.
    seed : int, default=0
        Seed of all randomness.
    out : path, optional
        Where attack.json goes.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    TextAttack
        What each attacker found.
    """

def load(
    folder: str | os.PathLike[str],
) -> TextExploration:
    """Return what `explore` returned, from the folder that it was saved in.

    Parameters
    ----------
    folder : path
        What `save` or `sfumato text explore` wrote.

    Returns
    -------
    TextExploration
        The exploration, ready to choose from and to publish.
    """

def start(
    documents: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    text_column: str = "text",
    id_column: str = "id",
    format: str | Mapping[str, object] | None = None,
    labels: Sequence[str] | str = ...,
    rules: str | os.PathLike[str] | None = None,
    findings: str | os.PathLike[str] | None = None,
    model: str | os.PathLike[str] | None = None,
    background: Sequence[DocumentsInput] | DocumentsInput = ...,
    ratio: float = 10.0,
    target_risk: float | str | Mapping[str, object] = 0.01,
    encoder: str | os.PathLike[str] | None = None,
    seed: int = 0,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Start a labelling project from documents without labels: rules propose, you answer.

    Parameters
    ----------
    documents : path
        Documents without labels.
    out : path
        Where the result goes.
    text_column : str, default='text'
        Field that holds the text.
    id_column : str, default='id'
        Field that holds the id; empty: numbered.
    format : str or dict of str to object, optional
        Format, if not inferred from the name, and how it is read (`sfumato text formats`). One
        of fhir, jsonl, csv, tsv, parquet, conll, brat, prodigy, doccano, labelstudio, i2b2,
        docx, xlsx, sheet, pptx, html, xml, odt, rtf, pdf, eml, mbox, hl7, plain, mixed.
    labels : list of str, default=[]
        What is sensitive, at most nine labels (default: the common kinds).
    rules : path, optional
        Rules file; the built-in rules by default.
    findings : path, optional
        Another tool's findings (JSONL), or the folder of a detector.
    model : path, optional
        Frontier folder of other documents: what its classifiers find is proposed.
    background : list of path, frame, Corpus or list of Document, default=[]
        Labelled corpora of any origin to learn a first model from, or generated notes.
    ratio : float, default=10.0
        L/C: how many words withheld one leak is worth.
    target_risk : float, str or dict of str to object, default=0.01
        Stop when at most this share of sensitive words is left.
    encoder : path, optional
        Encoder that also learns from the answers (default: the installed one, if any).
    seed : int, default=0
        Seed of all randomness.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    dict
        What the command prints with --json.
    """

def convert(
    source: str | os.PathLike[str],
    *,
    to: Literal["fhir", "jsonl", "csv", "tsv", "parquet", "conll", "brat", "prodigy", "doccano", "labelstudio", "i2b2", "docx", "xlsx", "sheet", "pptx", "html", "xml", "odt", "rtf", "pdf", "eml", "mbox", "hl7", "plain", "mixed"],
    out: str | os.PathLike[str],
    text_column: str = "text",
    id_column: str = "id",
    format: str | Mapping[str, object] | None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Write the labels of a corpus, or the answers of a project, in another tool's format.

    Parameters
    ----------
    source : path
        Labelled documents, or a project: then the answers are its labels.
    to : str
        Format to write. One of fhir, jsonl, csv, tsv, parquet, conll, brat, prodigy, doccano,
        labelstudio, i2b2, docx, xlsx, sheet, pptx, html, xml, odt, rtf, pdf, eml, mbox, hl7,
        plain, mixed.
    out : path
        Where the result goes.
    text_column : str, default='text'
        Field that holds the text.
    id_column : str, default='id'
        Field that holds the id; empty: numbered.
    format : str or dict of str to object, optional
        Format, if not inferred from the name, and how it is read (`sfumato text formats`). One
        of fhir, jsonl, csv, tsv, parquet, conll, brat, prodigy, doccano, labelstudio, i2b2,
        docx, xlsx, sheet, pptx, html, xml, odt, rtf, pdf, eml, mbox, hl7, plain, mixed.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    dict
        What the command prints with --json.
    """

def formats(
    *,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """List the formats of documents: their names, suffixes and reading options.

    Parameters
    ----------
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    dict
        What the command prints with --json.
    """

def audit(
    release: str | os.PathLike[str],
    *,
    documents: int | None = None,
    words: int | None = None,
    frontier: str | os.PathLike[str] | None = None,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Count what is left in a release: a person reads a random part of it.

    Parameters
    ----------
    release : path
        What publish wrote.
    documents : int, optional
        How many documents a person reads.
    words : int, optional
        How many words a person reads, beginning with those an attacker would read first.
    frontier : path, optional
        Folder that explore wrote; --words needs it.
    seed : int, default=0
        Seed of the draw.
    out : path, optional
        Where the result goes.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    dict
        What the command prints with --json.
    """

def study(
    corpora: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    labels: Sequence[str] | str = ...,
    ratios: Sequence[float] | float = ...,
    folds: int = 4,
    publishers: Sequence[str] | str = ...,
    budgets: Sequence[int] | int = ...,
    threads: int | None = None,
    seed: int = 0,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Reproduce the papers' figures on labelled corpora; if interrupted, a study resumes.

    Parameters
    ----------
    corpora : list of path
        Labelled corpora.
    out : path
        Where the result goes.
    labels : list of str, default=['NAME']
        Labels that are sensitive.
    ratios : list of float, default=[1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
        Loss ratios L/C.
    folds : int, default=4
        Folds by document.
    publishers : list of str, default=[]
        Some of the publishers (default: all).
    budgets : list of int, default=[10, 20, 50, 100, 200, 500, 1000, 2000]
        Numbers of words to inspect.
    threads : int, optional
        Threads (default: all cores).
    seed : int, default=0
        Seed of all randomness.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    dict
        What the command prints with --json.
    """
