"""Exploring on several threads gives the same bytes as on one."""

from sfumato import text
from sfumato.data.samples import clinic_notes


def test_the_same_bytes_on_one_and_on_three_threads(tmp_path):
    notes = clinic_notes(40, seed=9)
    made = []
    for threads in (1, 3):
        found = text.explore(notes, labels=["NAME", "PHONE"], ratios=[1, 5, 20], folds=2, threads=threads)  # fmt: skip
        folder = tmp_path / str(threads)
        folder.mkdir()
        found.save(folder)
        made.append({f.relative_to(folder): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()})  # fmt: skip
    assert made[0] == made[1]
