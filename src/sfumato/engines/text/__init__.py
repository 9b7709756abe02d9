"""GreedySanitize: publish text from which what is left cannot be found (papers 000, 001).

engine                      the front door: labelled documents → a frontier of candidates

reading     tokens, features/, clusters, word_lists, background, labelled
learning    learners/ (CRF, SVM, AdaBoost, Ensemble, Selection, scikit-learn), stack
choosing    publisher (Algorithm 1, literal) → honest (out of fold) → competition, thresholds
            classifiers (what was chosen), judging, exploration (frontier.json), models, storage
publishing  pipeline, compiled/, word_cache, rendering, redaction, surrogates/, publishing
attacking   attacker, inspection, attacked, released/ (a release from outside), contextual, bounds/
study/      the papers' figures on any labelled corpora

PAPER.md and PAPER_ADVERSARY.md map definitions, theorems and decisions to functions and tests.
"""

from .engine import explore

__all__ = ["explore"]
