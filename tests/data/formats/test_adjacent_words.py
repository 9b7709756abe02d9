"""Words that touch in a page are read together and apart."""

import random

import pytest

from sfumato.data.formats.adjacent_words import read_apart
from sfumato.data.formats.mail.message import open_message
from sfumato.data.formats.markup.pages import open_page

MESSAGE = b"From: ward@example.org\nContent-Type: text/html\n\n"


def said(text, orders):
    return ["".join(text[i] if i >= 0 else "|" for i in order) for order in orders]


@pytest.mark.parametrize(
    ("page", "found"),
    [
        (b"<p>by <span>Ann</span><span>Perez</span> twice</p><p>x</p>", ["by Ann|Perez twice"]),
        (b"<p>Encrypted message<a href='x'>Show</a></p>", ["Encrypted message|Show"]),
        (b"<p>Szymborska<sup>1</sup>, and <label>Lee</label>42</p>", ["Szymborska|1, and Lee|42"]),
        (b"<p><b>Z</b>oltan <span>a</span> b<span>, c</span></p>", []),
    ],
)
def test_words_of_a_page_that_touch_are_read_apart_too(page, found):
    for opened in (open_page(page), open_message(MESSAGE + page, "eml")):
        assert said(opened.text, opened.orders) == found
        assert "|" not in opened.text
        assert "\ufdd0" not in opened.text


def test_cells_of_a_message_do_not_touch():
    page = b"<table><tr><td>Ann</td><td>Perez<th>Lee</tr></table><dl><dt>Bo</dt><dd>Li</dd></dl>"
    words = open_message(MESSAGE + page, "eml").text.partition("\n\n")[2].split()
    assert words == ["Ann", "Perez", "Lee", "Bo", "Li"]


def test_each_place_is_read_apart_once_with_what_is_around_it():
    dice = random.Random(5)
    for _ in range(200):
        text = "".join(dice.choices("ab \n", [5, 5, 1, 0.3], k=dice.randrange(400)))
        places = dice.choices(range(-1, len(text) + 2), k=dice.randrange(8))
        orders = read_apart(text, places)
        taken = [i for order in orders for i in order if i >= 0]
        assert taken == sorted(set(taken))
        parted = []
        for order in orders:
            assert order[0] >= 0
            assert order[-1] >= 0
            for at, i in enumerate(order):
                if i < 0:
                    parted.append(order[at + 1])
                    around = order[max(0, at - 10) : at], order[at + 1 : at + 11]
                    near = text[max(0, order[at + 1] - 10) : order[at + 1]].rpartition("\n")[2]
                    assert "".join(text[k] for k in around[0] if k >= 0).endswith(near[-3:])
        wanted = {p for p in places if 0 < p < len(text) and (text[p - 1] + text[p]).isalnum()}
        assert parted == sorted(wanted)
