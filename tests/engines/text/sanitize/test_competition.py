"""Forms compete on folds they were not tuned on, and chance alone does not win."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.engines.text.sanitize.competition import Competition, Form

RATIO = 10.0
INCUMBENT = Form("any name", (0,), incumbent=True)
PASS, STACK = Form("pass", (0,)), Form("stack", (1,))
BACKGROUND = Form("another name", (2,), uses_background=True)
ENCODER = Form("a third name", (3,), uses_encoder=True)


def competition(forms, sensitive, fold, document):
    value = np.where(sensitive, RATIO, -1.0)
    return Competition(
        forms,
        live=np.ones(len(value), bool),
        value=value,
        fold_of=fold,
        document_of=document,
        leak=RATIO,
        expected=-np.log(RATIO),
    )


def world(seed, documents=40, words=50):
    """Log-odds that are what they say: calibrated scores of words in documents."""
    random = np.random.default_rng(seed)
    document = np.repeat(np.arange(documents), words)
    scores = random.normal(-4, 3, len(document))
    sensitive = random.random(len(document)) < 1 / (1 + np.exp(-scores))
    return random, document, sensitive, scores


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_gains_and_redactions_against_a_plain_count(seed):
    random, document, sensitive, scores = world(seed, documents=12, words=20)
    fold = document % 4
    other = scores + random.normal(0, 3, len(scores))
    judged = competition({INCUMBENT: scores, PASS: scores, STACK: other}, sensitive, fold, document)
    value = np.where(sensitive, RATIO, -1.0)
    for form, seen in ((INCUMBENT, scores), (PASS, scores), (STACK, other)):
        entry = judged.entries[form]
        plain = [
            sum(
                value[i]
                for i in np.flatnonzero(document == d)
                if seen[i] >= entry.fit.by_fold[fold[i]]
            )
            for d in range(12)
        ]
        assert judged.gains(form) == pytest.approx(plain)
    assert np.all(np.isin(judged.entries[INCUMBENT].fit.by_fold, [-np.log(RATIO), np.inf]))
    found = judged.found()
    for j in range(4):
        # What is redacted in a fold does not depend on the labels of that fold.
        flipped = np.where(fold == j, ~sensitive, sensitive)
        again = competition(
            {INCUMBENT: scores, PASS: scores, STACK: other}, flipped, fold, document
        )
        assert np.array_equal(again.found()[fold == j], found[fold == j])


def test_one_pass_stands_until_another_form_is_better_by_more_than_chance():
    random, document, sensitive, scores = world(1)
    fold = document % 4
    same = scores + random.normal(0, 0.01, len(scores))
    assert competition({INCUMBENT: scores, STACK: same}, sensitive, fold, document).winner() == (
        INCUMBENT
    )
    better = np.where(sensitive, scores + 4, scores - 4)
    assert competition({INCUMBENT: scores, STACK: better}, sensitive, fold, document).winner() == (
        STACK
    )


def test_two_leaks_fewer_are_chance_where_leaks_are_few():
    _, document, sensitive, _ = world(2)
    fold = document % 4
    perfect = np.where(sensitive, 5.0, -8.0)
    missed = perfect.copy()
    missed[np.flatnonzero(sensitive)[:1]] = -8.0
    assert competition({INCUMBENT: missed, STACK: perfect}, sensitive, fold, document).winner() == (
        INCUMBENT
    )
    missed[np.flatnonzero(sensitive)[::10]] = -8.0
    assert competition({INCUMBENT: missed, STACK: perfect}, sensitive, fold, document).winner() == (
        STACK
    )


def test_every_level_must_gain_more_than_chance():
    random, document, sensitive, scores = world(3)
    fold = document % 4
    alike = scores + random.normal(0, 0.01, len(scores))
    better = np.where(sensitive, scores + 4, scores - 4)
    for challenger in (BACKGROUND, ENCODER):
        forms = {INCUMBENT: scores, PASS: scores, challenger: alike}
        assert competition(forms, sensitive, fold, document).winner() == INCUMBENT
        forms[challenger] = better
        assert competition(forms, sensitive, fold, document).winner() == challenger
    # What gains as much with less stands: an encoder must beat the background, and that the rest.
    forms = {INCUMBENT: scores, BACKGROUND: better, ENCODER: better}
    assert competition(forms, sensitive, fold, document).winner() == BACKGROUND


def test_the_preferred_form_stands_until_another_gains_more_than_chance():
    _, document, sensitive, scores = world(3)
    fold = document % 4
    mean = Form("mean of all readers", (0, 1), uses_encoder=True, preferred=True)
    better = np.where(sensitive, scores + 4, scores - 4)
    luckier = better.copy()
    missed = np.flatnonzero(sensitive)[0]
    better[missed] = -8.0
    forms = {INCUMBENT: scores, ENCODER: luckier, mean: better}
    assert competition(forms, sensitive, fold, document).winner() == mean
    # A simpler form that is as good, or better in one document alone, does not replace it.
    forms = {INCUMBENT: luckier, BACKGROUND: luckier, mean: better}
    assert competition(forms, sensitive, fold, document).winner() == mean
    # Where the preferred form is clearly worse, a simpler one replaces it, or another with an encoder.
    worse = np.where(sensitive, scores - 4, scores + 4)
    forms = {INCUMBENT: scores, ENCODER: worse, mean: worse}
    assert competition(forms, sensitive, fold, document).winner() == INCUMBENT
    forms = {INCUMBENT: scores, ENCODER: luckier, mean: scores}
    assert competition(forms, sensitive, fold, document).winner() == ENCODER


def test_equal_forms_rarely_replace_each_other():
    """Of forms that are equally good, one that is chosen for its luck would be a winner's curse."""
    changed = 0
    for seed in range(60):
        random, document, sensitive, scores = world(seed, documents=30, words=40)
        noisy = scores + random.normal(0, 1.0, len(scores))
        other = scores + random.normal(0, 1.0, len(scores))
        forms = {PASS: noisy, BACKGROUND: other}
        changed += competition(forms, sensitive, document % 4, document).winner() == BACKGROUND
    assert changed <= 15  # by mere gain it would be about 30
