"""Records from hostile files: what fuzzing found, each as a small case of its own."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.core.errors import FormatError
from sfumato.core.records import Candidate
from sfumato.data.documents import read_documents
from sfumato.engines.tables.space.constraints import AttributeRule, Space


@pytest.mark.parametrize("measures", [1.5, "x", None, [], [1]])
def test_measures_that_are_no_object_are_refused(measures):
    content = {"id": "a", "risk": 0.1, "utility": 0.5, "measures": measures}
    with pytest.raises(ValueError, match="measures must be an object"):
        Candidate.model_validate(content)


@pytest.mark.parametrize("name", ["level_histogram", "page_of_a_gigabyte"])
def test_h6_damaged_parquet_does_not_end_the_process(name):
    """PyArrow aborts on one and makes room for a gigabyte on the other; so they are read apart."""
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from sfumato.core.errors import FormatError\n"
        "from sfumato.data.documents import read_documents, write_documents\n"
        "corpus = read_documents(Path(sys.argv[1]))\n"
        "for work in (lambda: list(corpus.tolerant()),\n"
        "             lambda: write_documents([], like=corpus, out=Path(sys.argv[2]))):\n"
        "    try:\n"
        "        work()\n"
        "    except FormatError:\n"
        "        pass\n"
        "print('alive')\n"
    )
    damaged = Path(__file__).parent / "damaged" / f"{name}.parquet"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", program, str(damaged), str(Path(folder, "o.parquet"))],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.stdout.strip() == "alive", done.stderr[-2000:]


def test_spans_with_fields_of_one_name_are_refused(tmp_path):
    spans = pa.StructArray.from_arrays([pa.array([0]), pa.array([1])], names=["start", "start"])
    listed = pa.ListArray.from_arrays(pa.array([0, 1]), spans)
    pq.write_table(pa.table({"id": ["a"], "text": ["b"], "spans": listed}), tmp_path / "a.parquet")
    with pytest.raises(FormatError, match="spans"):
        list(read_documents(tmp_path / "a.parquet"))


def test_a_width_beyond_every_number_is_the_whole_domain():
    space = Space([AttributeRule("age", 4, widest=10**20)])
    assert space.widest.tolist() == [4]
