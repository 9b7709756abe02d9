"""Spark on one machine: nobody outside it can connect, and nobody inside it without the secret."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, re, subprocess
from sfumato.compute.spark import Spark
import pyarrow as pa
engine = Spark(settings={"spark.driver.memory": "512m"})
session = engine.session()
conf = session.sparkContext.getConf()
for name in ("spark.authenticate", "spark.network.crypto.enabled", "spark.io.encryption.enabled"):
    assert conf.get(name) == "true", name
assert conf.get("spark.driver.bindAddress") == "127.0.0.1"
assert conf.get("spark.master").startswith("local")
assert engine.count_groups(pa.table({"a": ["x", "x"]}), ["a"]).column("count").to_pylist() == [2]
own = {os.getpid(), session._jvm.java.lang.ProcessHandle.current().pid()}
inodes = set()
for pid in own:
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            inodes |= set(re.findall(r"socket:\\\\[(\\\\d+)\\\\]", os.readlink(f"/proc/{pid}/fd/{fd}")))
        except OSError:
            pass
heard = 0
for table in ("tcp", "tcp6"):
    for line in open(f"/proc/net/{table}").read().splitlines()[1:]:
        cells = line.split()
        if cells[3] == "0A" and cells[9] in inodes:
            address = cells[1].split(":")[0]
            assert address in ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"), address
            heard += 1
assert heard
print("LOOPBACK", heard)
engine.close()
"""


@pytest.mark.spark
@pytest.mark.slow
def test_m4_spark_listens_on_the_loopback_interface_only():
    pytest.importorskip("pyspark")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("\\\\", "\\")],
        capture_output=True, text=True, check=False, env=environment, timeout=300,
    )  # fmt: skip
    if "JAVA_HOME" in done.stderr and "Spark could not be started" in done.stderr:
        pytest.skip("needs Java")
    assert "LOOPBACK" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, None),
        ({"PYSPARK_SUBMIT_ARGS": "--master spark://a:7077 pyspark-shell"}, "spark://a:7077"),
        ({"PYSPARK_SUBMIT_ARGS": "--conf spark.master=yarn pyspark-shell"}, "yarn"),
        ({"SPARK_HOME": "home"}, "k8s://b"),
        ({"SPARK_CONF_DIR": "home/conf"}, "k8s://b"),
    ],
)
def test_m4_a_configured_master_is_found(environment, wanted, tmp_path, monkeypatch):
    from sfumato.compute.spark import _master_from_settings

    (tmp_path / "home" / "conf").mkdir(parents=True)
    settings = "# spark.master yarn-not\nspark.ui.port 1\nspark.master   k8s://b\n"
    (tmp_path / "home" / "conf" / "spark-defaults.conf").write_text(settings)
    monkeypatch.chdir(tmp_path)
    for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "SPARK_HOME", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert _master_from_settings() == wanted
