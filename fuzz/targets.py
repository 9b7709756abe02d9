"""What is fuzzed: a target writes bytes where a reader finds them and reads; only our own errors may come.

The good files (seeds) are small and generated here. Several files in one input are joined by a line
of equal signs.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.onward import (
    PLANTED,
    LeakError,
    publish_baskets,
    publish_documents,
    publish_lines,
    publish_table,
    sanitised,
    search,
    stands_in,
)
from sfumato.core.errors import SfumatoError

BETWEEN = b"\n=====\n"


@dataclass(frozen=True)
class Target:
    """A reader, the good files to start from, and the function that reads bytes in a folder.

    `onward` takes the folder after that and goes on through explore and publish.
    """

    name: str
    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[bytes, Path], object]
    onward: Callable[[Path], object] | None = None

    def check(self, data: bytes, *, onward: bool = False) -> str | None:
        """Read hostile bytes; say how they were refused, None when they were taken.

        Whatever is not one of our errors comes through, and so does a file written elsewhere, or a
        planted word in a message.
        """
        with tempfile.TemporaryDirectory(prefix="sfumato-fuzz-") as name:
            outer = Path(name)
            folder = outer / "inner" / "folder"
            folder.mkdir(parents=True)
            try:
                self.read(data, folder)
                if onward and self.onward is not None:
                    self.onward(folder)
                refused = None
            except SfumatoError as error:
                refused = type(error).__name__
                # Records are told by their ids, which a mutation may have made of the word.
                if stands_in(str(error).encode()) and "id '" not in str(error):
                    raise LeakError("message") from None
            astray = sorted(p.name for p in outer.rglob("*") if folder not in (p, *p.parents))
            if astray != ["inner"]:
                raise AssertionError(f"{len(astray) - 1} files were written outside the folder")
            return refused


# --- documents -----------------------------------------------------------------------------------


def _documents():  # type: ignore[no-untyped-def]
    from sfumato.data.document import Document, Span

    return [
        Document(
            "d1", f"Ann Perez called {PLANTED}.\nTwice.", (Span(0, 9, "NAME"),), {"year": 1999}
        ),
        Document("d2", "Señora Ö. Muñoz, 12.3.2020 😀", (Span(7, 9, "NAME"),), {"year": None}),
        Document("d3", "", (), {"year": 5}),
    ]


def _written(form: str, suffix: str) -> list[bytes]:
    from sfumato.data.documents import write_documents

    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / f"seed{suffix}"
        write_documents(_documents(), like=form, out=out)
        return [out.read_bytes()]


def _read_documents(suffix: str, **options: object) -> Callable[[bytes, Path], object]:
    def read(data: bytes, folder: Path) -> object:
        path = folder / f"input{suffix}"
        path.write_bytes(data)
        return _read_and_write(path, folder, **options)

    return read


def _read_and_write(path: Path, folder: Path, **options: object) -> None:
    """Read tolerantly, write back what could be read, then read strictly."""
    from sfumato.data.documents import Withheld, read_documents, write_documents

    corpus = read_documents(path, **options)
    good = [record for record in corpus.tolerant() if not isinstance(record, Withheld)]
    out = folder / f"out{''.join(path.suffixes)}"
    write_documents(good, like=corpus, out=out)
    if out.is_dir():
        shutil.rmtree(out)
    list(read_documents(path, **options))


def _lines_seed() -> list[bytes]:
    compact = b'{"text":"Quetzalcanary \\u00e9\\ud83d\\ude00","id":7,"spans":[],"x":{"y":[1,2.5,"z\\n",{}]}}\n'
    return [
        *_written("jsonl", ".jsonl"),
        compact,
        compact + b'{"id": "b", "text": "", "n": -0.25}\n',
    ]


def _read_lines(data: bytes, folder: Path) -> None:
    """Read JSON lines in columns and in Python: what is written and withheld must be the same."""
    from sfumato.data.document import Document
    from sfumato.data.documents import Withheld, read_documents
    from sfumato.data.formats.lines import SeenMarks, Written, read_blocks

    (folder / "input.jsonl").write_bytes(data)
    corpus = read_documents(folder / "input.jsonl")
    lines, withheld = [], []
    for block in read_blocks(corpus.format, corpus.parts[0], SeenMarks(), size=100):
        lines.append(Written(corpus.format.layout).lines(block, block.text))
        withheld += block.withheld
    records = list(corpus.tolerant())
    assert withheld == [r for r in records if isinstance(r, Withheld)]
    good = (Document(r.id, r.text, (), r.extra) for r in records if isinstance(r, Document))
    assert b"".join(lines) == b"".join(map(corpus.format.line, good))


def _published(suffix: str) -> Callable[[Path], object]:
    return lambda folder: publish_documents(folder / f"input{suffix}", folder)


def _published_baskets(suffix: str) -> Callable[[Path], object]:
    return lambda folder: publish_baskets(folder / f"input{suffix}", folder)


def _redacted_findings(suffix: str) -> Callable[[Path], object]:
    def onward(folder: Path) -> None:
        from sfumato.data.findings import with_findings

        sanitised(list(with_findings(_documents(), folder / f"findings{suffix}")), findings=True)

    return onward


def _brat_seed() -> list[bytes]:
    text = f"Ann Perez called {PLANTED}.\nTwice."
    return [
        text.encode()
        + BETWEEN
        + b"T1\tNAME 0 9\tAnn Perez\n#1\tNote T1\tx\nT2\tDATE 32 37\tTwice\n"
    ]


def _read_brat(data: bytes, folder: Path) -> None:
    text, _, notes = data.partition(BETWEEN)
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_bytes(text)
    (corpus / "a.ann").write_bytes(notes)
    _read_and_write(corpus, folder)


def _conll_seed() -> list[bytes]:
    return [
        (
            b"-DOCSTART- -X- O O\n\nAnn NNP B-NP B-PER\nPerez NNP I-NP I-PER\nsaw VBD O O\n"
            b"Quetzalcanary Quetzalcanary O O\n. . O O\n\nHi UH O O\n"
        ),
        b"1\tAnn\tAnn\tB-PER\n2\tsaw\tsee\tO\n3\tQuetzalcanary\tQuetzalcanary\tO\n\n",
    ]


def _zipped() -> list[bytes]:
    plain = _written("jsonl", ".jsonl")[0]
    lines = b"".join(b'{"id": "%d", "text": "again"}\n' % number for number in range(100))
    return [gzip.compress(plain, mtime=0), gzip.compress(lines, mtime=0)]


_REST: dict[str, list[dict[str, object]]] = {"d2": [], "d3": []}
_FOUND = {"d1": [{"start": 0, "end": 3, "label": "NAME", "score": 0.5}], **_REST}
_PRESIDIO = {"d1": [{"entity_type": "PERSON", "start": 0, "end": 3, "score": 0.85}], **_REST}


def _findings_lines() -> list[bytes]:
    return [
        b"".join(json.dumps({"id": k, "findings": f}).encode() + b"\n" for k, f in found.items())
        for found in (_FOUND, _PRESIDIO)
    ]


def _read_findings(suffix: str) -> Callable[[bytes, Path], object]:
    def read(data: bytes, folder: Path) -> None:
        from sfumato.data.findings import read_findings, with_findings

        path = folder / f"findings{suffix}"
        path.write_bytes(data)
        read_findings(path)
        list(with_findings(_documents(), path))

    return read


# --- text ----------------------------------------------------------------------------------------


def _texts() -> list[bytes]:
    return [d.text.encode() for d in _documents()] + [
        "O'Brien's e-mail: x_y@z.de; İstanbul’da 東京タワー 한국어 \u200b\u202e a\u0301\u0301 1,234.5 B12".encode()
    ]


def _tokenise(data: bytes, folder: Path) -> None:
    from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

    (folder / "text").write_bytes(data)
    text = data.decode("utf-8", "surrogateescape" if data[:1] == b"\xff" else "replace")
    vocabulary = Vocabulary()
    tokens = tokenize([text, text[::-1]], vocabulary)
    raw, end = tokens.text.tobytes(), 0
    for start, stop, kind in zip(tokens.start, tokens.end, tokens.type, strict=True):
        assert end <= start < stop
        assert raw[start:stop].decode() == vocabulary.words[kind]
        end = stop
    assert end <= len(raw)


def _redact_text(folder: Path) -> None:
    from sfumato.data.document import Document

    text = (folder / "text").read_bytes().decode("utf-8", "replace")
    sanitised(
        [
            Document("a", text),
            Document("b", f"{PLANTED} {text}"),
            Document("c", f"{text} {PLANTED}"),
        ]
    )


@cache
def _model_files() -> tuple[bytes, bytes]:
    """Give the two files of a whole model, learned from a few generated notes."""
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.engines.text import explore
    from sfumato.engines.text.sanitize.storage import ARRAYS_FILE, HEADER_FILE

    with tempfile.TemporaryDirectory() as name:
        found = explore(clinic_notes(6), labels=["NAME"], ratios=[10], folds=2, attackers=())
        found.save(name)
        model = Path(name) / "model"
        return (model / HEADER_FILE).read_bytes(), (model / ARRAYS_FILE).read_bytes()


def _written_model(folder: Path, header: bytes, arrays: bytes) -> None:
    from sfumato.engines.text.sanitize.storage import ARRAYS_FILE, HEADER_FILE

    (folder / "model").mkdir()
    (folder / "model" / HEADER_FILE).write_bytes(header)
    (folder / "model" / ARRAYS_FILE).write_bytes(arrays)


def _load_model(data: bytes, folder: Path) -> None:
    """Load a damaged model: a changed one that still loads would be a silent wrong answer."""
    from sfumato.engines.text.sanitize.models import load_candidates

    header, _, arrays = data.partition(BETWEEN)
    _written_model(folder, header, arrays)
    load_candidates(folder)
    assert (header, arrays) == _model_files(), "a changed model loads"


def _load_signed(header: bytes, arrays: bytes, folder: Path) -> None:
    """Load a model whose hashes were computed anew by whoever changed it, and publish with it."""
    from sfumato.core.files import canonical_json
    from sfumato.engines.text.release.sanitiser import Sanitiser
    from sfumato.engines.text.sanitize.models import load_candidates
    from sfumato.engines.text.sanitize.storage import _own_hash, _size_of

    try:
        content = json.loads(header)
        start = 0
        for part in content["parts"]:
            end = start + _size_of(part)
            part["sha256"] = hashlib.sha256(arrays[start:end]).hexdigest()
            start = end
        content["sha256"] = _own_hash(content)
        header = canonical_json(content).encode()
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, SfumatoError):
        pass  # what cannot be signed is sent as it is
    _written_model(folder, header, arrays)
    for classifiers in load_candidates(folder).values():
        Sanitiser(classifiers)(_documents())


def _load_header(data: bytes, folder: Path) -> None:
    _load_signed(data, _model_files()[1], folder)


def _load_arrays(data: bytes, folder: Path) -> None:
    header, arrays = _model_files()
    _load_signed(header, data[: len(arrays)].ljust(len(arrays), b"\xff"), folder)


# --- tables --------------------------------------------------------------------------------------

_SCHEMA = """missing = "value"

[[attribute]]
name = "age"
role = "quasi"
domain = { range = [0, 120] }

[[attribute]]
name = "sex"
role = "quasi"
domain = { values = ["f", "m"] }
widest = 2

[[attribute]]
name = "zip"
role = "quasi"
domain = "observed"
hierarchy = "zip.csv"

[[attribute]]
name = "illness"
role = "sensitive"

[[attribute]]
name = "name"
role = "identifier"
"""
_TABLE = f"""age,sex,name,zip,illness,ward
30,f,{PLANTED},10,flu,{PLANTED}
31,m,{PLANTED},11,"a,b",w
?,f,{PLANTED},20,,w
30,f,{PLANTED},10,flu,w
"""
_HIERARCHY = "10;1*;*\n11;1*;*\n20;2*;*\n"
_POPULATION = f"age,sex,zip,count,who\n30,f,10,5,{PLANTED}\n31,m,11,2,x\n32,f,20,9,x\n"


def _read_table(changed: str, suffix: str = ".csv") -> Callable[[bytes, Path], object]:
    def read(data: bytes, folder: Path) -> None:
        from sfumato.data.table import read_table

        files = {
            "schema.toml": _SCHEMA, "table.csv": _TABLE, "zip.csv": _HIERARCHY,
            "population.csv": _POPULATION,
        }  # fmt: skip
        for name, content in files.items():
            (folder / name).write_text(content)
        (folder / changed).write_bytes(data)
        table = changed if changed.startswith("table") else f"table{suffix}"
        read_table(folder / table, folder / "schema.toml", folder / "population.csv")

    return read


def _read_hierarchy(data: bytes, folder: Path) -> None:
    from sfumato.data.hierarchy import hierarchy_order, read_hierarchy

    files = {"schema.toml": _SCHEMA, "table.csv": _TABLE, "population.csv": _POPULATION}
    for name, content in files.items():
        (folder / name).write_text(content)
    (folder / "zip.csv").write_bytes(data)
    hierarchy_order(folder / "zip.csv")
    read_hierarchy(folder / "zip.csv", ["10", "11", "20"])


def _parquet(rows: str) -> list[bytes]:
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pc.read_csv(io.BytesIO(rows.encode())), sink)
    return [sink.getvalue()]


def _lattice() -> Any:
    from sfumato.engines.tables.policy import Lattice

    return Lattice(("age", "sex"), (tuple(map(str, range(9))), ("f", "m")))


def _policy_seed() -> list[bytes]:
    from sfumato.engines.tables.policy_files import save_policy

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "policy.json"
        save_policy(_lattice().policy({"age": ["0-4", "5-8"], "sex": ["f", "m"]}), path)
        return [path.read_bytes()]


def _load_policy(data: bytes, folder: Path) -> None:
    from sfumato.engines.tables.policy_files import load_policy

    (folder / "policy.json").write_bytes(data)
    load_policy(folder / "policy.json", _lattice())


_COLUMNS = {"age": [1, 2, 3, 3], "sex": ["f", "m", "f", "f"], "name": [PLANTED] * 4}
_ROLES = {
    "attribute": [
        {"name": "age", "role": "quasi", "domain": "observed"},
        {"name": "sex", "role": "quasi", "domain": "observed"},
        {"name": "name", "role": "identifier"},
    ]
}


@cache
def _tables_seed() -> tuple[bytes, ...]:
    from sfumato.engines.tables import explore

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        explore(_COLUMNS, _ROLES, evaluations=5).save(folder)
        files = [folder / "frontier.json", folder / "policies.json"]
        return (BETWEEN.join(file.read_bytes() for file in files),)


def _load_tables(data: bytes, folder: Path) -> None:
    from sfumato.engines.tables import load

    frontier, _, policies = data.partition(BETWEEN)
    (folder / "frontier.json").write_bytes(frontier)
    (folder / "policies.json").write_bytes(policies)
    load(folder)


def _publish_loaded(folder: Path) -> None:
    """Publish by what was loaded from a changed folder; the identifier may not come out."""
    from sfumato.engines.tables import load

    found = load(folder)
    for candidate in found.candidates[:1]:
        found.publish(candidate, _COLUMNS, out=folder / "released")
    search(folder / "released")


def _publish_policy(folder: Path) -> None:
    from sfumato.engines.tables import publish
    from sfumato.engines.tables.policy_files import load_policy

    policy = load_policy(folder / "policy.json", _lattice())
    data = {"age": [1, 2, 8], "sex": ["f", "m", "f"], "name": [PLANTED] * 3}
    domains = zip(("age", "sex"), ({"range": [0, 8]}, {"values": ["f", "m"]}), strict=True)
    quasi = [{"name": n, "role": "quasi", "domain": d} for n, d in domains]
    schema = {"attribute": [*quasi, {"name": "name", "role": "identifier"}]}
    publish(policy, data, schema=schema, out=folder / "released")
    search(folder / "released")


# --- baskets -------------------------------------------------------------------------------------


def _read_baskets(suffix: str) -> Callable[[bytes, Path], object]:
    def read(data: bytes, folder: Path) -> None:
        from sfumato.data.baskets import read_baskets, write_baskets

        path = folder / f"input{suffix}"
        path.write_bytes(data)
        write_baskets(read_baskets(path), folder / f"out{suffix}")

    return read


def _npz() -> list[bytes]:
    import numpy as np
    import scipy.sparse as sp

    sink = io.BytesIO()
    sp.save_npz(
        sink,
        sp.csr_matrix(np.tile(np.eye(4, dtype=np.int8) + np.eye(4, k=1, dtype=np.int8), (2, 1))),
        compressed=False,
    )
    return [sink.getvalue()]


_ARRAYS = ("data", "indices", "indptr", "shape", "format")


def _npz_arrays() -> list[bytes]:
    """Give the arrays of the matrix one after the other, so that a change meets no checksum."""
    archive = zipfile.ZipFile(io.BytesIO(_npz()[0]))
    return [BETWEEN.join(archive.read(f"{name}.npy") for name in _ARRAYS)]


def _read_arrays(data: bytes, folder: Path) -> None:
    with zipfile.ZipFile(folder / "input.npz", "w") as archive:
        for name, content in zip(_ARRAYS, data.split(BETWEEN), strict=False):
            archive.writestr(f"{name}.npy", content)
    _read_baskets(".npz")((folder / "input.npz").read_bytes(), folder)


# --- plans and records ---------------------------------------------------------------------------

_PLAN = """title = "Ward"
seed = 3
out = "release"

[text]
corpus = "notes.jsonl"
labels = ["NAME"]
ratios = [1, 10]
choose = { ratio = 10 }

[tables]
table = "table.csv"
schema = "schema.toml"
choose = { max_risk = 0.1 }

[baskets]
matrix = "m.npz"
labels = "y.txt"
k = [5, 8]
choose = { knee = true }
"""


def _load_plan(data: bytes, folder: Path) -> None:
    from sfumato.core.plan import Plan

    for name in ("notes.jsonl", "table.csv", "schema.toml", "m.npz", "y.txt"):
        (folder / name).touch()
    (folder / "plan.toml").write_bytes(data)
    Plan.load(folder / "plan.toml")


def _frontier() -> bytes:
    from sfumato.core.exploration import placed
    from sfumato.core.files import canonical_json
    from sfumato.core.measures import Interval, Risk, Utility
    from sfumato.core.records import Candidate, FrontierRecord, InputFile, Reference

    risk = Risk(0.1, Interval(0.05, 0.2, 0.95, "bootstrap"), attacker="knows everything")
    candidates, area = placed([Candidate(id="p1", risk=risk, utility=Utility(0.5))])
    record = FrontierRecord(
        engine="tables", seed=0, axes={"risk": "r", "utility": "u"}, area=area, candidates=candidates,
        inputs=(InputFile(path="t.csv", sha256="0" * 64, rows=3),), request={"evaluations": 300},
        references=(Reference(name="Safe Harbor", risk=Risk(0.2), utility=Utility(0.3)),),
    )  # fmt: skip
    return canonical_json(record.to_json()).encode()


def _release() -> bytes:
    from sfumato.core.files import canonical_json
    from sfumato.core.measures import Risk, Utility
    from sfumato.core.records import Release

    release = Release(
        engine="tables", candidate="p1", seed=0, counts={"rows": 3, "redacted": {"NAME": 2}},
        risk=Risk(0.1), utility=Utility(0.5), withheld=({"id": "7", "reason": "empty"},),
    )  # fmt: skip
    return canonical_json(release.to_json()).encode()


def _load_frontier(data: bytes, folder: Path) -> None:
    from sfumato.core.exploration import Exploration

    (folder / "frontier.json").write_bytes(data)
    found = Exploration.load(folder)
    if len(found):
        found.knee()


def _load_release(data: bytes, folder: Path) -> None:
    from sfumato.core.files import read_json
    from sfumato.core.records import Release

    (folder / "release.json").write_bytes(data)
    Release.from_json(read_json(folder / "release.json"), file="release.json")


TARGETS = {
    target.name: target
    for target in [
        Target("jsonl", lambda: _written("jsonl", ".jsonl"), _read_documents(".jsonl"), _published(".jsonl")),
        Target("lines", _lines_seed, _read_lines, lambda f: publish_lines(f / "input.jsonl")),
        Target("csv", lambda: _written("csv", ".csv"), _read_documents(".csv"), _published(".csv")),
        Target("tsv", lambda: _written("tsv", ".tsv"), _read_documents(".tsv"), _published(".tsv")),
        Target("parquet", lambda: _written("parquet", ".parquet"), _read_documents(".parquet"), _published(".parquet")),
        Target("conll", _conll_seed, _read_documents(".conll"), _published(".conll")),
        Target("brat", _brat_seed, _read_brat, lambda f: publish_documents(f / "corpus", f)),
        Target("gzip", _zipped, _read_documents(".jsonl.gz"), _published(".jsonl.gz")),
        Target("findings-json", lambda: [json.dumps(f).encode() for f in (_FOUND, _PRESIDIO)],
               _read_findings(".json"), _redacted_findings(".json")),
        Target("findings-jsonl", _findings_lines, _read_findings(".jsonl"),
               _redacted_findings(".jsonl")),
        Target("tokens", _texts, _tokenise, _redact_text),
        Target("model", lambda: [BETWEEN.join(_model_files())], _load_model),
        Target("model-header", lambda: [_model_files()[0]], _load_header),
        Target("model-arrays", lambda: [_model_files()[1]], _load_arrays),
        Target("schema", lambda: [_SCHEMA.encode()], _read_table("schema.toml"), publish_table),
        Target("table-csv", lambda: [_TABLE.encode()], _read_table("table.csv"), publish_table),
        Target("table-parquet", lambda: _parquet(_TABLE), _read_table("table.parquet"),
               lambda f: publish_table(f, "table.parquet")),
        Target("population", lambda: [_POPULATION.encode()], _read_table("population.csv"), publish_table),
        Target("hierarchy", lambda: [_HIERARCHY.encode()], _read_hierarchy, publish_table),
        Target("policy", _policy_seed, _load_policy, _publish_policy),
        Target("tables-folder", _tables_seed, _load_tables, _publish_loaded),
        Target("baskets-npz", _npz, _read_baskets(".npz"), _published_baskets(".npz")),
        Target("baskets-arrays", _npz_arrays, _read_arrays, _published_baskets(".npz")),
        Target("baskets-libsvm", lambda: [b"1 1:1 3:1\n-1 2:1 # x\n1 3:1\n-1 1:1 3:1\n1 2:1\n"], _read_baskets(".svm"), _published_baskets(".svm")),
        Target("baskets-transactions", lambda: [b"a b c\nb Quetzalcanary\n\nc a\nb c\na b\n"], _read_baskets(".txt"), _published_baskets(".txt")),
        Target("baskets-csv", lambda: [b"a,b,Quetzalcanary,y\n1,0,0,p\n0,1,1,q\n1,1,0,p\n1,0,0,q\n"], _read_baskets(".csv"), _published_baskets(".csv")),
        Target("plan", lambda: [_PLAN.encode()], _load_plan),
        Target("frontier", lambda: [_frontier()], _load_frontier),
        Target("release", lambda: [_release()], _load_release),
    ]
}  # fmt: skip
