"""GreedySanitize: publish text from which what is left cannot be found (papers 000, 001).

engine      the front door: labelled documents → a frontier of candidates
request, records    every parameter, and every file, typed
exploring   read → label → fit → judge
publish     a candidate and documents → a release
story       the engine's part of a report
reading/    tokens, features, clusters, word lists, background corpora, labels
learners/   CRF, SVM, AdaBoost, Ensemble, Selection, scikit-learn
sanitize/   Algorithm 1, cross-fitting, the competition of forms, the chosen classifiers and their files
release/    apply the classifiers, replace what is redacted, write the release
attack/     attackers, inspection, bounds, attacks on a written release, contextual inference

PAPER.md and PAPER_ADVERSARY.md map definitions, theorems and decisions to functions and tests.
"""

from .engine import explore, load

__all__ = ["explore", "load"]
