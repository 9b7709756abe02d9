"""Capital and small letters of the languages that rules know, for patterns."""

from __future__ import annotations

__all__ = ["GAP", "LOWER", "UPPER"]

UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪĮİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŲŹŻŽ"
LOWER = "a-zà-öø-ÿāăąćčďđēęěğģīįıķĺļľłńņňōőœŕřśşšţťūůűųźżžß"
GAP = r"[^\S\r\n]+"  # what is found does not run over the end of a line
