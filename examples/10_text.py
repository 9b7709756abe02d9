"""Clinic notes: explore, choose a loss ratio, publish, and read what an attacker would find."""

import tempfile
from pathlib import Path

import sfumato as sf
from sfumato.data.samples import clinic_notes

notes = clinic_notes(100)
frontier = sf.text.explore(notes, labels=["NAME"], ratios=[1, 10], attackers=["all"], seed=0)

for candidate in frontier.candidates:
    strongest = candidate.attack.strongest
    print(
        f"L/C = {candidate.ratio:g}: {candidate.risk.value:.2%} of the names left, "
        f"{candidate.utility.value:.1%} of the words published; the strongest attacker "
        f"({strongest.attacker}) finds {strongest.found:g} in {strongest.budget} words"
    )

chosen = frontier.choose(max_risk=max(c.risk.value for c in frontier.candidates))
published = frontier.publish(chosen, clinic_notes(20, seed=1))
print(
    f"{len(published)} documents published, {sum('[NAME]' in d.text for d in published)} with redactions"
)

with tempfile.TemporaryDirectory() as folder:
    frontier.save(folder)  # frontier.json and the model, for `sfumato text publish`
    print(sorted(p.name for p in Path(folder).iterdir()))
