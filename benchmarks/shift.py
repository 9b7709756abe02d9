"""Does the shift check notice documents of another kind, and keep quiet about those of the same?

Learned from one half of a corpus; released: the other half, the other half in upper case, in lower
case or with the errors of a scanner, documents of other corpora, and the visit notes' own dialogues
(the same visits, another report type). A promise is broken when the share left is above its range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks._common import data_folder, resumed
from benchmarks.calibration import sample
from benchmarks.text import prepared, read
from sfumato.core.randomness import Streams
from sfumato.core.statistics.shift import ALARM
from sfumato.data.document import Document
from sfumato.engines.text.frontier.judge import Judge
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.sanitize.greedy import GreedySanitize
from sfumato.engines.text.shift import ShiftReference

HALVES = 26  # of each corpus
VARIED = 2  # of them are also published as something else
RATIO = 10.0
LEVELS = (0.005, 0.01, 0.015, 0.03, 0.05)
NEAR = (("aci_bench_notes", "aci_bench_dialogues"), ("aci_bench_dialogues", "aci_bench_notes"))
_MISREAD = {"l": "1", "o": "0", "i": "l", "e": "c", "m": "rn", "a": "o", "s": "5", "t": "f",
            "n": "u", "r": "n"}  # fmt: skip


def scanned(text: str, random: np.random.Generator) -> str:
    """Misread about one character in thirty."""
    characters = list(text)
    for i in np.flatnonzero(random.random(len(characters)) < 0.03):
        dropped = "" if random.random() < 0.3 else characters[i]
        characters[i] = _MISREAD.get(characters[i], dropped)
    return "".join(characters)


VARIANTS: dict[str, Callable[[str, np.random.Generator], str]] = {
    "upper case": lambda text, _: text.upper(),
    "lower case": lambda text, _: text.lower(),
    "scanner's errors": scanned,
}


class Learned:
    """What is kept of one half: the shift reference and, for broken promises, a publisher."""

    def __init__(self, documents: list[Document], seed: int, *, publisher: bool) -> None:
        vocabulary = Vocabulary()
        tokens = tokenize([d.text for d in documents], vocabulary)
        data = TokenData.of(tokens, vocabulary)
        labels = labels_from_spans(documents, tokens, ["NAME"])
        self.seed = seed
        reference = ShiftReference.learn(
            data, (labels > 0).astype(np.uint8), vocabulary.words, streams=Streams(seed).child("s")
        )
        assert reference is not None
        self.reference = reference
        if publisher:
            labelled = Labelled(data, labels, ("NAME",), np.ones(len(documents), bool))
            self.publication = GreedySanitize(seed=seed).fit(labelled, (RATIO,))[RATIO]
            judge = Judge(
                labelled, weights={}, attackers=(), budgets=(10,), streams=Streams(seed),
                progress=lambda _: None,
            )  # fmt: skip
            risk = judge.measures(self.publication.redacted)[0]
            assert risk.interval is not None
            self.promise = risk.interval.high

    def p_value(self, texts: list[str]) -> float:
        found = self.reference.check(texts, streams=Streams(self.seed))[0].p_value
        assert found is not None
        return found

    def broken(self, documents: list[Document]) -> bool:
        """Whether more is left than promised, in truth."""
        unseen, truth = prepared(documents)
        sensitive = unseen.counted & (truth > 0)
        redacted = self.publication.classifiers.redactions(unseen) > 0
        return bool((sensitive & ~redacted).sum() > self.promise * max(sensitive.sum(), 1))


Found = list[tuple[str, float]]


def half(corpora: dict[str, list[Document]], name: str, seed: int) -> tuple[Found, list[float]]:
    """Learn from one half; return p-values by kind of release, and those of broken promises."""
    random = Streams(seed).generator("variants")
    own, rest = sample(corpora[name], seed)
    learned = Learned(own, seed, publisher=seed < VARIED)
    found: Found = [("same corpus", learned.p_value([d.text for d in rest]))]
    broken: list[float] = []
    if seed >= VARIED:
        return found, broken
    for kind, change in VARIANTS.items():
        texts = [change(d.text, random) for d in rest]
        if texts != [d.text for d in rest]:  # lower case that was so before is no change
            found.append((kind, learned.p_value(texts)))
    others = [o for o in corpora if o != name and (name, o) not in NEAR]
    drawn = [("other corpus", str(other)) for other in random.permutation(others)[:2]]
    drawn += [("another report type", near) for n, near in NEAR if n == name]
    for kind, other in drawn:
        documents = sample(corpora[other], seed)[1]
        p_value = learned.p_value([d.text for d in documents])
        found.append((kind, p_value))
        if learned.broken(documents):
            broken.append(p_value)
    return found, broken


def run(halves: int = HALVES) -> dict[str, Any]:
    folder = data_folder()
    if folder is None:
        return {"skipped": "the folder with real data is not there"}
    names = sorted(path.name.split(".")[0] for path in (folder / "text").glob("*.jsonl.gz"))
    corpora = {name: read(folder, name) for name in names}
    p_values: dict[str, list[float]] = {}
    broken: list[float] = []
    for name in names:
        for seed in range(halves):
            found, lost = resumed(
                "shift", f"{name}-{seed}", lambda name=name, seed=seed: half(corpora, name, seed)
            )
            for kind, p_value in found:
                p_values.setdefault(kind, []).append(p_value)
            broken += lost
        print(f"   {name}: done", flush=True)
    table = {kind: refused(found, LEVELS) for kind, found in p_values.items()}
    print(f"   refused: { {k: v['share_refused'] for k, v in table.items()} }", flush=True)
    return {"alarm_at": ALARM, "releases": table, "broken_promises": refused(broken, LEVELS)}


def refused(p_values: list[float], levels: Sequence[float] = ()) -> dict[str, Any]:
    """Count the releases that are refused, also at other levels than the shipped one."""
    found = np.asarray(p_values)
    at = {str(level): round(float((found <= level).mean()), 4) for level in levels}
    return {
        "releases": len(found),
        "refused": int((found <= ALARM).sum()),
        "share_refused": round(float((found <= ALARM).mean()), 4),
        **({"share_refused_at": at} if levels else {}),
    }
