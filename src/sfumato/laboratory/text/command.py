"""What `sfumato text study` does."""

from .study import run_study as run

__all__ = ["run"]
