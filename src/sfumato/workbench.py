"""The only switchboard: from a plan or a command to an engine and back to a release."""

from __future__ import annotations
