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
