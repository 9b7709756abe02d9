"""Print every form × band × language; `python -m tests.mentions.golden` renews golden.txt, which is read in the diff."""

from datetime import date
from pathlib import Path

from sfumato.mentions import Band, OwnValues, rewrite
from sfumato.mentions.own import age_band, days_of

from .forms import FORMS

FILE = Path(__file__).with_name("golden.txt")
BIRTH, VISIT = date(1975, 12, 3).toordinal(), date(2023, 3, 12).toordinal()
BANDS = [
    ("45-49", "2023-Q1"),
    ("40-59", "2023"),
    ("≥ 45", "2023-03"),
    ("*", "known"),
    ("45-49", "2022-11/2023-04"),
]


def own_values(ages, days):
    """Return the record of the forms under two labels of its row."""
    return OwnValues(
        age=47, age_band=age_band(ages), birth=Band(BIRTH, BIRTH), visit=VISIT, visit_band=days_of(days)
    )  # fmt: skip


def render():
    """Return the text of the golden file."""
    lines = []
    for code, forms in FORMS.items():
        for form in forms:
            lines.append(f"{code}  {form}")
            for ages, days in BANDS:
                lines.append(
                    f"    {ages:6} {days:16} {rewrite(form, own_values(ages, days), [code]).text}"
                )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(render(), encoding="utf-8")
