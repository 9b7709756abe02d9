"""A labelling session of the project that a module writes."""

import pytest

from sfumato.engines.text.labelling.session import Session


@pytest.fixture
def session(project):
    made = Session(project, background=False)
    yield made
    made.close()
