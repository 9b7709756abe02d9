"""Rules that find sensitive spans before anything is learned: built in, or from a rules file."""

from .builtin import LANGUAGES, built_in, guess_languages
from .chosen import BUILT_IN, FIRM, ChosenRules
from .features import RULE_PLACES, rule_place
from .file import read_rules
from .rule import PatternRule, Rule, RuleSet, WordRule

__all__ = [
    "BUILT_IN",
    "FIRM",
    "LANGUAGES",
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
