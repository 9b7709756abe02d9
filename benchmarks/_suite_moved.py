"""Where the checks of earlier tests are now, for tests that no test of today has the name of.

`benchmarks.suite` pairs tests by file and name. What remains of the older suite is listed here, group by group, with the
tests that hold the check today; the comparison names what is in no group, and what a group names in vain.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple


class Moved(NamedTuple):
    """Tests of the older suite, and what holds their check today."""

    before: str  # glob of items; "[" stands for itself
    now: str  # glob of items, the same way; empty where the code that was tested is gone
    why: str


_RENAMED = "the function has another name, its example with it"
_KEPT = "fields are dropped unless they are named: what was tested of --drop is tested of --keep"
_FORMATS = "Word, Excel and PDF are read: what is damaged is refused, in other words"

MOVED = (
    Moved("tests/architecture/test_house.py::test_public_names_exist_once[*", "tests/architecture/test_house.py::test_public_names_exist_once",
          "one test goes through all modules"),
    Moved("tests/architecture/test_house.py::test_collection_has_not_silently_shrunk", "tests/architecture/test_house.py::test_no_test_appears_or_vanishes_unseen",
          "counts are compared exactly, by file, without a second collection"),
    Moved("tests/cli/test_compiling.py::test_compilations_are_counted*", "tests/cli/test_compiling.py::test_it_is_said_where_nothing_was_compiled*",
          "the notice no longer hooks into compiling: it looks for kept kernels"),
    Moved("tests/cli/test_root.py::test_the_script_fills_the_group*", "tests/cli/test_root.py::test_the_script_shows_of_a_command*",
          "the help of each command, loaded alone, is compared with that of all together"),
    Moved("tests/cli/test_wrong_calls.py::*text explore letter*", "tests/cli/test_wrong_calls.py::*text explore letter*", _FORMATS),
    Moved("tests/cli/test_wrong_calls.py::*text explore sheet.xlsx*", "tests/cli/test_wrong_calls.py::*text explore sheet.xlsx*", _FORMATS),
    Moved("tests/cli/test_wrong_calls.py::*text explore latin.csv*", "tests/cli/test_wrong_calls.py::*text explore latin.csv*", "the message gives the hint by itself"),
    Moved("tests/cli/test_wrong_calls.py::*--drop *", "tests/cli/test_wrong_calls.py::*--keep *", _KEPT),
    Moved("tests/core/test_frontier.py::test_bulk_insertion*", "tests/core/test_frontier.py::test_non_dominated_points_of_arrays_equal_brute_force",
          "insert_many is gone; `non_dominated` of arrays keeps its comparison"),
    Moved("tests/data/test_baskets.py::test_bad_files*x.docx*", "tests/data/test_baskets.py::test_bad_files*x.docx*", "the message is in other words"),
    Moved("tests/data/test_baskets.py::test_literals_close*", "", "sfumato.data.literals is gone"),
    Moved("tests/data/test_foreign.py::test_foreign_files_are_named*", "tests/data/test_foreign.py::test_foreign_files_are_named*", _FORMATS),
    Moved("tests/data/test_lines.py::test_fields_can_be_dropped", "tests/data/test_lines.py::test_fields_are_dropped_unless_they_are_kept*", _KEPT),
    Moved("tests/engines/tables/test_publishing.py::test_remeasured*", "tests/engines/tables/test_release.py::test_what_is_read_back_is_what_was_measured", "renamed"),
    Moved("tests/engines/text/learners/test_encoder.py::*model_type-roberta*", "tests/engines/text/learners/test_encoder.py::*model_type-electra*",
          "RoBERTa is read; another architecture is refused"),
    Moved("tests/engines/text/release/test_writing.py::test_a_run_that_stopped*column_part*", "tests/engines/text/release/test_writing.py::test_a_run_that_stopped*line_part*", "renamed"),
    Moved("tests/engines/text/release/test_writing.py::test_lines_in_columns*", "tests/engines/text/release/test_writing.py::test_lines_in_columns*", _KEPT),
    Moved("tests/engines/text/sanitize/test_competition.py::test_the_preferred_form_stands*", "tests/engines/text/sanitize/test_competition.py::test_the_preferred_form_speaks*",
          "the rule is another one: what is as good and simpler is taken"),
    Moved("tests/engines/text/test_desk.py::test_a_slip_in_what_is_dropped*", "tests/engines/text/test_desk.py::test_a_slip_in_what_is_kept*", _KEPT),
    Moved("tests/engines/text/test_promises.py::test_fields_that_are_named*", "tests/engines/text/test_promises.py::test_fields_that_are_not_kept*", _KEPT),
    Moved("tests/engines/text/test_promises.py::test_a_slip_in_drop*", "tests/engines/text/test_promises.py::test_a_slip_in_what_is_kept*", _KEPT),
    Moved("tests/workbench/test_run.py::test_a_killed_run*", "tests/faults/test_kills.py::test_killed_runs_resume[run-*",
          "plans are killed where everything else is"),
    Moved("tests/engines/text/rules/test_rules.py::test_each_language_has*", "tests/engines/text/rules/test_rules.py::test_each_language_has*", "a case was added before them, so that the same ones have other numbers"),
    Moved("tests/core/test_plan.py::test_all_mistakes_are_told*", "tests/core/test_plan.py::test_all_mistakes_are_told*", "more cases come first, so that the same ones have other numbers"),
    Moved("tests/engines/baskets/test_logs.py::test_wrong_calls*no column says whose*", "tests/engines/baskets/test_logs.py::test_wrong_calls*no column names the person*", "the message is in other words"),
    *(
        Moved(f"tests/engines/text/labelling/test_teacher.py::{before}", f"tests/engines/text/labelling/test_background_trainer.py::{now}", "a lesson is called an update, a teacher a trainer")
        for before, now in {
            "test_a_lesson_about_a_document*": "test_an_update_about_a_document*",
            "test_no_lesson_from*": "test_no_update_from*",
            "test_the_page_answers*": "test_the_page_answers*",
            "test_closing_does_not_wait*": "test_closing_does_not_wait*",
            "test_a_teacher_that_fails*": "test_a_trainer_that_fails*",
            "test_a_lesson_that_cannot*": "test_an_update_that_cannot*",
            "test_what_a_page_heard*": "test_what_a_page_applied*",
            "test_which_teacher*": "test_which_trainer*",
        }.items()
    ),
    Moved("src/*::sfumato.core.shift.compare", "src/*::sfumato.core.statistics.shift.compare", "the module moved"),
    Moved("src/*::sfumato.data.combinations.numbered", "src/*.number_combinations", _RENAMED),
    Moved("src/*::sfumato.data.literals.literals", "", "sfumato.data.literals is gone"),
    Moved("src/*.learned_groups", "src/*.learn_groups", _RENAMED),
    Moved("src/*::sfumato.engines.baskets.containment", "src/*::sfumato.engines.baskets.containment.audit.audit", "the example of the module is that of its function"),
    Moved("src/*::sfumato.engines.baskets.knowledge.Knowledge", "src/*.AttackerKnowledge", _RENAMED),
    Moved("src/*::sfumato.engines.baskets.separation.mutual_information", "", "nothing used the function"),
    Moved("src/*::sfumato.engines.baskets.separation", "src/*::sfumato.engines.baskets.measures.separation", "the module moved"),
    Moved("src/*::sfumato.engines.tables.charts._words", "src/*::sfumato.engines.tables.story.charts._words", "the module moved"),
    Moved("src/*::sfumato.engines.tables.joining.joined", "src/*.overlay.overlay", _RENAMED),
    Moved("src/*::sfumato.engines.tables.safe_harbor.told", "src/*.comparison_sentence", _RENAMED),
    Moved("src/*.microaggregated", "src/*.microaggregate", _RENAMED),
    Moved("src/*.found_ranked", "src/*.found_best_first", _RENAMED),
    Moved("src/*.alignment.aligned", "src/*.alignment.align", _RENAMED),
    Moved("src/*.learner_named", "src/*.find_learner", _RENAMED),
    Moved("src/*.labels_listed", "src/*.format_label_counts", _RENAMED),
    Moved("src/*.sanitiser.Counts", "src/*.RedactionCounts", _RENAMED),
    Moved("src/*.dates.shifted", "src/*.dates.shift_date", _RENAMED),
    Moved("src/*.scrambled", "src/*.formats.scramble", _RENAMED),
    Moved("src/*.month_named", "src/*.find_month", _RENAMED),
    Moved("src/*.styled", "src/*.with_style", _RENAMED),
    Moved("src/*.thinned", "src/*.frontier_chart.thin", _RENAMED),
    Moved("src/*.numbers.listed", "src/*.numbers.join_words", _RENAMED),
)  # fmt: skip


def _matching(glob: str, items: Iterable[str]) -> list[str]:
    pattern = glob.replace("[", "[[]")
    return [item for item in items if fnmatchcase(item, pattern)]


def account(before: list[str], now: list[str]) -> dict[str, object]:
    """Return where the checks of tests without a namesake are: by group, and what is in none.

    Parameters
    ----------
    before
        Items of the older suite that were not paired.
    now
        All items of today's.
    """
    groups, left, in_vain = {}, list(before), []
    for moved in MOVED:
        taken, holding = _matching(moved.before, left), _matching(moved.now, now)
        left = [item for item in left if item not in set(taken)]
        if not taken or (moved.now and not holding):
            in_vain.append(moved.before)
        groups[moved.before] = {"items": len(taken), "now": moved.now, "why": moved.why}
    return {"groups": groups, "in_no_group": left, "groups_in_vain": in_vain}
