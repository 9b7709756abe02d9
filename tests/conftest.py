"""Fixtures that every test may use: the embedded samples, made once."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def sample_files(tmp_path_factory) -> Path:
    """The folder that `write_samples` makes; treat it as read-only."""
    from sfumato.data.samples import write_samples

    return write_samples(tmp_path_factory.mktemp("samples") / "samples")


@pytest.fixture(scope="session")
def notes():
    """The labelled clinic notes."""
    from sfumato.data.samples import clinic_notes

    return clinic_notes()


@pytest.fixture(autouse=True, scope="session")
def private_key(tmp_path_factory):
    """Keep the steward's own key out of the tests: one key for the whole session."""
    import os

    folder = tmp_path_factory.mktemp("steward")
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

    import sfumato.core.disk as disk
    import sfumato.core.staging as staging

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
        for place, name in [*places, (disk, "rename_by"), (staging, "rename_by")]:
            kept.append((place, name, getattr(place, name)))
            setattr(place, name, watched(getattr(place, name)))
        try:
            yield counted
        finally:
            for place, name, function in kept:
                setattr(place, name, function)

    return killed_before
