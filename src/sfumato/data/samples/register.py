"""A patient register and the population that its patients are drawn from, both made up."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import TYPE_CHECKING

from ...core.errors import ParameterError
from ...core.randomness import Streams
from .notes import RowFacts, notes_of_rows

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

__all__ = ["later_register", "patient_register", "register_population", "register_schema"]

_AREAS, _OLDEST = 48, 95
_SEXES = ("Female", "Male")
_GROUPS = ("Northern", "Coastal", "Highland", "Island", "Other")
_DIAGNOSES = ("asthma", "cancer", "diabetes", "fracture", "heart failure", "infection", "stroke")


def register_population(seed: int = 0) -> pa.Table:
    """Count a made-up population by area, age, sex and group: an Arrow table with `count`.

    Areas are codes of five digits whose neighbours are alike; some are small, and some groups are
    rare in them, so that part of the people are alone in their cell.

    >>> register_population().column_names
    ['area', 'age', 'sex', 'group', 'count']
    """
    import numpy as np
    import pyarrow as pa

    areas, counts = _counts(seed)
    area, age, sex, group = np.nonzero(counts)
    return pa.table(
        {
            "area": pa.array([areas[i] for i in area]),
            "age": pa.array(age.astype(np.int64)),
            "sex": pa.array([_SEXES[i] for i in sex]),
            "group": pa.array([_GROUPS[i] for i in group]),
            "count": pa.array(counts[area, age, sex, group]),
        }
    )


def patient_register(rows: int = 5000, seed: int = 0, *, notes: bool = False) -> pa.Table:
    """Draw patients from the population without putting anyone back: an Arrow table.

    The columns are patient (an identifier), age, sex, group, area, diagnosis (sensitive) and stay in
    days; with `notes` also the day of a visit, and a clinic note about the row.

    >>> patient_register(2).column_names
    ['patient', 'age', 'sex', 'group', 'area', 'diagnosis', 'stay']
    """
    import numpy as np
    import pyarrow as pa

    areas, counts = _counts(seed)
    people = int(counts.sum())
    if not 1 <= rows <= people // 2:
        rule = f"an int in [1, {people // 2}]"
        raise ParameterError.constraint("rows", "patient_register", rule, rows)
    draw = Streams(seed).generator("patient_register")
    # Everyone is one entry; the old are likelier to be patients (the smallest keys are taken).
    cell = np.repeat(np.arange(counts.size), counts.ravel())
    age_of = np.unravel_index(cell, counts.shape)[1]
    keys = draw.exponential(size=people) / (1.0 + (age_of / 30.0) ** 2)
    taken = cell[draw.permutation(np.argpartition(keys, rows - 1)[:rows])]
    area, age, sex, group = np.unravel_index(taken, counts.shape)
    # Rates by age: fractures for the young, strokes and heart failure for the old.
    old = (age / _OLDEST)[:, None]
    weight = np.array([1.2, 0.4, 0.6, 1.2, 0.1, 1.0, 0.1]) * (1 - old) + old * np.array(
        [0.3, 1.2, 1.0, 0.8, 1.4, 0.8, 1.2]
    )
    chosen = (
        draw.random(rows)[:, None] > np.cumsum(weight / weight.sum(1, keepdims=True), axis=1)
    ).sum(1)
    chosen = np.minimum(chosen, len(_DIAGNOSES) - 1)
    stay = 1 + draw.poisson(1.0 + chosen + age / 20.0)
    table = {
        "patient": pa.array([f"P{n:06d}" for n in draw.permutation(1_000_000)[:rows]]),
        "age": pa.array(age.astype(np.int64)),
        "sex": pa.array([_SEXES[i] for i in sex]),
        "group": pa.array([_GROUPS[i] for i in group]),
        "area": pa.array([areas[i] for i in area]),
        "diagnosis": pa.array([_DIAGNOSES[i] for i in chosen]),
        "stay": pa.array(stay.astype(np.int64)),
    }
    if notes:
        facts = _facts_of(draw, age, sex, [areas[i] for i in area])
        table["visit"] = pa.array([row.visit.isoformat() for row in facts])
        table["notes"] = pa.array(notes_of_rows(facts, seed + 2))
    return pa.table(table)


def later_register(rows: int = 5000, seed: int = 0) -> pa.Table:
    """Return the register a quarter later: one in twenty has left, a quarter had a birthday, one in fifty moved.

    >>> earlier, later = patient_register(200), later_register(200)
    >>> later.num_rows < earlier.num_rows, set(later["patient"]) <= set(earlier["patient"])
    (True, True)
    """
    import numpy as np
    import pyarrow as pa

    table = patient_register(rows, seed)
    areas, _ = _counts(seed)
    draw = Streams(seed).generator("later_register")
    age = table["age"].to_numpy() + (draw.random(rows) < 0.25)
    moved = draw.random(rows) < 0.02
    area = np.where(moved, draw.choice(areas, rows), table["area"].to_numpy(zero_copy_only=False))
    stays = draw.random(rows) >= 0.05
    table = table.set_column(1, "age", pa.array(np.minimum(age, _OLDEST).astype(np.int64)))
    table = table.set_column(4, "area", pa.array(area.tolist()))
    return table.filter(pa.array(stays))


def _facts_of(
    draw: np.random.Generator,
    age: npt.NDArray[np.intp],
    sex: npt.NDArray[np.intp],
    areas: list[str],
) -> list[RowFacts]:
    """Draw a visit of the year and a day of birth that agrees with age and visit."""
    first = date(2023, 1, 1)
    visits = [first + timedelta(days=int(n)) for n in draw.integers(0, 365, age.size)]
    since = draw.integers(0, 365, age.size)
    found = []
    for years, number, area, visit, days in zip(age, sex, areas, visits, since, strict=True):
        birthday = visit.replace(year=visit.year - int(years), day=min(visit.day, 28))
        birth = birthday - timedelta(days=int(days))
        found.append(RowFacts(int(years), _SEXES[number] == "Female", area, visit, birth))
    return found


def register_schema(seed: int = 0, *, notes: bool = False) -> str:
    """Write the schema of the register as TOML.

    >>> import tomllib
    >>> [a["role"] for a in tomllib.loads(register_schema())["attribute"]][:3]
    ['identifier', 'quasi', 'quasi']
    """
    areas, _ = _counts(seed)

    def listed(values: Iterable[str]) -> str:
        return "{ values = [" + ", ".join(f'"{value}"' for value in values) + "] }"

    quasi = {
        "age": f"{{ range = [0, {_OLDEST}] }}",
        "sex": listed(_SEXES),
        "group": listed(_GROUPS),
        "area": listed(areas),
    }
    lines = ['missing = "error"', "", "[[attribute]]", 'name = "patient"', 'role = "identifier"']
    for name, domain in quasi.items():
        lines += ["", "[[attribute]]", f'name = "{name}"', 'role = "quasi"', f"domain = {domain}"]
    for name, role in {"diagnosis": "sensitive", "stay": "other"}.items():
        lines += ["", "[[attribute]]", f'name = "{name}"', f'role = "{role}"']
    if notes:
        lines += [
            "",
            "[[attribute]]",
            'name = "visit"',
            'role = "other"',
            'date = { unit = "quarter" }',
        ]
        lines += ["", "[[attribute]]", 'name = "notes"', 'role = "other"']
        lines += ['publish = { mentions = ["age", "area", "visit"] }']
    return "\n".join(lines) + "\n"


def _counts(seed: int) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Make the codes of the areas and the count of people by area, age, sex and group."""
    import numpy as np

    draw = Streams(seed).generator("register_population")
    codes = np.sort(draw.choice(np.arange(0, 900), size=_AREAS, replace=False))
    areas = [f"{30_000 + 11 * int(code):05d}" for code in codes]
    size = np.exp(draw.normal(7.7, 1.1, _AREAS))
    # Neighbouring areas are alike: their mixes of groups drift slowly along the codes.
    drift = np.cumsum(draw.normal(0, 0.35, (_AREAS, len(_GROUPS))), axis=0)
    mix = np.exp(drift - drift.mean(0)) * np.array([1.0, 0.5, 0.2, 0.05, 0.02])
    mix /= mix.sum(1, keepdims=True)
    ages = np.arange(_OLDEST + 1)
    pyramid = (1.0 + 0.3 * np.cos(ages / 13.0)) / (1.0 + np.exp((ages - 74) / 7.0))
    pyramid /= pyramid.sum()
    older = 1.0 / (1.0 + np.exp(-(ages - 78) / 8.0))
    by_sex = np.stack([0.49 + 0.18 * older, 0.51 - 0.18 * older], axis=1)
    expected = (
        size[:, None, None, None]
        * pyramid[None, :, None, None]
        * by_sex[None, :, :, None]
        * mix[:, None, None, :]
    )
    return areas, draw.poisson(expected)
