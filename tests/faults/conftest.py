"""A small learned model and documents to publish, shared by the fault tests."""

from dataclasses import replace

import pytest


@pytest.fixture(scope="session")
def learned():
    """Give a candidate of a small exploration and its classifiers."""
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.text import explore

    found = explore(clinic_notes(80), labels=["NAME"], ratios=[10], folds=2, attackers=())
    candidate = found.candidates[0]
    return candidate, found.classifiers[candidate.id]


@pytest.fixture(scope="session")
def notes():
    """Give some hundred documents with ids of their own."""
    from sfumato.data.samples.notes import clinic_notes

    few = clinic_notes(80)
    return [replace(note, id=f"{copy}-{note.id}") for copy in range(6) for note in few]


@pytest.fixture
def publish(learned):
    """Give a function that publishes in small parts."""
    from sfumato.engines.text.redaction.sanitiser import Sanitiser
    from sfumato.engines.text.release.writing import publish as run

    candidate, classifiers = learned

    def publish(source, out, *, strict=False, sanitiser=None, **options):
        return run(
            source, out, sanitiser=sanitiser or Sanitiser(classifiers, strict=strict),
            candidate=candidate, made_from={}, characters=20_000, threads=1,
            **{"keep_ids": True} | options,
        )  # fmt: skip

    return publish
