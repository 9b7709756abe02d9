"""In a real browser: the review room shows the pages of a published PDF, with a box around every placeholder."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pikepdf", reason="the extra pdf is not installed")

from tests.chromium import CHROMIUM, until
from tests.data.formats.pdf.letters import draw_letter, latin
from tests.web.test_review_room import Page, browser  # noqa: F401 (a fixture)

from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling.project import start_project

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: `apt-get install chromium` adds these checks"),
]  # fmt: skip

# For each box the darkest pixel of the picture inside it, and of a strip of the paper around the page.
_BOXES = """(async () => {
  const sheet = document.querySelector("#pages .sheet"), picture = sheet.querySelector("img");
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = picture.naturalWidth; canvas.height = picture.naturalHeight;
  const paper = canvas.getContext("2d", { willReadFrequently: true });
  paper.drawImage(picture, 0, 0);
  const page = picture.getBoundingClientRect(), across = picture.naturalWidth / page.width;
  const colours = (box) => {
    const pixels = paper.getImageData((box.left - page.left) * across, (box.top - page.top) * across, box.width * across, box.height * across).data;
    const grey = new Map();
    for (let i = 0; i < pixels.length; i += 4) grey.set(pixels[i], (grey.get(pixels[i]) || 0) + 1);
    return [...grey].sort((a, b) => b[1] - a[1])[0][0];
  };
  const boxes = [...sheet.querySelectorAll(".box")];
  return JSON.stringify({
    alt: picture.alt, wide: picture.naturalWidth, labels: boxes.map((box) => box.title),
    behind: boxes.map((box) => colours(box.getBoundingClientRect())),
  });
})()"""


@pytest.fixture
def page(tmp_path):
    """Serve a project of letters in PDF whose rules were published."""
    notes = clinic_notes(6, seed=6)
    (tmp_path / "letters").mkdir()
    for note in notes:
        (tmp_path / "letters" / f"{note.id}.pdf").write_bytes(draw_letter(latin(note.text)))
    start_project(tmp_path / "letters", tmp_path / "project", labels=["NAME"])
    served = Page(tmp_path / "project")
    session = served.state.desk.session
    for number, document in enumerate(session.documents[:4]):
        note = next(n for n in notes if document.id.startswith(n.id))
        names = {note.text[s.start : s.end] for s in note.spans if s.label == "NAME"}
        spans = [
            (at, at + len(name), "NAME") for name in names if (at := document.text.find(name)) >= 0
        ]
        session.window((number, 0, len(document.text)), sorted(spans), random=True)
    served.state.desk.explore()
    served.state.desk.publish("r10", lambda *_, **__: None)
    yield served
    served.stop()


def test_every_box_lies_on_a_placeholder_of_the_published_page(page, browser):  # noqa: F811
    browser.open(page.address)
    browser.open(f"{page.base}/review")
    browser.run("document.querySelector('[data-open]').click()")
    until(browser, "document.querySelectorAll('#pages .sheet .box').length")
    shown = json.loads(browser.run(_BOXES))
    browser.keep("review-pages")
    assert shown["wide"] == 900
    assert shown["alt"].startswith("Page 1 as published, ")
    assert set(shown["labels"]) == {"NAME"}
    assert f"{len(shown['labels'])} place" in shown["alt"]
    assert set(shown["behind"]) == {224}, (
        "placeholders are written on light grey, and nothing else is"
    )
    assert browser.run("document.getElementById('pages-title').hidden") is False
    assert browser.complaints() == []
