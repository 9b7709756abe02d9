"""What tests of anything above an engine start from: folders that the engines wrote in this very run."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.seeds import seeded
from tests.small import shrink, write_purchases

# Attackers use installed weights wherever they are; tests run the same anywhere, and those that mean
# the real weights ask for the fixture `default_encoder`.
os.environ["SFUMATO_ENCODER"] = "none"

# Compiling takes most of the encoder's time here, and what is compiled runs once.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")  # fmt: skip

# A Java machine that lives for seconds is quicker without its second compiler.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

ENGINES = ("tables", "text", "baskets")


def sfumato(*words: object, status: int = 0) -> str:
    """Run a command in this process; return what it printed."""
    from typer.testing import CliRunner

    from sfumato.cli import build

    line = [str(word) for word in words]
    done = CliRunner().invoke(build(line[:1]), line)
    assert done.exit_code == status, f"{' '.join(line)}\n{done.output}\n{done.exception!r}"
    return done.output


@pytest.fixture(scope="session")
def spark():
    """A cluster on this machine; the tests that need one share it."""
    from sfumato.compute import engine

    if shutil.which("java") is None:
        pytest.skip("Java is not installed: the Spark engine is not tested")
    pytest.importorskip(
        "pyspark", reason="PySpark is not installed: the Spark engine is not tested"
    )
    cluster = engine("spark", master="local[2]", settings={"spark.sql.shuffle.partitions": "2"})
    cluster.session()
    yield cluster
    cluster.close()


@pytest.fixture(scope="session", autouse=True)
def _kernels_read_small_files():
    """Read JSON lines of any size by the kernels: what is tested on small files holds for large ones."""
    from sfumato.data.formats import lines

    lines.WORTH = 0


@pytest.fixture(scope="session")
def sample_files(tmp_path_factory) -> Path:
    """The folder that `write_samples` makes; treat it as read-only."""
    from sfumato.data.samples import write_samples

    return write_samples(tmp_path_factory.mktemp("samples") / "samples")


@pytest.fixture(scope="session")
def short_samples(sample_files, tmp_path_factory) -> Path:
    """The same files with fewer and shorter records; treat it as read-only."""
    return shrink(sample_files, tmp_path_factory.mktemp("samples") / "short")


@pytest.fixture(scope="session")
def notes():
    """The labelled clinic notes."""
    from sfumato.data.samples import clinic_notes

    return clinic_notes()


@pytest.fixture(scope="session")
def small_samples(sample_files, tmp_path_factory) -> Path:
    """Write small versions of the embedded samples: labelled notes, a register, a purchase log."""
    folder = tmp_path_factory.mktemp("small")
    with gzip.open(sample_files / "notes.jsonl.gz", "rt", encoding="utf-8") as stream:
        lines = [line for line, _ in zip(stream, range(90), strict=False)]
    (folder / "learn.jsonl").write_text("".join(lines[:60]), encoding="utf-8")
    (folder / "held_out.jsonl").write_text("".join(lines[60:]), encoding="utf-8")
    bare = [{k: v for k, v in json.loads(line).items() if k != "spans"} for line in lines[60:]]
    (folder / "bare.jsonl").write_text(
        "".join(json.dumps(d) + "\n" for d in bare), encoding="utf-8"
    )
    for name in ("register.csv", "schema.toml", "population.csv"):
        shutil.copy(sample_files / name, folder / name)
    write_purchases(folder)
    return folder


@pytest.fixture(scope="session")
def written(small_samples, tmp_path_factory) -> Path:
    """Explore and publish with each engine, and attack the text release, by the command line."""
    folder = tmp_path_factory.mktemp("written")
    for file in small_samples.iterdir():
        shutil.copy(file, folder / file.name)
    at = folder.joinpath
    sfumato("tables", "explore", at("register.csv"), "--schema", at("schema.toml"), "--population",
            at("population.csv"), "--evaluations", 400, "--out", at("tables-explored"))  # fmt: skip
    sfumato("tables", "publish", at("tables-explored"), at("register.csv"), "--choose", "max-risk:0.05",
            "--out", at("tables-release"))  # fmt: skip
    sfumato("text", "explore", at("learn.jsonl"), "--label", "NAME", "--label", "DATE,PHONE", "--ratios",
            "1,10", "--folds", 2, "--budget", "10,100", "--out", at("text-explored"))  # fmt: skip
    sfumato("text", "publish", at("text-explored"), at("bare.jsonl"), "--ratio", 10, "--out", at("text-release"))  # fmt: skip
    at("text-attack").mkdir()
    sfumato("text", "attack", at("text-explored"), at("text-release"), "--labels", at("held_out.jsonl"),
            "--budget", "10,100", "--out", at("text-attack", "attack.json"))  # fmt: skip
    sfumato("baskets", "explore", at("purchases.npz"), "--labels", at("purchases.labels.txt"), "--k", "5,11",
            "--selector", "hamdist,distcnt", "--folds", 2, "--out", at("baskets-explored"))  # fmt: skip
    sfumato("baskets", "publish", at("baskets-explored"), at("purchases.npz"), "--labels",
            at("purchases.labels.txt"), "--choose", "knee", "--out", at("baskets-release"))  # fmt: skip
    return folder


@pytest.fixture(scope="session")
def copied(written) -> Callable[..., Path]:
    """Return a function that copies the folders of some engines (all by default) into a place."""

    def copy(place: Path, *engines: str, published: bool = True) -> Path:
        place.mkdir(parents=True, exist_ok=True)
        for engine in engines or ENGINES:
            for step in (
                "explored",
                *(("release", "release.private", "attack") if published else ()),
            ):
                source = written / f"{engine}-{step}"
                if source.exists():
                    shutil.copytree(source, place / source.name)
        return place

    return copy


@pytest.fixture(autouse=True, scope="session")
def private_key(tmp_path_factory):
    """Keep the steward's own key out of the tests: one key, which depends on the seed of the suite alone."""
    folder = tmp_path_factory.mktemp("steward")
    digits = hashlib.sha256(b"key %d" % seeded()).hexdigest()
    descriptor = os.open(folder / "private.key", os.O_WRONLY | os.O_CREAT, 0o600)
    with open(descriptor, "w", encoding="ascii") as stream:
        stream.write(digits)
    before = os.environ.get("SFUMATO_PRIVATE_KEY")
    os.environ["SFUMATO_PRIVATE_KEY"] = str(folder / "private.key")
    yield folder / "private.key"
    if before is None:
        del os.environ["SFUMATO_PRIVATE_KEY"]
    else:
        os.environ["SFUMATO_PRIVATE_KEY"] = before


@pytest.fixture
def kills():
    """Give a context that raises before the n-th call that changes a name on the disk.

    `calls` counts the calls that were seen: fewer than n means that the work came to its end.
    """
    import os
    from contextlib import contextmanager
    from types import SimpleNamespace

    import sfumato.core.storage.disk as disk
    import sfumato.core.storage.work_folder as work_folder

    @contextmanager
    def killed_before(step, error):
        counted, kept = SimpleNamespace(calls=0), []

        def watched(function):
            def call(*arguments, **named):
                counted.calls += 1
                if counted.calls == step:
                    raise error
                return function(*arguments, **named)

            return call

        places = [(os, n) for n in ("mkdir", "rmdir", "rename", "replace", "unlink", "remove")]
        for place, name in [*places, (disk, "rename_by"), (work_folder, "rename_by")]:
            kept.append((place, name, getattr(place, name)))
            setattr(place, name, watched(getattr(place, name)))
        try:
            yield counted
        finally:
            for place, name, function in kept:
                setattr(place, name, function)

    return killed_before


@pytest.fixture
def default_encoder(monkeypatch):
    """The installed weights; the test is skipped where they are not."""
    from sfumato.engines.text.learners.encoder import folder

    monkeypatch.delenv(folder.ENCODER_VARIABLE)
    if folder.missing_packages() or folder.default_folder() is None:
        pytest.skip("the extra `encoder` is not installed")
    from sfumato.engines.text.learners.encoder.learner import Encoder

    return Encoder.named("default")
