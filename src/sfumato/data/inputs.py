"""What the parameters of explore, publish and attack take: paths, frames, arrays and objects of our own.

A type checker sees the unions; at run time each is `object` with a note for help texts, so that a request
holds what it was given and nothing has to be imported to declare it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias

from ..core.input_types import InputType

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .baskets import Baskets
    from .document import Document
    from .documents import Corpus
    from .table import Table
    from .table_schema import TableSchema

__all__ = [
    "CutsInput", "DocumentsInput", "Estimator", "Frame", "LabelsInput", "MatrixInput", "NamesInput",
    "PathInput", "PopulationInput", "RowsInput", "SchemaInput", "SparseMatrix", "TableInput", "WordsInput",
]  # fmt: skip

PathInput: TypeAlias = str | os.PathLike[str]


class Frame(Protocol):
    """A frame: pandas, polars or Arrow."""

    @property
    def columns(self) -> object: ...


class SparseMatrix(Protocol):
    """A sparse matrix or array of scipy, also as `scipy.sparse.load_npz` returns it."""

    def tocsr(self) -> object: ...


class Estimator(Protocol):
    """An estimator in scikit-learn's form."""

    def get_params(self, deep: bool = ...) -> object: ...


if TYPE_CHECKING:
    DocumentsInput: TypeAlias = (
        PathInput | Sequence[PathInput] | Frame | Corpus | Sequence[Document]
    )
    RowsInput: TypeAlias = PathInput | Sequence[PathInput] | Frame | Mapping[str, Sequence[object]]
    TableInput: TypeAlias = RowsInput | Table
    PopulationInput: TypeAlias = PathInput | Frame | Mapping[str, Sequence[object]]
    SchemaInput: TypeAlias = PathInput | Mapping[str, object] | TableSchema
    MatrixInput: TypeAlias = PathInput | Frame | Baskets | SparseMatrix | ArrayLike
    LabelsInput: TypeAlias = PathInput | Iterable[object]
    NamesInput: TypeAlias = PathInput | Iterable[str]
    WordsInput: TypeAlias = PathInput | Iterable[str]
    CutsInput: TypeAlias = str | Sequence[object]
else:
    DocumentsInput = Annotated[
        object, InputType("DocumentsInput", "path, frame, Corpus or list of Document")
    ]
    RowsInput = Annotated[object, InputType("RowsInput", "path or frame")]
    TableInput = Annotated[object, InputType("TableInput", "path, frame or Table")]
    PopulationInput = Annotated[object, InputType("PopulationInput", "path or frame")]
    SchemaInput = Annotated[object, InputType("SchemaInput", "path, dict or TableSchema")]
    MatrixInput = Annotated[
        object, InputType("MatrixInput", "path, frame, array, sparse matrix or Baskets")
    ]
    LabelsInput = Annotated[object, InputType("LabelsInput", "path or sequence")]
    NamesInput = Annotated[object, InputType("NamesInput", "path or list of str")]
    WordsInput = Annotated[object, InputType("WordsInput", "path or list of str")]
    CutsInput = Annotated[object, InputType("CutsInput", "list of values")]
