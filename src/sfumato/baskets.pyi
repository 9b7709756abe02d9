"""Sparse 0/1 rows (purchases, diagnoses, words): hide every person among k."""

# Generated from the requests by `make stubs`; a test compares.

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from pydantic import JsonValue

from sfumato.core.engine import Progress
from sfumato.data.inputs import LabelsInput, MatrixInput, NamesInput
from sfumato.engines.baskets.exploration import BasketsExploration
from sfumato.engines.baskets.records import BasketsAttack, BasketsCandidate, BasketsRelease
from sfumato.engines.baskets.request import SelectorInput

__all__ = [
    "attack",
    "audit",
    "explore",
    "hierarchy",
    "load",
    "publish",
    "study",
    "topics",
]

def explore(
    matrix: MatrixInput,
    *,
    labels: LabelsInput | None = None,
    log: str | Mapping[str, object] | None = None,
    hierarchy: str | os.PathLike[str] | None = None,
    k: Sequence[int] | int = ...,
    selector: Sequence[Literal["support", "hamdist", "distcnt", "information", "conditional", "maximal", "maximal-frequent", "exact", "best", "all"] | SelectorInput] | Literal["support", "hamdist", "distcnt", "information", "conditional", "maximal", "maximal-frequent", "exact", "best", "all"] | SelectorInput = ...,
    method: Sequence[Literal["columns", "cells", "rows", "columns+cells", "columns+rows"]] | Literal["columns", "cells", "rows", "columns+cells", "columns+rows"] = ...,
    known_items: int | None = None,
    known_absences: int | Literal["all"] = 0,
    sensitive: NamesInput | None = None,
    max_confidence: float = 1.0,
    utility: Literal["auto", "auc", "ones", "columns", "rows", "supports", "itemsets", "lift", "neighbours", "categories"] = "auto",
    max_suppressed_rows: float = 0.05,
    stop: Literal["never", "first"] = "never",
    folds: int = 5,
    absences: Sequence[int] | int = ...,
    absence_risky: NamesInput | None = None,
    seed: int = 0,
    compute: str | Mapping[str, object] | None = None,
    progress: Progress | bool | None = None,
) -> BasketsExploration:
    """Find the frontier of candidate releases, risk against utility.

    Parameters
    ----------
    matrix : path, frame, array, sparse matrix or Baskets
        Matrix: .npz, .svm (libsvm), .txt (transactions) or .csv; or a log (see --log).
    labels : path or sequence, optional
        File with one label per line, or for CSV the name of a column.
    log : str or dict of str to object, optional
        Columns of a log with one line per event: the item, the person (or the basket), and the
        quantity with the total from which an item counts as held.
    hierarchy : path, optional
        Categories of the items, as additional items: one line per item, up to the top.
    k : list of int, default=[5, 8, 11]
        k: minimum number of matching rows.
    selector : list of str or selector, default=['all']
        Selectors to try; all: every one that can run here. One of support, hamdist, distcnt,
        information, conditional, maximal, maximal-frequent, exact, best, all.
    method : list of str, default=['columns', 'cells']
        Suppression methods to try. One of columns, cells, rows, columns+cells, columns+rows.
    known_items : int, optional
        Maximum number of a person's items that are known; any number if not given.
    known_absences : int or 'all', default=0
        Maximum number of absences that are known, or all.
    sensitive : path or list of str, optional
        Items that must not be inferable from other items: a file with one name per line.
    max_confidence : float, default=1.0
        Maximum confidence (rho) of a rule of one or two items that predicts a sensitive item.
    utility : str, default='auto'
        Measure on the utility axis; auto: auc with labels, ones without. One of auto, auc,
        ones, columns, rows, supports, itemsets, lift, neighbours, categories.
    max_suppressed_rows : float, default=0.05
        Maximum share of rows suppressed in addition to columns.
    stop : {'never', 'first'}, default='never'
        At an infeasible feature: skip it and continue, or stop as in the paper.
    folds : int, default=5
        Folds of the cross-validation.
    absences : list of int, default=[1, 2]
        Numbers of known absences under which anonymity is measured.
    absence_risky : path or list of str, optional
        Features whose absence is risky: a file of names, or all.
    seed : int, default=0
        Seed of all randomness.
    compute : {'local', 'spark'} or dict of str to object, optional
        Engine that counts equal rows.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    BasketsExploration
        The frontier: choose a candidate, publish it, or save all for later.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [1, 1, 1], [1, 1, 0]]
    >>> found = sf.baskets.explore(rows, k=2, publish_as="columns")
    >>> found.knee()
    <candidate support-k2: risk 0.5, utility 0.7692>
    """

@overload
def publish(
    exploration: BasketsExploration | str | os.PathLike[str],
    data: MatrixInput,
    *,
    choose: str | BasketsCandidate | None = None,
    labels: LabelsInput | None = None,
    log: str | Mapping[str, object] | None = None,
    hierarchy: str | os.PathLike[str] | None = None,
    accept_shift: bool = False,
    keep_order: bool = False,
    max_joint_risk: float | None = None,
    compute: str | Mapping[str, object] | None = None,
    out: str | os.PathLike[str],
    force: bool = False,
    progress: Progress | bool | None = None,
) -> BasketsRelease:
    """Publish data by a candidate, and measure what was written.

    Parameters
    ----------
    exploration : BasketsExploration or path
        What `explore` returned, or the folder it was saved in.
    data : path, frame, array, sparse matrix or Baskets
        Matrix: .npz, .svm (libsvm), .txt (transactions) or .csv; or a log (see --log).
    choose : str or BasketsCandidate, optional
        A candidate, its id, or how it is chosen, such as 'knee' or 'max-risk:0.01'.
    labels : path or sequence, optional
        File with one label per line, or for CSV the name of a column.
    log : str or dict of str to object, optional
        Columns of a log with one line per event: the item, the person (or the basket), and the
        quantity with the total from which an item counts as held.
    hierarchy : path, optional
        Categories of the items, as additional items: one line per item, up to the top.
    accept_shift : bool, default=False
        Publish although the rows differ from those explored; recorded in release.json.
    keep_order : bool, default=False
        Keep the order of the rows; by default they are shuffled by a private seed.
    max_joint_risk : float, optional
        Maximum individual risk together with neighbouring earlier releases of the same people.
    compute : {'local', 'spark'} or dict of str to object, optional
        Engine that counts equal rows.
    out : path, optional
        Where the release goes; without it the published data is returned.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    BasketsRelease
        The record of the release; without `out` the published data.
    """
@overload
def publish(
    exploration: BasketsExploration | str | os.PathLike[str],
    data: MatrixInput,
    *,
    choose: str | BasketsCandidate | None = None,
    labels: LabelsInput | None = None,
    log: str | Mapping[str, object] | None = None,
    hierarchy: str | os.PathLike[str] | None = None,
    accept_shift: bool = False,
    keep_order: bool = False,
    max_joint_risk: float | None = None,
    compute: str | Mapping[str, object] | None = None,
    out: None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> Any:
    ...

def attack(
    directory: str | os.PathLike[str],
    matrix: MatrixInput | None = None,
    *,
    labels: LabelsInput | None = None,
    log: str | Mapping[str, object] | None = None,
    hierarchy: str | os.PathLike[str] | None = None,
    candidates: Sequence[str] | str = ...,
    items: Sequence[int] | int = ...,
    absences: Sequence[int] | int = ...,
    people: int = 1000,
    earlier: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] = ...,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> BasketsAttack:
    """Attack a release, and report what the adversary finds.

    Parameters
    ----------
    directory : path
        Folder that explore wrote, or a release to measure together with earlier ones.
    matrix : path, frame, array, sparse matrix or Baskets, optional
        Matrix: .npz, .svm (libsvm), .txt (transactions) or .csv; or a log (see --log). Not
        needed for releases.
    labels : path or sequence, optional
        File with one label per line, or for CSV the name of a column.
    log : str or dict of str to object, optional
        Columns of a log with one line per event: the item, the person (or the basket), and the
        quantity with the total from which an item counts as held.
    hierarchy : path, optional
        Categories of the items, as additional items: one line per item, up to the top.
    candidates : list of str, default=[]
        Candidates to attack; those on the frontier if not given.
    items : list of int, default=[1, 2, 3, 5, 10, 0]
        Numbers of known items; 0 for all of them.
    absences : list of int, default=[0]
        Numbers of known absences.
    people : int, default=1000
        Number of people to look for.
    earlier : list of path, default=[]
        Earlier releases of some of the same people; or, for a folder that explore wrote, the
        candidate by whose release people are looked for as well.
    seed : int, default=0
        Seed of the people drawn and of what is known about them.
    out : path, optional
        Where attack.json goes.
    force : bool, default=False
        Whether an earlier output of sfumato may be replaced.
    progress : callable or bool, optional
        Called with the steps done since the last call, the total where it is known, and a note;
        True shows a progress bar.

    Returns
    -------
    BasketsAttack
        What each attacker found.
    """

def load(
    folder: str | os.PathLike[str],
) -> BasketsExploration:
    """Return what `explore` returned, from the folder that it was saved in.

    Parameters
    ----------
    folder : path
        What `save` or `sfumato baskets explore` wrote.

    Returns
    -------
    BasketsExploration
        The exploration, ready to choose from and to publish.
    """

def audit(
    matrix: MatrixInput,
    *,
    labels: LabelsInput | None = None,
    log: str | Mapping[str, object] | None = None,
    hierarchy: str | os.PathLike[str] | None = None,
    absences: Sequence[int] | int = ...,
    ordered: Sequence[str] | str = ...,
    equal: Sequence[str] | str = ...,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Measure what an unchanged file reveals to someone with some knowledge.

    Parameters
    ----------
    matrix : path, frame, array, sparse matrix or Baskets
        Matrix: .npz, .svm (libsvm), .txt (transactions) or .csv; or a log (see --log).
    labels : path or sequence, optional
        File with one label per line, or for CSV the name of a column.
    log : str or dict of str to object, optional
        Columns of a log with one line per event: the item, the person (or the basket), and the
        quantity with the total from which an item counts as held.
    hierarchy : path, optional
        Categories of the items, as additional items: one line per item, up to the top.
    absences : list of int, default=[1, 2]
        Numbers of known absences under which anonymity is measured.
    ordered : list of str, default=[]
        Ordered columns of a CSV, of which someone knows a lower bound.
    equal : list of str, default=[]
        Columns of a CSV of which someone knows the exact value.
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

def hierarchy(
    matrix: MatrixInput,
    *,
    out: str | os.PathLike[str],
    labels: LabelsInput | None = None,
    log: str | Mapping[str, object] | None = None,
    hierarchy: str | os.PathLike[str] | None = None,
    size: int = 8,
    min_rows: int = 2,
    seed: int = 0,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Learn groups of items that people have together, for --hierarchy.

    Parameters
    ----------
    matrix : path, frame, array, sparse matrix or Baskets
        Matrix: .npz, .svm (libsvm), .txt (transactions) or .csv; or a log (see --log).
    out : path
        Where the result goes.
    labels : path or sequence, optional
        File with one label per line, or for CSV the name of a column.
    log : str or dict of str to object, optional
        Columns of a log with one line per event: the item, the person (or the basket), and the
        quantity with the total from which an item counts as held.
    hierarchy : path, optional
        Categories of the items, as additional items: one line per item, up to the top.
    size : int, default=8
        Maximum number of items in a group; a section holds up to its square.
    min_rows : int, default=2
        Items held by fewer rows are not grouped, because too little is known about them.
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

def topics(
    matrix: MatrixInput,
    *,
    labels: LabelsInput | None = None,
    log: str | Mapping[str, object] | None = None,
    hierarchy: str | os.PathLike[str] | None = None,
    topics: int = 10,
    seed: int = 0,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Score how widely each row's items spread over topics (rows shared by several people).

    Parameters
    ----------
    matrix : path, frame, array, sparse matrix or Baskets
        Matrix: .npz, .svm (libsvm), .txt (transactions) or .csv; or a log (see --log).
    labels : path or sequence, optional
        File with one label per line, or for CSV the name of a column.
    log : str or dict of str to object, optional
        Columns of a log with one line per event: the item, the person (or the basket), and the
        quantity with the total from which an item counts as held.
    hierarchy : path, optional
        Categories of the items, as additional items: one line per item, up to the top.
    topics : int, default=10
        Number of topics.
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

def study(
    matrix: MatrixInput,
    *,
    out: str | os.PathLike[str],
    labels: LabelsInput | None = None,
    log: str | Mapping[str, object] | None = None,
    hierarchy: str | os.PathLike[str] | None = None,
    k: Sequence[int] | int = ...,
    folds: int = 5,
    repeats: int = 10,
    seed: int = 0,
    force: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, JsonValue]:
    """Reproduce the paper's tables (AUC by method and k) and figure (differential privacy).

    Parameters
    ----------
    matrix : path, frame, array, sparse matrix or Baskets
        Matrix: .npz, .svm (libsvm), .txt (transactions) or .csv; or a log (see --log).
    out : path
        Where the result goes.
    labels : path or sequence, optional
        File with one label per line, or for CSV the name of a column.
    log : str or dict of str to object, optional
        Columns of a log with one line per event: the item, the person (or the basket), and the
        quantity with the total from which an item counts as held.
    hierarchy : path, optional
        Categories of the items, as additional items: one line per item, up to the top.
    k : list of int, default=[5, 8, 11]
        k: minimum number of matching rows.
    folds : int, default=5
        Folds of the cross-validation.
    repeats : int, default=10
        Runs of the randomised methods.
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
