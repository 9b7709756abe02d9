"""Forms compete on folds they were not tuned on, and chance alone does not win."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.randomness import Streams
from sfumato.engines.text.sanitize.competition import Competition, Form, Repeats
from sfumato.engines.text.sanitize.thresholds import GainCurves

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


def test_an_encoder_must_gain_half_an_error_and_more_of_it_a_whole_one():
    _, document, sensitive, _ = world(2)
    fold = document % 4
    perfect = np.where(sensitive, 5.0, -8.0)
    missed = perfect.copy()
    missed[np.flatnonzero(sensitive)[:1]] = -8.0  # one leak: 10, where an error is √(10² + 2 · 10²)
    more_layers = Form("all layers", (3,), uses_encoder=True, effort=1)
    for challenger, wins in ((STACK, False), (BACKGROUND, False), (ENCODER, True)):
        forms = {INCUMBENT: missed, challenger: perfect}
        winner = competition(forms, sensitive, fold, document).winner()
        assert winner == (challenger if wins else INCUMBENT)
    forms = {INCUMBENT: missed, ENCODER: missed, more_layers: perfect}
    assert competition(forms, sensitive, fold, document).winner() == INCUMBENT


def test_the_preferred_form_speaks_for_its_level_and_a_simpler_one_as_good_stands():
    _, document, sensitive, scores = world(3)
    fold = document % 4
    mean = Form("mean of all readers", (0, 1), uses_encoder=True, preferred=True)
    better = np.where(sensitive, scores + 4, scores - 4)
    luckier = better.copy()
    missed = np.flatnonzero(sensitive)[0]
    better[missed] = -8.0
    forms = {INCUMBENT: scores, ENCODER: luckier, mean: better}
    assert competition(forms, sensitive, fold, document).winner() == mean
    forms = {INCUMBENT: luckier, ENCODER: scores, mean: luckier}
    assert competition(forms, sensitive, fold, document).winner() == INCUMBENT
    forms = {INCUMBENT: scores, ENCODER: luckier, mean: scores}
    assert competition(forms, sensitive, fold, document).winner() == ENCODER


def repeated(forms, again, sensitive, fold, document, **changed):
    value = np.where(sensitive, RATIO, -1.0)
    return Competition(
        forms,
        live=np.ones(len(value), bool),
        value=value,
        fold_of=fold,
        document_of=document,
        leak=RATIO,
        expected=-np.log(RATIO),
        repeats=Repeats(again, Streams(5)),
        **changed,
    )


def test_a_form_that_is_worse_on_held_out_halves_cannot_win():
    """An encoder that is good under the seed that was seen and bad under another is no choice."""
    random, document, sensitive, scores = world(4)
    fold = document % 4
    lucky = np.where(sensitive, scores + 2, scores - 2)
    unlucky = np.where(sensitive, scores - 4, scores + 4)
    forms = {INCUMBENT: scores, ENCODER: lucky}
    assert repeated(forms, [{ENCODER: lucky}], sensitive, fold, document).winner() == ENCODER
    judged = repeated(forms, [{ENCODER: unlucky}], sensitive, fold, document)
    assert judged.winner() == INCUMBENT
    assert not judged.found(0).all()
    assert np.array_equal(judged.found(0), judged.found(1))
    # Good in a few documents alone, and worse in all others: more in sum, but not on most halves.
    few = document < 2
    uneven = np.where(few & sensitive, 8.0, scores + random.normal(0, 2.5, len(scores)))
    forms = {INCUMBENT: np.where(few & sensitive, -8.0, scores), ENCODER: uneven}
    assert repeated(forms, [{ENCODER: uneven}], sensitive, fold, document).winner() == INCUMBENT


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_gains_on_halves_against_a_plain_count(seed):
    _, document, sensitive, scores = world(seed, documents=10, words=20)
    judged = repeated({INCUMBENT: scores, ENCODER: scores}, [], sensitive, document % 2, document)
    halves = judged._halves
    found = judged._gains_on_halves(ENCODER, 0, halves)
    value = np.where(sensitive, RATIO, -1.0)
    for i, half in enumerate(halves):
        assert not (half & halves[i ^ 1]).any()
        away, here = ~half[document], half[document]
        curves = GainCurves(
            scores[away], value[away], np.zeros(away.sum(), int), 1, expected=-np.log(RATIO)
        )
        cut = curves.best(np.ones(1, bool))[0]
        # Thresholds are edges of bins, in which rounding may decide about a score on an edge.
        assert found[i] == pytest.approx(value[here & (scores >= cut - 1e-9)].sum())


def test_seeds_are_cut_together_and_their_gains_averaged():
    random, document, sensitive, scores = world(6, documents=12, words=20)
    fold = document % 4
    other = scores + random.normal(0, 1, len(scores))
    judged = repeated(
        {INCUMBENT: scores, ENCODER: scores}, [{ENCODER: other}], sensitive, fold, document
    )
    cut = judged.entries[ENCODER].fit.by_fold[fold]
    value = np.where(sensitive, RATIO, -1.0)
    plain = [
        sum(value[(document == d) & (seen >= cut)].sum() for seen in (scores, other)) / 2
        for d in range(12)
    ]
    assert judged.gains(ENCODER) == pytest.approx(plain)
    assert judged.seeds == 2


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
