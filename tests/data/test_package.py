"""The public names of the data package, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import sfumato.data


def test_names_are_sorted_and_all_there():
    assert sfumato.data.__all__ == sorted(sfumato.data.__all__)
    assert dir(sfumato.data) == sfumato.data.__all__
    for name in sfumato.data.__all__:
        if name not in ("read_baskets", "read_table"):  # their modules have tests of their own
            assert getattr(sfumato.data, name).__name__ == name


def test_importing_is_light():
    heavy = "{'numpy', 'pyarrow', 'duckdb', 'scipy', 'pandas', 'narwhals'}"
    code = (
        "import sys; import sfumato.data, sfumato.data.documents, sfumato.data.findings, "
        f"sfumato.data.samples; print(sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
