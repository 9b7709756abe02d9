"""What attackers found, tried again: every attack on the commands of an old tree and of this one.

    python -m benchmarks.findings OLD [--only C1] [--results]

OLD is a commit of this repository, taken out by `git archive` into build/same as `benchmarks.same` does. Each attack
runs the command lines of both trees on the same small data, reads what an attacker would have, and says
what it learns. Beside it stand the tests that keep it so. Exit status 1 where an attack succeeds on this tree.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks import _findings_commands as commands
from benchmarks import _findings_numbers as numbers
from benchmarks import _findings_page as page
from benchmarks._common import RESULTS, ROOT, write_results
from benchmarks._findings_shell import Attack, Shell, Told
from benchmarks.same import check_out


class Finding(NamedTuple):
    """One finding: how it is called, its attack, and its tests, as FILE::TEST."""

    name: str
    attack: Attack
    tests: tuple[str, ...]


_NUMBERS = "test_number_attacks.py::test_an_attack_on_numbers_finds_nothing"
FINDINGS = (
    Finding("C1 property: inside its band", numbers.inside_its_band, ("test_public_bytes.py::test_tables",)),
    Finding("C1a four people behind stars", numbers.four_people,
            ("test_numbers.py::test_c1_four_people_behind_stars_stay_behind_them", _NUMBERS)),
    Finding("C1b two releases, one person more", numbers.one_person_more,
            ("test_numbers.py::test_c1_two_releases_do_not_tell_who_was_added", _NUMBERS)),
    Finding("C1c everybody else is known", numbers.everybody_else,
            ("test_numbers.py::test_c1_an_insider_who_knows_all_but_one_learns_the_band_alone", _NUMBERS)),
    Finding("C1d a number inside its step", numbers.number_in_its_step,
            ("test_numbers.py::test_c1_a_release_says_nothing_of_what_treated_numbers_were", _NUMBERS)),
    Finding("H1 the rarest raw cell", numbers.rarest_cell,
            ("test_numbers.py::test_h1_a_public_report_holds_nothing_of_the_unchanged_table", _NUMBERS)),
    Finding("H2 means of one person", numbers.rows_of_one_person,
            ("test_treatments.py::test_h2_micro_aggregation_counts_people_and_not_rows",
             "test_treatments.py::test_h2_a_treatment_that_changes_nothing_is_refused")),
    Finding("H3 noise", numbers.noise,
            ("test_treatments.py::test_h3_noise_is_normal_and_independent",
             "test_treatments.py::test_h3_a_table_that_grows_keeps_the_noise_of_everybody",
             "test_treatments.py::test_h3_an_insider_who_knows_half_of_the_rows_predicts_nothing_of_the_rest")),
    Finding("H4 fields beside the text", commands.fields,
            ("test_commands.py::test_h4_fields_that_nobody_named_do_not_go_out",)),
    Finding("H5 another port", page.another_port,
            ("test_page.py::test_h5_another_port_receives_nothing_that_opens_the_page",
             "test_page.py::test_h5_cookie_and_rooms_lie_under_a_path_that_nobody_guesses")),
    Finding("M1 an input that changes", commands.changing_input,
            ("test_commands.py::test_m1_an_input_that_changes_while_it_is_published_is_noticed",)),
    Finding("M2 a workbook of every cell", commands.workbook,
            ("test_input_files.py::test_m2_a_small_workbook_that_claims_every_cell_is_refused_at_once",)),
    Finding("M3 empty lines", commands.empty_lines,
            ("test_rules_growth.py::test_m3_every_built_in_rule_is_linear",)),
    Finding("M4 100,000 labels", commands.labels,
            ("test_input_files.py::test_m4_a_corpus_of_too_many_labels_is_one_sentence",)),
    Finding("L1 a pipe", commands.pipe,
            ("test_input_files.py::test_l1_a_pipe_or_a_device_is_one_sentence",)),
    Finding("L2 a body without a length", page.long_body,
            ("test_page.py::test_l2_a_body_in_pieces_is_counted_as_it_comes",)),
    Finding("L3 a note that vanishes", page.vanishing_note,
            ("test_serve.py::test_a_shelf_that_a_kill_or_a_full_disk_left_half_written",)),
    Finding("L4 odd bodies", page.odd_bodies,
            ("test_page.py::test_l4_odd_bodies_are_one_sentence", "test_page.py::test_l4_odd_queries_are_one_sentence",
             "test_page.py::test_l4_only_windows_that_were_drawn_tell_the_risk")),
    Finding("L5 an old cookie", page.old_cookie,
            ("test_page.py::test_l5_an_old_cookie_is_worth_nothing_when_the_address_is_opened_after_idle_minutes",)),
    Finding("L6 a script in a report", page.planted_script,
            ("test_page.py::test_l6_a_script_that_stands_in_a_report_is_not_allowed_by_standing_there",)),
    Finding("L7 what killed runs leave", commands.leftovers,
            ("test_leftovers.py::test_l7_the_next_run_removes_what_killed_ones_left_and_nothing_else",)),
    Finding("L8 a name that is too long", commands.long_name,
            ("test_leftovers.py::test_l8_a_name_that_is_too_long_is_not_repeated",)),
    Finding("a misspelled sensitive item", commands.sensitive_item,
            ("test_basket_items.py::test_a_misspelled_sensitive_item_among_known_ones_is_refused",)),
    Finding("a confidence without items", commands.confidence_alone,
            ("test_basket_items.py::test_a_confidence_without_sensitive_items_is_refused",)),
    Finding("weights as good as names", numbers.weights,
            ("test_weights.py::test_weights_are_published_so_that_k_people_share_each",)),
    Finding("people who vanish", commands.lost_rows,
            ("test_basket_items.py::test_people_of_whom_nothing_is_left_are_counted_and_told",)),
)  # fmt: skip


def attempt(finding: Finding, source: Path) -> Told:
    """Try an attack on the commands of a tree, in a new folder."""
    with tempfile.TemporaryDirectory(prefix="findings-") as place:
        shell = Shell(source, Path(place) / "work", Path(place) / "home")
        shell.folder.mkdir()
        shell.home.mkdir()
        return finding.attack(shell)


def _keep(old: str, finding: Finding, told: dict[str, Told]) -> None:
    """Write down what an attack found; what is kept of another commit goes."""
    path, command = RESULTS / "findings.json", f"python -m benchmarks.findings {old} --results"
    before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    rows = before["findings"] if before.get("command") == command else {}
    kept = {n: {"succeeded": bool(t.succeeded), "words": t.words} for n, t in told.items()}
    rows[finding.name] = {"tests": list(finding.tests)} | kept
    write_results("findings", {"command": command, "findings": rows})


def main() -> int:
    """Try every attack on both trees; return 1 where one succeeds on this one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.findings", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("old", help="a commit of this repository")
    parser.add_argument("--only", default="", help="findings whose names begin so")
    parser.add_argument(
        "--results", action="store_true", help="keep what was found, beside what earlier runs found"
    )
    asked = parser.parse_args()
    trees = {"old": check_out(asked.old), "now": ROOT / "src"}
    succeeded = 0
    for finding in (f for f in FINDINGS if f.name.startswith(asked.only)):
        told = {name: attempt(finding, source) for name, source in trees.items()}
        succeeded += told["now"].succeeded
        said = "; ".join(
            f"{name}: {'SUCCEEDS, ' if t.succeeded else ''}{t.words}" for name, t in told.items()
        )
        print(f"{finding.name}\n   {said}", flush=True)
        if asked.results:
            _keep(asked.old, finding, told)
    return int(succeeded > 0)


if __name__ == "__main__":
    sys.exit(main())
