"""How many examples a slow property test draws: fewer in `make test`, all of them in `make fuzz`."""

from __future__ import annotations

import os


def examples(count: int, *, fuzz: int) -> int:
    """Return the number for the profile of the root conftest.py; `make seeds` draws as many as `make test`."""
    return fuzz if os.environ.get("SFUMATO_HYPOTHESIS") == "fuzz" else count
