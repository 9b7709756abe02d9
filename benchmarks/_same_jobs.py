"""What `benchmarks.same` runs: small inputs, chains of commands, and the differences that are meant.

Commands keep the spelling of 0.2, which later versions still take, so that an old tree can run them.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ORDER = "the same lines in another order"
"""As what differs: the lines are compared sorted."""
MARKS = "the same words redacted, under other labels or with other punctuation"
"""As what differs: replacements and punctuation that follow each other count as one."""
_WITH_MARKS = re.compile(r"\s*(?:\[[A-Z]+\]|█+|[^\w\s])(?:\s*(?:\[[A-Z]+\]|█+|[^\w\s]))*\s*")


def without_marks(content: bytes) -> str:
    """Return a text in which each run of replacements and punctuation is one, without its labels."""
    return _WITH_MARKS.sub("[]", content.decode())


class Allowed(NamedTuple):
    """A difference that is meant: where it is, what differs there, and why."""

    file: str  # glob of a written file, or of "CHAIN/stdout" and "CHAIN/stderr"
    what: str  # of JSON a glob of the field's path, such as measured.*.risk; of other files a pattern of lines, or ORDER; "" for all
    reason: str
    sometimes: bool = False  # whether it depends on the clock, on what was compiled before, or on which commit is the old one


ALLOWED: tuple[Allowed, ...] = (
    Allowed(
        "*/stderr", "first use: compiling", "a tree whose kernels are not compiled yet says so", sometimes=True
    ),
    Allowed("*/stderr", r"^[a-z ]+: \d+( of \d+| [\d,]+ words|$)", "progress is printed by the clock", sometimes=True),
    Allowed("*/stderr", " (is|are) also in the release ", "releases of the same documents or people are judged together"),
    Allowed("samples/*/register_later.csv", "", "the register of the next quarter is new"),
    Allowed("samples/*/*_with_notes.*", "", "notes have visits, and say what rows say"),
    Allowed("samples/stdout", "^written: ", "the register of the next quarter is new"),
    Allowed("*/stdout", r"^written: report[-a-z]*\.private/", "a report has a private edition"),
    Allowed(
        "*/stderr", "(is|are) now written ", "former spellings, which both trees understand, warn"
    ),
    Allowed("*/stderr", "other release(s)? (beside|next to) ", "a warning in plainer words"),
    Allowed("*/stderr", "The rows keep the order of the input", "a warning in plainer words"),
    Allowed("*.private/*", "", "edits, new ids, full figures and full reports are private"),
    Allowed("text*/*.ids.jsonl", "", "the mapping of ids moved into the private folder"),
    Allowed("text*/ids/*", "", "other fields are dropped; documents are ordered by their new ids"),
    Allowed("text*/tsv/*", "", "other columns are dropped; documents are ordered by their new ids"),
    *(
        Allowed("text*frontier.json", field, reason)
        for fields, reason in {
            ("candidates.*.by_label.*.range",): "the share left of each label has a range",
            ("candidates.*.record.*.total_loss_by_seed",): "an encoder is tried under several seeds",
            ("starter",): "a corpus without labels is judged by the starter",
        }.items()
        for field in fields
    ),
    Allowed("*attack.json", "request.earlier", "an attack takes earlier releases into account"),
    Allowed("*attack.json", "compositions", "an attack takes earlier releases into account"),
    Allowed("text*audit-*.json", "measured.*", "exact intervals are computed without scipy: 14 digits are the same"),
    Allowed("text*audit-*.json", "release", "an audit names its release by the mark"),
    *(
        Allowed(f"text*/{file}", what, "for some days an absent model of labels was stored as null, which it was not before", sometimes=True)
        for file, what in (("model.json", "header.candidates.*.typing"), ("model/model.json", "sha256"), ("frontier.json", "files.model"))
    ),
    *(
        Allowed(f"text/{file}", what, "labels are predicted by another model; the same words are redacted")
        for file, what in (
            ("judged.audit-words.txt", r"^\[ \] \d+: "), ("frontier/model/*", ""), ("frontier/learned/arrays.bin", ""),
            ("frontier/learned/model.json", "*sha256"), ("frontier/frontier.json", "files.*"),
        )
    ),
    *(
        Allowed(f"text*/{file}", what, "punctuation that is redacted alone is published, and labels are predicted by another model")
        for file, what in (
            ("*.jsonl", MARKS), ("*.txt", MARKS), ("*.csv", MARKS), ("*.conll", MARKS), ("*.xml", MARKS), ("*.labelstudio.json", MARKS),
            ("parquet/bare.parquet", ""), ("*/release.json", "counts.spans.*"),
        )
    ),
    Allowed("text*attack.json", "bounds.*.assumptions.*.text", "sentences in plainer words"),
    *(
        Allowed(f"text/{file}", what, "the release that is attacked differs in its punctuation")
        for file, what in (
            ("attack.json", "attack.*"), ("attack.json", "bounds.*"),
            ("stdout", r"^((A|B|outside|strongest): |The best \d+ words hold )"),
        )
    ),
    Allowed("text*frontier.json", "candidates.*.bounds.*.assumptions.*.text", "sentences in plainer words"),
    Allowed("text*/stdout", "of the sensitive words (are expected to|would) be left", "of documents that are not like those learned from the figure is conditional"),
    Allowed("text*/stdout", r"^( +(id|r[0-9.]+) |found: |knee: )", "candidates show what attackers find, and the knee"),
    Allowed("text-helpers/stdout", "^( +rules |left: |What is left is not measured)", "where nobody has looked, no share is shown"),
    *(
        Allowed(f"text/{file}", what, "a surrogate follows the label of the words that it replaces")
        for file, what in (("corpus/bare.jsonl", ""), ("surrogate/bare.jsonl", ""), ("*/release.json", "counts.surrogates.*"))
    ),
    Allowed("text-helpers/frontier/*", "", "a name that a rule finds ends with its line"),
    Allowed("text-helpers/release/*", "", "a name that a rule finds ends with its line"),
    Allowed("text-helpers/found/frontier.json", "references*", "what the learner would do without the findings is a reference too"),
    Allowed("text-helpers/stdout", "(r10|candidate|redacted)", "a name that a rule finds ends with its line"),
    Allowed("text-project/*/proposals.jsonl", "", "a name that a rule finds ends with its line; the starter proposes"),
    Allowed("text-project/*/project.json", "proposals*", "the starter proposes, and labels are counted"),
    Allowed("text-project/*/project.json", "starter", "the starter proposes, and labels are counted"),
    Allowed("text-project/*/project.json", "wanted_by_label", "what is wanted can be said per label"),
    Allowed("text-project/*/starter/*", "", "the starter's scores are kept with the project"),
    Allowed("text-project/answers.jsonl", "", "an export says which documents nobody looked at"),
    Allowed("text-project/stdout", "(proposals|[A-Z]+ [0-9]+|nobody has read)", "the starter proposes, and labels are counted"),
    Allowed("text-study/*", "", "the attacker from outside is the starter"),
    Allowed("text*/project.json", "sources.*", "the hash of the texts and the reader are recorded"),
    Allowed("text*/project.json", "reading*", "only what was said about the reading is recorded"),
    Allowed("text*/stdout", "^published as they are", "the sentence says that you keep them"),
    Allowed("text*/frontier.json", "reader", "the version of the reader is recorded"),
    Allowed("text*/frontier.json", "request.*", "keep, keep_ids and person are parameters"),
    Allowed("*/frontier.json", "mark", "a frontier has a mark, by which its releases know it"),
    Allowed("*attack.json", "frontier", "an attack names its frontier by the mark"),
    Allowed("*attack.json", "release", "an attack names its release by the mark"),
    *(
        Allowed("*release.json", field, reason)
        for fields, reason in {
            ("frontier",): "a release names its frontier by the mark",
            ("verified",): "releases are read back from the disk",
            ("request.keep", "request.keep_ids", "request.person"): "they are parameters",
            ("outputs.*.sha256",): "rows are ordered under the private key, whatever they came in",
            ("counts.redacted", "counts.withheld", "counts.words", "counts.words_published", "withheld", "left_out",
             "inputs.*.rows", "how.marked", "how.left_as_they_are.*", "multiples_of"
             ): "counts of what was read are private; those that are public are multiples",
            ("left_by_label", "measured", "starter"): "the share left of each label, and who judged it",
            ("request.pictures", "request.profile", "request.accept_scans"): "parameters of formats that came later",
            ("how.scans",): "scanned pages are counted",
            ("how.transitions",): "values that are swapped by chance come with their matrix",
            ("versions.sfumato",): "the version of the package",
            ("candidate", "how.bits"): "a policy's id is a hash of what it publishes, not of its cuts",
            ("counts.dropped", "counts.suppressed", "how.min_k"): "counts below the least group are private",
            ("request.max_joint_risk",): "a parameter",
            ("approved",): "an approval is in the private folder, bound to the release",
            ("how.explored_table", "measured.columns", "measured.expected_unchanged",
             "measured.loss", "measured.loss_nats", "measured.records_without_population_cell",
             "measured.relative_risk", "measured.risk", "measured.shift", "measured.utility", "risk", "utility",
             "sentences", "worse"): "figures of the raw data are private, or rounded to two digits",
            ("documents_with_leak*", "risk.*", "utility.*"): "figures are rounded to two digits",
        }.items()
        for field in fields
    ),
    Allowed("tables*/policies.json", "*", "policies are a typed record; what frontier.json says is not repeated"),
    Allowed("*codebook.csv", "^(attribute,published,|.*,(0|yes)$)", "the column says whether all values are spelled, not how many are not"),
    Allowed("*codebook.json", "codebook.*.complete", "the column says whether all values are spelled, not how many are not"),
    Allowed("*codebook.json", "codebook.*.not_spelled", "the column says whether all values are spelled, not how many are not"),
    Allowed("tables*/frontier.json", "candidates.*.id", "a policy's id is a hash of what it publishes, not of its cuts"),
    Allowed("tables*/stdout", r"^([0-9a-f]{10}|(candidate|knee:|.* rows published by) [0-9a-f]{10})", "a policy's id is a hash of what it publishes, not of its cuts"),
    Allowed("tables*/frontier.json", "assumptions.*", "sentences in plainer words"),
    Allowed("tables-conditions/rows/frontier.json", "*", "under diversity with suppression the search starts from levels: a smaller area"),
    Allowed("tables-conditions/stdout", "", "under diversity with suppression the search starts from levels: a smaller area"),
    Allowed("tables-conditions/cells/frontier.json", "*", "of the evaluations asked for, a share goes to policies that suppress nobody"),
    Allowed("tables-measures/*/frontier.json", "candidates.*.loss_nats", "groups are added up in another order: 14 digits are the same"),
    Allowed("tables-measures/*/frontier.json", "*.risks.estimate.*", "the average chance is groups over people of the population; uniqueness by Pitman's model is computed from the same logarithms: 10 digits are the same"),
    Allowed("baskets-log/stdout", r"^ +(at most|any items, at most) [0-9]+ (items?|absences?)( |$)", "singular and plural"),
    Allowed("tables-measures/stdout", "^(Note: No population|.*knee$)", "sentences in plainer words; ids of policies"),
    Allowed("tables-measures/stdout", r"^(  [a-z]+: |measured on the output|chance of naming|the same for everybody)", "the knee leaves fewer columns constant, and those that are constant are named in plainer words"),
    *(
        Allowed(f"tables-{release}*", "", "the same frontier, whose knee leaves fewer columns constant: another candidate")
        for release in ("conditions/cells-release", "measures/small-groups-release")
    ),
    *(
        Allowed(f"tables-{release}*", "", "another frontier, as said above and below, and a knee that leaves fewer columns constant")
        for release in ("conditions/rows-release", "people/people-release")
    ),
    Allowed("tables*/stdout", "^at the knee the same for everybody", "columns that the knee publishes as * are named"),
    Allowed("tables-people/joined-release/visits.csv", "^[0-9a-f]{16},", "marks of people differ for each policy, by its id"),
    *(
        Allowed(f"tables-{file}", "*" if file.endswith("frontier.json") else "", "values that nobody holds do not count in the width of a band: other utilities")
        for file in ("people/joined/frontier.json", "people/people/frontier.json", "people/treated/frontier.json", "people/stdout",
                     "proof/certified/frontier.json", "proof/exhaustive/frontier.json", "proof/study/*", "proof/tiny-release/*", "proof/stdout")
    ),
    Allowed("tables*/frontier.json", "groups_before", "bands of groups that hold few records are joined"),
    Allowed("tables*/frontier.json", "trace", "a step of the search without a gain is not noted again"),
    Allowed("*/frontier.json", "version", "the version of the package"),
    Allowed("baskets*/codebook.csv", "", "a release that groups items has a codebook"),
    Allowed("baskets-log/*release.json", "outputs", "a release that groups items has a codebook"),
    Allowed("baskets-log/stdout", "rows of which no item is left", "rows that vanish are told"),
    Allowed("baskets*attack.json", "request.link", "an option that did nothing is gone"),
    Allowed("tables*/frontier.json", "files.*", "its hash of policies.json follows"),
    Allowed("tables*.csv", ORDER, "rows are ordered under the private key, whatever order they came in"),
    Allowed("tables*.parquet", "", "rows are ordered under the private key, whatever order they came in"),
    Allowed("tables*.toml", "^[-+]? *#", "comments of a drafted schema in plainer words"),
    Allowed("tables/draft.toml", r"^domain = \{ range", "the ends of a declared domain are published, so that a draft rounds them"),
    Allowed("tables-people/treated-release/*", "", "noise is normal and comes from a keyed generator"),
    Allowed("run/stdout", "(chosen: |An attacker who |In [0-9]+ documents |written)", "values that nobody holds do not count in the width of a band: other utilities, and another choice; sentences of documents"),
    Allowed("run/release/*", "", "the notes of a table come in the order of its published rows"),
    Allowed("*/report*/*", "", "reports have two editions, one of which may be given out"),
    Allowed("*/stdout", r"^\{", "the record of a release is printed as it is written"),
)  # fmt: skip


def as_before(words: list[str], source: Path) -> list[str]:
    """Return a command with what an older tree did by itself, where this one has to be asked for it."""
    request = source / "sfumato" / "engines" / "text" / "request.py"
    is_publish = words[:2] == ["text", "publish"] and "--new-ids" not in words
    if is_publish and "keep_ids:" in request.read_text(encoding="utf-8"):
        return [*words, "--keep-ids", "--keep", "*"]
    return words


Step = str | Callable[[Path], None]  # a command line of sfumato, or what a person does in between


def _mark(sheet: str, pattern: str, mark: str) -> Callable[[Path], None]:
    """Return a step that reads an audit's sheet as a person does, and marks two places as left over."""

    def step(folder: Path) -> None:
        path = folder / sheet
        path.write_text(re.sub(pattern, mark, path.read_text(encoding="utf-8"), count=2), encoding="utf-8")  # fmt: skip

    return step


_EXPLORE = (
    "text explore data/learn.jsonl --label NAME,PHONE --ratios 1,10 --folds 2 --budget 10,100"
)
_ONE = "--label NAME --ratios 10 --folds 2 --attackers none"
_REGISTER = "tables explore data/register.csv --schema data/schema.toml"
_LOG = "--item article --person customer"

CHAINS: dict[str, list[Step]] = {
    "samples": ["samples samples", "samples others --seed 3"],
    "text": [
        f"{_EXPLORE} --out frontier",
        "text publish frontier data/bare.jsonl --ratio 10 --out placeholder",
        "text publish frontier data/bare.jsonl --ratio 10 --replace mask --out mask",
        "text publish frontier data/bare.jsonl --ratio 1 --replace surrogate --key data/key --out surrogate",
        "text publish frontier data/bare.jsonl --knee --replace surrogate --key data/key --scope corpus --dates day-first --out corpus",
        "text publish frontier data/bare.jsonl --ratio 1 --new-ids --drop ward --out ids",
        "text publish frontier data/held_out.jsonl --ratio 10 --ignore-marks --json --out judged",
        "text attack frontier judged --labels data/held_out.jsonl --training data/learn.jsonl --attackers crf,svm --budget 10,100 --out attack.json",
        "text audit judged --documents 8",
        _mark("judged.audit-documents.txt", r"\b(Please|seen)\b", r"[[\1]]"),
        "text audit judged --documents 8",
        "text audit judged --words 20 --frontier frontier",
        _mark("judged.audit-words.txt", r"\[ \]", "[x]"),
        "text audit judged --words 20 --frontier frontier",
        "report frontier placeholder --out report",
    ],
    "text-formats": [
        f"text explore data/learn.brat {_ONE} --out frontier",
        "text publish frontier data/bare.csv --ratio 10 --out csv",
        "text publish frontier data/bare.tsv --ratio 10 --new-ids --out tsv",
        "text publish frontier data/bare.parquet --ratio 10 --out parquet",
        "text publish frontier data/learn.conll --ratio 10 --accept-shift --out conll",
        "text publish frontier data/learn.conll --ratio 10 --accept-shift --ignore-marks --replace mask --out conll-mask",
        "text publish frontier data/learn.brat --ratio 10 --out brat",
        "text publish frontier data/learn.i2b2 --format i2b2 --ratio 10 --out i2b2",
        "text publish frontier data/notes --ratio 10 --replace surrogate --key data/key --out folder",
        "text publish frontier data/learn.prodigy.jsonl --format prodigy --ratio 10 --out prodigy",
        "text publish frontier data/learn.doccano.jsonl --format doccano --ratio 10 --out doccano",
        "text publish frontier data/learn.labelstudio.json --format labelstudio --ratio 10 --out labelstudio",
    ],
    "text-learners": [
        f"text explore data/learn.jsonl {_ONE} --learner svm --out svm",
        f"text explore data/learn.jsonl {_ONE} --learner adaboost --out adaboost",
        f"text explore data/learn.jsonl {_ONE} --mode paper --weights NAME=2 --out paper",
        "text publish svm data/bare.jsonl --ratio 10 --out svm-release",
        "text publish adaboost data/bare.jsonl --ratio 10 --out adaboost-release",
    ],
    "text-helpers": [
        (f"text explore data/learn.jsonl {_ONE} --rules data/rules.toml --deny data/deny.txt --allow data/allow.txt"
        " --word-lists given=data/given.txt --context 0.05 --background data/held_out.jsonl --unlabelled data/bare.jsonl"
        " --out frontier"),
        "text publish frontier data/bare.jsonl --ratio 10 --out release",
        f"text explore data/learn.jsonl {_ONE} --findings data/findings.jsonl --findings-labels PERSON=NAME --out found",
        "text publish found data/learn.jsonl --findings data/findings.jsonl --ratio 10 --out found-release",
        "text explore data/bare.jsonl --label NAME,DATE --rules built-in --out rules",
        "text publish rules data/bare.jsonl --choose rules --out rules-release",
    ],
    "text-convert": [
        *(f"text convert data/learn.jsonl --to {kind} --out {kind}{end}" for kind, end in
          {"csv": ".csv", "tsv": ".tsv", "parquet": ".parquet", "conll": ".conll", "brat": "", "i2b2": "",
           "prodigy": ".jsonl", "doccano": ".jsonl", "labelstudio": ".json"}.items()),
        "text convert data/learn.conll --to jsonl --out back.jsonl",
        "text convert data/learn.brat --to jsonl --out brat.jsonl",
    ],
    "text-project": [
        "text start data/bare.jsonl --label NAME,PHONE,DATE --encoder none --out project",
        "text convert project --to prodigy --out answers.jsonl",
        "text start data/bare.csv --label NAME --model data/frontier --encoder none --out modelled",
    ],
    "text-study": [
        "text study data/learn.jsonl --ratios 1,10 --folds 2 --publishers 'gs crf' --budget 10,100 --out study",
    ],
    "tables": [
        "tables schema data/register.csv --out draft.toml",
        f"{_REGISTER} --population data/population.csv --evaluations 800 --out frontier",
        "tables publish frontier data/register.csv --max-risk 0.05 --out register.csv",
        "tables publish frontier data/register.csv --knee --keep-order --out kept",
        "tables publish frontier data/register.parquet --min-utility 0.5 --out parquet",
        "tables publish frontier data/register.xlsx --max-risk 0.05 --out excel",
        "tables publish frontier data/register.duckdb::register --max-risk 0.05 --json --out duck",
        "tables mapping frontier --max-risk 0.05 --out mapping.csv",
        "tables mapping frontier --knee --out mapping.sql",
        "tables mapping frontier --max-risk 0.05 --out policy.json",
        "tables publish frontier data/register.csv --policy policy.json --out by-policy",
        f"{_REGISTER} --population data/population.csv --evaluations 300 --reference policy.json --out compared",
        "report frontier register.csv --pdf --charts --out report",
    ],
    "tables-conditions": [
        f"{_REGISTER} --min-k 5 --min-l 2 --max-t 0.6 --suppress 0.1 --evaluations 400 --out rows",
        "tables publish rows data/register.csv --knee --out rows-release",
        f"{_REGISTER} --min-k 5 --suppress 0.1 --suppress-as cells --evaluations 400 --out cells",
        "tables publish cells data/register.csv --knee --out cells-release",
        f"{_REGISTER} --population data/population.csv --max-individual-risk 0.2 --min-population 3 --evaluations 400 --out people",
        "tables publish people data/register.csv --knee --out people-release",
        f"{_REGISTER} --min-l 2 --diversity entropy --evaluations 300 --out entropy",
        f"{_REGISTER} --min-l 2 --diversity recursive --recursive-c 2 --evaluations 300 --out recursive",
        "report rows rows-release --out report-rows",
        "report cells cells-release --out report-cells",
    ],
    "tables-measures": [
        f"{_REGISTER} --risk prosecutor --loss class-size --strategy bisecting --evaluations 300 --out prosecutor",
        f"{_REGISTER} --risk small-groups --k 5 --loss mutual-information --target diagnosis --evaluations 300 --out small-groups",
        f"{_REGISTER} --strategy shs --threshold 0.1 --evaluations 300 --out shs",
        f"{_REGISTER} --strategy rcs --evaluations 300 --sampling-fraction 0.05 --out rcs",
        f"{_REGISTER} --cut-points age=20:40:60 --seed 7 --evaluations 300 --out cut",
        "tables publish prosecutor data/register.csv --knee --out prosecutor-release",
        "tables publish small-groups data/register.csv --knee --out small-groups-release",
    ],
    "tables-people": [
        "tables explore data/visits.csv --schema data/people.toml --min-k 3 --suppress 0.2 --evaluations 300 --out people",
        "tables publish people data/visits.csv --knee --out people-release",
        "tables explore data/visits.csv --schema data/joined.toml --min-k 2 --suppress 0.3 --evaluations 300 --out joined",
        "tables publish joined data/visits.csv --knee --out joined-release",
        "tables explore data/visits.csv --schema data/treated.toml --evaluations 300 --out treated",
        "tables publish treated data/visits.csv --knee --out treated-release",
        "report people people-release joined joined-release --out report",
    ],
    "tables-proof": [
        "tables explore data/tiny.csv --schema data/tiny.toml --strategy exhaustive --out exhaustive",
        "tables explore data/tiny.csv --schema data/tiny.toml --certify 60 --evaluations 400 --out certified",
        "tables publish certified data/tiny.csv --knee --out tiny-release",
        "report certified tiny-release --pdf --out report",
        "tables study data/tiny.csv --schema data/tiny.toml --evaluations 60 --runs 1 --sublattices 20 --out study",
    ],
    "baskets": [
        ("baskets explore data/purchases.npz --labels data/purchases.labels.txt --k 3,5 --selector hamdist,distcnt,support"
        " --publish-as columns,cells,rows,columns+cells,columns+rows --folds 2 --out frontier"),
        "baskets publish frontier data/purchases.npz --labels data/purchases.labels.txt --max-risk 0.34 --out release",
        "baskets publish frontier data/purchases.npz --choose cells-k5 --keep-order --out cells",
        "baskets publish frontier data/purchases.npz --choose rows-k3 --json --out rows",
        "baskets attack frontier data/purchases.npz --people 60 --items 1,2,0 --absences 0,1 --out attack.json",
        "report frontier release --pdf --out report",
    ],
    "baskets-knowledge": [
        "baskets explore data/purchases.npz --k 3 --publish-as cells --utility ones --known-items 2 --out two",
        "baskets explore data/purchases.npz --k 3 --publish-as cells --utility ones --known-absences all --out all",
        "baskets explore data/purchases.npz --k 3 --publish-as cells --utility ones --known-absences 1 --out one",
        ("baskets explore data/purchases.npz --k 3 --publish-as cells --sensitive data/sensitive.txt --max-confidence 0.6"
        " --utility ones --out careful"),
        "baskets publish careful data/purchases.npz --knee --out careful-release",
        "baskets publish two data/purchases.npz --knee --out two-release",
        "report careful careful-release --out report",
    ],
    "baskets-log": [
        f"baskets hierarchy data/log.csv {_LOG} --out hierarchy.csv",
        f"baskets explore data/log.csv {_LOG} --k 3,5 --selector support --utility itemsets --out frontier",
        f"baskets publish frontier data/log.csv {_LOG} --knee --out release",
        f"baskets audit release/log.csv {_LOG}",
        f"baskets explore data/log.csv {_LOG} --hierarchy hierarchy.csv --utility categories --k 3 --publish-as cells --out grouped",
        f"baskets publish grouped data/log.csv {_LOG} --hierarchy hierarchy.csv --knee --out grouped-release",
        "baskets explore data/transactions.txt --k 3 --selector support --publish-as columns --utility ones --out transactions",
        "baskets publish transactions data/transactions.txt --knee --out transactions-release",
        "baskets topics data/purchases.npz --labels data/purchases.labels.txt --topics 4",
        "report frontier release --out report",
    ],
    "baskets-study": [
        "baskets study data/purchases.npz --labels data/purchases.labels.txt --k 3 --folds 2 --repeats 1 --out study",
    ],
    "run": [
        "run --init data/register.csv --schema data/schema.toml --population data/population.csv --out drafted.toml",
        "run data/plan.toml --out release",
        "report release --charts --out report",
    ],
}  # fmt: skip

PLAN = """\
title = "The same"
seed = 5
out = "release"
pdf = true

[tables]
table = "register_with_notes.csv"
schema = "schema_with_notes.toml"
population = "population.csv"
evaluations = 400
choose = { max_risk = 0.05 }

[text]
corpus = "learn.jsonl"
publish = "tables"
text_column = "notes"
labels = ["NAME", "PHONE"]
ratios = [1, 10]
folds = 2
choose = { ratio = 10 }

[baskets]
matrix = "purchases.npz"
labels = "purchases.labels.txt"
k = [3]
selector = "hamdist"
folds = 2
choose = { knee = true }
"""

RULES = """\
languages = ["en"]

[[rule]]
name = "ward"
label = "ID"
pattern = 'H-(?P<span>\\d{5})'
score = 0.9
context = ["notes"]
"""

TINY = """\
missing = "error"

[[attribute]]
name = "age"
role = "quasi"
domain = { range = [20, 27] }

[[attribute]]
name = "sex"
role = "quasi"
domain = { values = ["Female", "Male"] }

[[attribute]]
name = "ward"
role = "quasi"
domain = { values = ["a", "b", "c"] }
"""


def write_inputs(folder: Path, sfumato: Callable[..., None]) -> None:
    """Write all inputs into a folder; the formats of documents are written by the given tree's own `convert`."""
    sfumato("samples", folder / "samples")
    _write_documents(folder, sfumato)
    _write_tables(folder)
    _write_baskets(folder)
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    key = folder / "key"
    key.write_text("bm90IGEgc2VjcmV0OiBhIGtleSBvZiBhIHRlc3QgYWxvbmU=\n", encoding="utf-8")
    key.chmod(0o600)


def _write_documents(folder: Path, sfumato: Callable[..., None]) -> None:
    with gzip.open(folder / "samples" / "notes.jsonl.gz", "rt", encoding="utf-8") as stream:
        notes = [json.loads(line) for line in stream][:110]
    for number, note in enumerate(notes):
        note["ward"] = f"ward {number % 4}"
    bare = [{k: v for k, v in note.items() if k != "spans"} for note in notes[60:]]
    _lines(folder / "learn.jsonl", notes[:60])
    _lines(folder / "held_out.jsonl", notes[60:])
    _lines(folder / "bare.jsonl", bare)
    for name, delimiter in (("bare.csv", ","), ("bare.tsv", "\t")):
        with (folder / name).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, ["id", "text", "ward"], delimiter=delimiter)
            writer.writeheader()
            writer.writerows(bare)
    texts = folder / "notes"
    texts.mkdir()
    for note in bare[:20]:
        (texts / f"{note['id']}.txt").write_text(note["text"], encoding="utf-8")
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist(bare), folder / "bare.parquet")
    for kind, name in {"conll": "learn.conll", "brat": "learn.brat", "i2b2": "learn.i2b2",
                       "prodigy": "learn.prodigy.jsonl", "doccano": "learn.doccano.jsonl",
                       "labelstudio": "learn.labelstudio.json"}.items():  # fmt: skip
        sfumato("text", "convert", folder / "learn.jsonl", "--to", kind, "--out", folder / name)
    sfumato("text", "explore", folder / "learn.jsonl", *_ONE.split(), "--out", folder / "frontier")
    ids = {note["id"] for note in notes[:60]}
    found = (folder / "samples" / "findings.jsonl").read_text(encoding="utf-8").splitlines()
    _lines(folder / "findings.jsonl", [d for d in map(json.loads, found) if d["id"] in ids])
    (folder / "rules.toml").write_text(RULES, encoding="utf-8")
    (folder / "deny.txt").write_text("Saddler Street\n", encoding="utf-8")
    (folder / "allow.txt").write_text("Parkinson\npneumonia\n", encoding="utf-8")
    (folder / "given.txt").write_text("Freya\nZofia\nDaisy\nRivka\nLinh\n", encoding="utf-8")


def _lines(path: Path, documents: list[dict[str, object]]) -> None:
    text = "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents)
    path.write_text(text, encoding="utf-8")


def _write_tables(folder: Path) -> None:
    import duckdb
    import openpyxl
    import pyarrow as pa
    from pyarrow import parquet

    samples = folder / "samples"
    for name in ("schema.toml", "schema_with_notes.toml", "population.csv"):
        (folder / name).write_bytes((samples / name).read_bytes())
    for name, count in (("register.csv", 600), ("register_with_notes.csv", 150)):
        with (samples / name).open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream))[: count + 1]
        _rows(folder / name, rows)
        if name == "register.csv":
            register = rows
    columns = dict(zip(register[0], zip(*register[1:], strict=True), strict=True))
    typed = pa.table({n: [int(v) for v in c] if n in ("age", "stay") else list(c) for n, c in columns.items()})  # fmt: skip
    parquet.write_table(typed, folder / "register.parquet")
    book = openpyxl.Workbook()
    for row in [typed.column_names, *(list(row.values()) for row in typed.to_pylist())]:
        book.active.append(row)
    book.save(folder / "register.xlsx")
    with duckdb.connect(str(folder / "register.duckdb")) as base:
        base.register("typed", typed)
        base.execute("CREATE TABLE register AS SELECT * FROM typed")
    visits = [register[0], *([f"P{n // 3:04}", *row[1:]] for n, row in enumerate(register[1:301]))]
    for first in range(1, len(visits), 3):  # the quasi-identifiers of a person mostly stay the same
        for row in visits[first + 1 : first + 2]:
            row[1:5] = visits[first][1:5]
    _rows(folder / "visits.csv", visits)
    schema = (samples / "schema.toml").read_text(encoding="utf-8")
    person = 'role = "person"'
    (folder / "people.toml").write_text(
        schema.replace('role = "identifier"', person), encoding="utf-8"
    )
    joined = schema.replace('role = "identifier"', f'{person}\nrows = "joined"')
    (folder / "joined.toml").write_text(joined, encoding="utf-8")
    treated = joined.replace('name = "stay"\nrole = "other"', 'name = "stay"\nrole = "other"\npublish = { noise = 0.1, top = 30 }')  # fmt: skip
    (folder / "treated.toml").write_text(treated, encoding="utf-8")
    tiny = [["age", "sex", "ward"]]
    tiny += [[str(20 + n * n % 8), ("Female", "Male")[n % 2], "abc"[n * 7 % 3]] for n in range(60)]
    _rows(folder / "tiny.csv", tiny)
    (folder / "tiny.toml").write_text(TINY, encoding="utf-8")


def _rows(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)


def _write_baskets(folder: Path) -> None:
    from scipy import sparse

    samples = folder / "samples"
    matrix = sparse.load_npz(samples / "purchases.npz").tocsr()[:300, :150]
    sparse.save_npz(folder / "purchases.npz", matrix)
    labels = (samples / "purchases.labels.txt").read_text(encoding="utf-8").splitlines()[:300]
    (folder / "purchases.labels.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
    names = (samples / "purchases.features.txt").read_text(encoding="utf-8").splitlines()[:150]
    (folder / "purchases.features.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    (folder / "sensitive.txt").write_text(names[3] + "\n", encoding="utf-8")
    ones = matrix.tocoo()
    pairs = sorted(zip(ones.row.tolist(), ones.col.tolist(), strict=True))
    log = [["customer", "day", "article"], *([f"c{r}", "2024-03-01", f"a{c}"] for r, c in pairs)]
    _rows(folder / "log.csv", log)
    held: dict[int, list[str]] = {}
    for row, column in pairs:
        held.setdefault(row, []).append(f"a{column}")
    lines = "".join(" ".join(items) + "\n" for items in held.values())
    (folder / "transactions.txt").write_text(lines, encoding="utf-8")
