"""A desk: a folder with lines.txt, each line of which is answered with a key and kept in answers.txt."""

from __future__ import annotations

from sfumato.core.errors import InputError
from sfumato.desk.protocol import Desk


def open_tally(folder):
    return TallyDesk(folder) if (folder / "lines.txt").is_file() else None


class TallyDesk(Desk):
    labels = ("YES", "NO")
    released_candidate = None

    def __init__(self, folder):
        self.folder = folder
        self.lines = (folder / "lines.txt").read_text(encoding="utf-8").splitlines()

    def question(self, asking):
        done = len(self._answers())
        if done == len(self.lines):
            return {"kind": "none"}
        text = self.lines[done]
        return {"kind": "mark", "random": False, "doc": done, "id": str(done), "first": 0, "text": text,
                "last": len(text), "offset": 0, "words": [[0, len(text)]], "number": done + 1}  # fmt: skip

    def _answers(self):
        kept = self.folder / "answers.txt"
        return kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []

    def answer(self, given):
        with (self.folder / "answers.txt").open("a", encoding="utf-8") as out:
            out.write(f"{given.get('label', '')}\n")

    def status(self):
        return {"answers": len(self._answers()), "documents": len(self.lines)}

    def document(self, number, ratio=None):
        return {
            "doc": number,
            "id": str(number),
            "text": self.lines[number],
            "words": [],
            "spans": [],
        }

    def like(self, given):
        return []

    def review(self):
        return []

    def to_see(self):
        return 0

    def _refuse(self, *given, **options):
        raise InputError("A tally has no release.")

    released = see = approve = explore = publish = _refuse

    def close(self):
        pass
