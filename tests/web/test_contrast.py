"""Colours of the local page: text has the contrast that WCAG 2 asks for at level AA, in light and in dark."""

import re
from importlib.resources import files

import pytest

CSS = (files("sfumato.web") / "static" / "page.css").read_text(encoding="utf-8")
LIGHT, DARK = (dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", part)) for part in re.findall(r":root \{(.*?)\}", CSS, re.DOTALL))  # fmt: skip
ON_PAPER = [(ink, paper) for ink in ("ink", "muted", "accent", "yes", "no") for paper in ("paper", "card")]  # fmt: skip
ON_MARKS = [("ink", f"k{n}") for n in range(1, 10)]


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first, second):
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "paper"), [*ON_PAPER, *ON_MARKS])
def test_text_can_be_read(scheme, ink, paper):
    assert contrast(scheme[ink], scheme[paper]) >= 4.5


def test_keys_that_the_page_takes_are_listed():
    page = (files("sfumato.web") / "templates" / "label.html.j2").read_text(encoding="utf-8")
    script = (files("sfumato.web") / "static" / "page.js").read_text(encoding="utf-8")
    listed = page[page.index('<dialog id="help"') : page.index("data-close-help")]
    for key in re.findall(r'key === "([a-z])" && window_|key === "([a-z])" && !window_|key === "([suf])"', script):  # fmt: skip
        assert f"<kbd>{next(filter(None, key))}</kbd>" in listed
    for key in "[]{}?":
        assert f"<kbd>{key}</kbd>" in listed
