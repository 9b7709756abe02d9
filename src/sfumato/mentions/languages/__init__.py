"""The seven languages whose written forms are known, one file each."""

from .base import LANGUAGES, Language, LanguageWords, detect_languages
from .spelling import spell

__all__ = ["LANGUAGES", "Language", "LanguageWords", "detect_languages", "spell"]
