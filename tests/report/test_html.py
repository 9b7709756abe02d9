"""The page: self-contained, in order, readable by everybody; checked with a small parser of our own."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from sfumato.core.errors import FormatError
from sfumato.reports.facts import ReportFacts
from sfumato.reports.html import LARGEST, render_html
from sfumato.reports.parts import find_parts

VOID = {"meta", "link", "br", "hr", "img", "input", "line", "path", "circle", "rect"}


class Page(HTMLParser):
    """Collect what the checks ask for: headings, ids, links, images, labels, open tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.headings: list[tuple[int, str]] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.tags: list[str] = []
        self.buttons: list[str] = []
        self.empty_links = 0
        self._open: list[str] = []
        self._text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        self.attributes += [(tag, k, v or "") for k, v in attrs]
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a":
            self.targets.append(given.get("href", ""))
        if tag == "svg":
            self.images.append(given)
        if tag in {"h1", "h2", "h3", "h4", "a", "button"}:
            self._text = ""
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, k, v or "") for k, v in attrs]

    def handle_data(self, data):
        self._text += data

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag
        if tag in {"h1", "h2", "h3", "h4"}:
            self.headings.append((int(tag[1]), self._text.strip()))
        if tag == "button":
            self.buttons.append(self._text.strip())
        if tag == "a" and not self._text.strip():
            self.empty_links += 1


def page_of(*folders):
    return render_html(ReportFacts(tuple(find_parts(folders))))


@pytest.fixture(scope="module")
def rendered(copied, tmp_path_factory):
    """Render one page per kind of report, once."""
    pages = {}
    for engines in (("text",), ("tables",), ("baskets",), ("text", "tables", "baskets")):
        pages["+".join(engines)] = page_of(copied(tmp_path_factory.mktemp("page"), *engines))
    return pages


@pytest.fixture(params=["text", "tables", "baskets", "text+tables+baskets"])
def html(request, rendered):
    return rendered[request.param]


def without_scripts(html: str) -> str:
    return re.sub(r"<script[^>]*>.*?</script>", "", html, flags=re.DOTALL)


def test_one_first_heading_and_no_level_is_skipped(html):
    levels = [level for level, _ in Page(without_scripts(html)).headings]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))
    assert all(text for _, text in Page(without_scripts(html)).headings)


def test_the_page_opens_with_the_verdict_and_then_tells_in_order(html):
    titles = [text for level, text in Page(without_scripts(html)).headings if level == 2]
    assert titles[0] == "Verdict"
    assert titles[-4:] == ["Method", "How to repeat it", "How to read the numbers", "Signature"]
    sections = [text for level, text in Page(without_scripts(html)).headings if level == 3]
    wanted = ["What is published", "The trade-off", "The attack", "The cost", "The assumptions"]
    assert sections[:5] == wanted


def test_ids_are_unique_and_links_lead_somewhere(html):
    page = Page(without_scripts(html))
    assert len(page.ids) == len(set(page.ids))
    assert page.targets
    assert {t[1:] for t in page.targets if t.startswith("#")} <= set(page.ids)
    assert all(t.startswith("#") for t in page.targets)
    assert page.empty_links == 0
    assert all(page.buttons)


def test_charts_are_images_with_a_text(html):
    page = Page(without_scripts(html))
    charts = [i for i in page.images if i.get("aria-hidden") != "true"]
    assert len(charts) >= 3
    for chart in charts:
        assert chart["role"] == "img"
        assert re.search(r"\d", chart["aria-label"])
        assert len(chart["aria-label"]) > 40


def test_nothing_is_fetched(html):
    bare = without_scripts(html)
    page = Page(bare)
    for _tag, key, value in page.attributes:
        if key in {"src", "href", "xlink:href", "action", "data", "poster", "srcset", "style", "formaction"}:  # fmt: skip
            assert not re.search(r"(https?:)?//", value)
    assert not re.search(r"url\(\s*['\"]?(?!#)", bare)
    assert "@import" not in bare
    assert not re.search(r"<(iframe|object|embed|base|form)\b", bare)
    assert "default-src 'none'" in html
    script = (files("sfumato.reports") / "templates" / "page.js").read_text()
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|import\(|http", script.replace("http: false", ""))  # fmt: skip


def test_the_page_is_small_and_says_its_language(html):
    assert len(html.encode()) < LARGEST
    assert '<html lang="en"' in html
    assert 'name="viewport"' in html
    assert 'class="skip"' in html
    assert "@media print" in html


def test_a_page_too_large_leaves_the_library_out(copied, tmp_path, monkeypatch):
    import sfumato.reports.html as module

    monkeypatch.setattr(module, "LARGEST", 900_000)
    small = page_of(copied(tmp_path, "text"))
    assert 'id="vega"' not in small
    assert "data-live" not in without_scripts(small)


def test_specs_for_the_interactive_charts_are_json(html):
    found = re.findall(r'<script type="application/json" id="spec-[^"]+">(.*?)</script>', html, re.DOTALL)  # fmt: skip
    assert found
    for text in found:
        assert "datasets" in json.loads(text)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def palettes() -> dict[str, dict[str, str]]:
    style = (files("sfumato.reports") / "templates" / "style.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    assert len(blocks) == 3
    found = [dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", block)) for block in blocks]
    light, dark, paper = found
    return {"light": light, "dark": {**light, **dark}, "print": {**light, **paper}}


TEXT_ON = [
    (ink, ground)
    for ink in ("ink", "muted", "accent")
    for ground in ("paper", "card", "mark", "wash", "smoke-1", "smoke-2", "smoke-3")
    if not (ground.startswith("smoke") and ink != "ink")
]
TEXT_ON += [("holds", "holds-wash"), ("look", "look-wash"), ("open", "open-wash"), ("orange", "card"), ("paper", "ink")]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize(("ink", "ground"), TEXT_ON)
def test_text_has_enough_contrast(scheme, ink, ground):
    colours = palettes()[scheme]
    if scheme == "print" and ground.startswith("smoke"):
        return  # the smoke is not printed
    assert contrast(colours[ink], colours[ground]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("mark", ["blue", "orange", "green", "grey", "rule"])
def test_marks_have_enough_contrast(scheme, mark):
    assert contrast(palettes()[scheme][mark], palettes()[scheme]["card"]) >= 3


def test_every_colour_of_the_specs_follows_light_and_dark():
    folder = files("sfumato.presentation") / "chart_specs"
    used = {c for p in folder.iterdir() for c in re.findall(r"#[0-9a-f]{6}", p.read_text())}
    style = (files("sfumato.reports") / "templates" / "style.css").read_text()
    assert used
    for colour in used:
        assert f'[fill="{colour}"]' in style or f'[stroke="{colour}"]' in style


HOSTILE = "<img src=x onerror=y>"


def test_names_that_look_like_markup_stay_text(copied, tmp_path):
    folder = copied(tmp_path, "baskets")
    path = folder / "baskets-explored" / "frontier.json"
    content = json.loads(path.read_text())
    for candidate in content["candidates"]:
        candidate["features"][0] = HOSTILE
    content["inputs"][0]["path"] = "a<b>&'\".csv"
    path.write_text(json.dumps(content))
    html = page_of(folder)
    assert HOSTILE not in html
    assert "a<b>" not in html
    Page(without_scripts(html))


def test_a_record_with_an_unknown_field_is_refused_without_its_words(copied, tmp_path):
    folder = copied(tmp_path, "tables")
    path = folder / "tables-explored" / "frontier.json"
    content = json.loads(path.read_text())
    content["note"] = "Zanzibarovic"
    path.write_text(json.dumps(content))
    with pytest.raises(FormatError) as caught:
        page_of(folder)
    assert "anzibarovic" not in str(caught.value)


def test_no_word_of_the_documents_reaches_the_page(rendered, small_samples):
    known = set()
    for line in (small_samples / "held_out.jsonl").read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        for span in document["spans"]:
            start, end = (span["start"], span["end"]) if isinstance(span, dict) else span[:2]
            known.add(document["text"][start:end])
    assert len(known) > 20
    page = without_scripts(rendered["text+tables+baskets"])
    assert [word for word in known if len(word) > 4 and word in page] == []
