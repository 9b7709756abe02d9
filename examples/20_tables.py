"""A patient register: the frontier of policies, a choice on it, and what is published."""

import tempfile
from pathlib import Path

import sfumato as sf
from sfumato.data.samples import write_samples

with tempfile.TemporaryDirectory() as folder:
    samples = write_samples(Path(folder) / "samples")
    frontier = sf.tables.explore(
        samples / "register.csv",
        schema=samples / "schema.toml",
        population=samples / "population.csv",
        budget=2000,
        seed=0,
    )
    print(f"{len(frontier)} policies, area {frontier.area():.4f}")
    chosen = frontier.choose(max_risk=0.01)
    print(f"risk {chosen.risk.value:.4f}, information kept {chosen.utility.value:.1%}")
    for attribute, intervals in chosen.policy.items():
        print(f"  {attribute}: {len(intervals)} intervals")
    frontier.publish(chosen, samples / "register.csv", out=Path(folder) / "published.csv")
    print((Path(folder) / "published.csv").read_text(encoding="utf-8").splitlines()[0])
