"""Spark answers as one machine does, batch by batch and count by count."""

import json
from collections import Counter
from dataclasses import replace

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from sfumato.compute.journal import Journal
from sfumato.compute.local import Local
from sfumato.core.errors import DataError, FormatError, InputError, ParameterError, WorkError
from sfumato.data.document import Document, Span

pytestmark = [
    pytest.mark.spark,
    # PySpark leaves its own sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def redact(model, documents):
    """A small function of the shape that publishing has: a model, documents, text and facts."""
    lines = []
    for document in documents:
        for word in model:
            document = Document(document.id, document.text.replace(word, "[NAME]"), (), {})
        lines.append(f"{document.id}\t{document.text}\n")
    return "".join(lines).encode(), {"documents": len(documents)}


def batches(count):
    for number in range(count):
        yield [
            Document(f"{number}-{i}", f"Ann saw Bob {number * i} times. 😀", (Span(0, 3, "NAME"),))
            for i in range(number % 3 + 1)
        ]


def test_results_are_those_of_one_machine_in_order(spark):
    model = ("Ann", "Bob")
    here = list(Local(2).map_batches(redact, batches(25), shared=model))
    there = list(spark.map_batches(redact, batches(25), shared=model))
    assert there == here
    assert list(spark.map_batches(len, [])) == []
    assert list(spark.map_batches(len, ["a", "bb"])) == [1, 2]


def test_a_run_begun_here_is_finished_there(spark, tmp_path):
    model = ("Ann", "Bob")

    def publish(out, compute, count):
        with Journal(out, "key") as journal:
            facts = list(journal.run(compute, redact, batches(count), shared=model))
            if count < 20:
                raise KeyboardInterrupt
            journal.finish(lambda built: built.write_bytes(
                b"".join(journal.path(name).read_bytes() for name in journal.names)))  # fmt: skip
        return facts

    facts = publish(tmp_path / "here", Local(1), 20)
    with pytest.raises(KeyboardInterrupt):
        publish(tmp_path / "there", Local(1), 7)
    assert publish(tmp_path / "there", spark, 20) == facts
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


class Secret:
    def __reduce__(self):
        raise TypeError("A secret key is not written anywhere.")


def test_a_secret_key_stays_at_home(spark):
    with pytest.raises(ParameterError, match="cannot be sent to a cluster"):
        list(spark.map_batches(redact, batches(2), shared=Secret()))


def test_a_text_publish_is_the_same_on_both(spark, tmp_path):
    from sfumato.data.documents import write_documents
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.text import explore

    notes = clinic_notes(60)
    found = explore(notes, labels=["NAME"], ratios=[10], folds=2, attackers=())
    write_documents(notes, like="jsonl", out=tmp_path / "notes.jsonl")
    for name in ("local", "spark"):
        found.publish("r10", tmp_path / "notes.jsonl", out=tmp_path / name, engine=name)
    for file in (tmp_path / "local").iterdir():
        assert file.read_bytes() == (tmp_path / "spark" / file.name).read_bytes()


def test_a_person_has_one_pseudonym_on_both(spark, tmp_path, monkeypatch):
    """What replaces a name is chosen here, so that the key stays on the driver."""
    from sfumato.data.documents import write_documents
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.text import explore

    monkeypatch.setenv("SFUMATO_KEY", "a key that is long enough for it")
    notes = [replace(d, fields={"patient": i % 9}) for i, d in enumerate(clinic_notes(60))]
    found = explore(notes, labels=["NAME", "DATE"], ratios=[10], folds=2, attackers=())
    write_documents(notes, like="jsonl", out=tmp_path / "notes.jsonl")
    for name in ("local", "spark"):
        found.publish(
            "r10", tmp_path / "notes.jsonl", out=tmp_path / name, engine=name,
            replacement="surrogate", person="patient",
        )  # fmt: skip
    for file in (tmp_path / "local").iterdir():
        assert file.read_bytes() == (tmp_path / "spark" / file.name).read_bytes()


def fail(documents):
    if documents[0].id == "3-0":
        raise DataError("The document '3-0' is empty.", hint="drop it.")
    if documents[0].id == "4-0":
        raise ValueError(documents[0].text)
    return len(documents)


def test_errors_keep_their_type_and_hold_no_data(spark, capfd):
    with pytest.raises(DataError, match="document '3-0' is empty"):
        list(spark.map_batches(fail, batches(4)))
    with pytest.raises(WorkError) as caught:
        list(spark.map_batches(fail, list(batches(5))[4:]))
    assert str(caught.value) == "A batch failed with an internal error (ValueError)."
    assert "Ann" not in "".join(capfd.readouterr())


def test_counts_are_those_of_one_machine(spark, tmp_path):
    table = pa.table(
        {
            "zip": ["2", "", " 2", "1", "2", "2"],
            "a `b`": ["x", "x", 'q"uo"te', "é,\r\n=", "\\", "x"],
            "n": pa.array([1, 200, 1, None, 1, 1], pa.uint8()),
            "z": ["1"] * 6,
        }
    )
    wanted = ["zip", "a `b`"]
    folder = tmp_path / "set [1]"
    folder.mkdir()
    pa.csv.write_csv(table.drop("n").slice(0, 3), folder / "a{x}.csv")
    pa.csv.write_csv(table.select(["z", "a `b`", "zip"]).slice(3), folder / "b.csv")
    here = Local().count_groups(folder, wanted)
    assert spark.count_groups(folder, wanted).equals(here)
    assert len(here) == 5
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    for source in (table, tmp_path / "t.parquet"):
        here = Local().count_groups(source, [*wanted, "n"])
        assert spark.count_groups(source, [*wanted, "n"]).equals(here)
    frame = spark.session().createDataFrame([(1, "x"), (2, "x")], ["k", "v"])
    assert spark.count_groups(frame, ["v"]).to_pylist() == [{"v": "x", "count": 2}]


def test_a_table_is_reduced_to_the_same_cells(spark, tmp_path):
    from sfumato.data.samples.writing import write_samples
    from sfumato.tables import explore

    samples = write_samples(tmp_path / "samples")
    found = [
        explore(samples / "register.csv", schema=samples / "schema.toml", population=samples / "population.csv",
                evaluations=20, engine=name).record.to_json()
        for name in ("local", "spark")
    ]  # fmt: skip
    for key in ("candidates", "references", "inputs", "area", "records", "cells"):
        assert json.dumps(found[0][key]) == json.dumps(found[1][key]), key


def test_baskets_are_counted_by_pattern(spark, tmp_path):
    rows = [[i & 1, i >> 1 & 1, i % 3 == 0, i] for i in range(50)]
    lines = ["a,b,c,y", *(",".join(str(int(cell)) for cell in row) for row in rows)]
    (tmp_path / "baskets.csv").write_text("\n".join(lines) + "\n")
    counted = spark.count_groups(tmp_path / "baskets.csv", ["a", "b", "c"])
    assert counted.equals(Local().count_groups(tmp_path / "baskets.csv", ["a", "b", "c"]))
    patterns = Counter(tuple(str(int(cell)) for cell in row[:3]) for row in rows)
    assert {(r["a"], r["b"], r["c"]): r["count"] for r in counted.to_pylist()} == patterns


TABLES = ["t.csv", "t.csv.gz", "t.tsv", "t;.csv", "t.parquet"]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_published_the_same_on_both(spark, tmp_path, name, monkeypatch):
    from sfumato import tables
    from sfumato.data.samples import patient_register, register_population, register_schema
    from sfumato.engines.tables.release import publishing

    monkeypatch.setattr(publishing, "_BATCH_ROWS", 90)
    table = patient_register(400)
    frame = table.to_pandas()
    frame.loc[3, "diagnosis"] = 'a "quoted", broken\nline; =1+1'
    if name == "t.parquet":
        frame["stay"] = pd.to_timedelta(frame.index, "h").total_seconds() / 7
        frame["day"] = pd.date_range("2020-01-01", periods=400)
        frame.to_parquet(tmp_path / name, index=False)
    else:
        separator = {"t.tsv": "\t", "t;.csv": ";"}.get(name, ",")
        frame.to_csv(tmp_path / name, index=False, sep=separator)
    further = '[[attribute]]\nname = "day"\nrole = "other"\n'
    text = register_schema() + (further if name == "t.parquet" else "")
    (tmp_path / "schema.toml").write_text(text, encoding="utf-8")
    register_population().to_pandas().to_csv(tmp_path / "population.csv", index=False)
    given = {"schema": tmp_path / "schema.toml", "population": tmp_path / "population.csv"}
    here = tables.explore(tmp_path / name, **given, evaluations=60)
    there = tables.explore(tmp_path / name, **given, evaluations=60, engine="spark")
    assert [c.bits for c in there] == [c.bits for c in here]
    candidate = here.knee()
    for engine_name in ("local", "spark"):
        here.publish(candidate, tmp_path / name, out=tmp_path / engine_name, engine=engine_name)
    for file in (tmp_path / "local").iterdir():
        assert file.read_bytes() == (tmp_path / "spark" / file.name).read_bytes(), file.name
    assert here.publish(candidate, frame, engine="spark").equals(here.publish(candidate, frame))


def test_rows_without_a_quasi_identifier_are_dropped_on_both(spark, tmp_path):
    from sfumato import tables

    cells = [(i % 5 if i % 7 else "", "fm"[i % 2], i) for i in range(60)]
    lines = ["age,sex,note", *(",".join(map(str, row)) for row in cells)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    quasi = [{"name": n, "role": "quasi", "domain": "observed"} for n in ("age", "sex")]
    schema = {"missing": "drop", "undeclared": "drop", "attribute": quasi}
    found = tables.explore(tmp_path / "t.csv", schema=schema, evaluations=20)
    outs = [tmp_path / "local.csv", tmp_path / "spark.csv"]
    for out in outs:
        release = found.publish(found.knee(), tmp_path / "t.csv", out=out, engine=out.stem)
        assert release.left_out["dropped"] == 9
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert [i.path for i in release.inputs] == [i.path for i in found.record.inputs]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_an_error_of_a_worker_is_told(spark, tmp_path, monkeypatch, name):
    from sfumato.data.table_schema import TableSchema
    from sfumato.data.table_source import TableSource
    from sfumato.engines.tables.release import publishing
    from sfumato.engines.tables.release.publishing import published_rows
    from sfumato.engines.tables.release.rows import Generaliser

    schema = TableSchema.of(
        {"attribute": [{"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}}]}
    )
    generaliser = Generaliser(schema, (("f", "m"),), (("f", "m"),))
    given = TableSource.open({"sex": ["f", "Perez"] * 50})  # outside its domain: a worker must fail
    monkeypatch.setattr(publishing, "_BATCH_ROWS", 20)
    with pytest.raises(FormatError, match="cannot be read as frame") as caught:
        published_rows(generaliser, given, spark).write(tmp_path / name, name[2:], ",")
    assert "Perez" not in str(caught.value)


def test_baskets_are_audited_the_same_on_both(spark, tmp_path):
    import numpy as np
    import scipy.sparse as sp

    from sfumato import baskets
    from sfumato.engines.baskets.containment.audit import audit

    dice = np.random.default_rng(3)
    rows = sp.csr_matrix((dice.random((300, 12)) < 0.3).astype(np.int8))
    y = (dice.random(300) < 0.5).astype(int)
    sp.save_npz(tmp_path / "m.npz", rows)
    (tmp_path / "y.txt").write_text("".join(f"{v}\n" for v in y))
    found = {
        name: baskets.explore(
            tmp_path / "m.npz", labels=tmp_path / "y.txt", k=[3, 5], selector="hamdist", engine=name
        )
        for name in ("local", "spark")
    }
    assert found["local"].record == found["spark"].record
    for name in ("local", "spark"):
        found[name].publish(
            found[name].knee(), tmp_path / "m.npz", out=tmp_path / name, labels=tmp_path / "y.txt",
            engine=name,
        )  # fmt: skip
    for file in (tmp_path / "local").iterdir():
        assert file.read_bytes() == (tmp_path / "spark" / file.name).read_bytes(), file.name
    empty = sp.csr_matrix((4, 3), dtype=np.int8)  # rows without a one are rows too
    assert audit(empty, compute=spark) == audit(empty)


def test_what_cannot_be_counted(spark, tmp_path, capfd):
    with pytest.raises(InputError, match="no column 'b'"):
        spark.count_groups(pa.table({"a": [1]}), ["b"])
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3,Perez,5\n")
    with pytest.raises(FormatError, match="another number of cells"):
        spark.count_groups(tmp_path / "ragged.csv", ["a"])
    (tmp_path / "broken.parquet").write_bytes(b"Perez not a table")
    with pytest.raises(FormatError, match="could not be counted"):
        spark.count_groups(tmp_path / "broken.parquet", ["a"])
    assert "Perez" not in "".join(capfd.readouterr())
