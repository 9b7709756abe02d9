"""Documents: redact what is sensitive until what is left cannot be found."""

from ._front_door import open_door

open_door(__name__)
