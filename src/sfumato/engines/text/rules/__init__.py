"""Rules that find sensitive spans before anything is learned: built in, or from a rules file.

Each name loads its module when it is first used: publishing needs few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...._lazy import lazy_names

if TYPE_CHECKING:
    from .builtin import LANGUAGES, built_in, guess_languages
    from .chosen import BUILT_IN, FIRM, NEVER_FIRM, ChosenRules
    from .features import RULE_PLACES, rule_place
    from .file import read_rules
    from .rule import PatternRule, Rule, RuleSet, WordRule

__all__ = [
    "BUILT_IN",
    "FIRM",
    "LANGUAGES",
    "NEVER_FIRM",
    "RULE_PLACES",
    "ChosenRules",
    "PatternRule",
    "Rule",
    "RuleSet",
    "WordRule",
    "built_in",
    "guess_languages",
    "read_rules",
    "rule_place",
]

_HOME = {
    "BUILT_IN": "chosen",
    "ChosenRules": "chosen",
    "FIRM": "chosen",
    "LANGUAGES": "builtin",
    "NEVER_FIRM": "chosen",
    "PatternRule": "rule",
    "RULE_PLACES": "features",
    "Rule": "rule",
    "RuleSet": "rule",
    "WordRule": "rule",
    "built_in": "builtin",
    "guess_languages": "builtin",
    "read_rules": "file",
    "rule_place": "features",
}

__getattr__, __dir__ = lazy_names(__name__, _HOME)
