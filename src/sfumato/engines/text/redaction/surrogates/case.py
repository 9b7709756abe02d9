"""Words in the case of other words."""

from __future__ import annotations

__all__ = ["like"]


def like(word: str, model: str) -> str:
    """Return the word in the case of the model.

    >>> like("Müller", "SMITH"), like("Müller", "smith"), like("Müller", "Smith")
    ('MÜLLER', 'müller', 'Müller')
    """
    if len(model) > 1 and model.isupper():
        return word.upper()
    if model.islower():
        return word.lower()
    return word
