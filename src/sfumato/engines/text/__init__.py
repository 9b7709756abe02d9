"""GreedySanitize: publish text from which what is left cannot be found (papers 000, 001).

request, records, attack_records, payload   every parameter and every file, typed
reading/    tokens, features, clusters, word lists, background corpora, labels
rules/      rules that find what is sensitive without learning
learners/   CRF, SVM, AdaBoost, Ensemble, Selection, scikit-learn
sanitize/   Algorithm 1, cross-fitting, the competition of forms, the chosen classifiers and their files
redaction/  apply the classifiers, replace what is redacted
attack/     attackers, inspection, bounds, attacks on a written release, contextual inference
frontier/, release/, story/   from documents to candidates, to a release, to a report
labelling/  projects from documents without labels

`sfumato.text` is the way in. PAPER.md and PAPER_ADVERSARY.md map definitions, theorems and decisions to
functions and tests.
"""
