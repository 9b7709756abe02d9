"""Runs in an environment of Presidio's own: texts, one JSON string per line, come in; findings go out, one list per line.

Its names and places come from a model that is not in a package registry. Without one it has its patterns, check digits
and words around them, over a blank English pipeline.
"""

from __future__ import annotations

import json
import sys
import tempfile
from importlib.metadata import version

import spacy  # type: ignore[import-not-found]
from presidio_analyzer import AnalyzerEngine  # type: ignore[import-not-found]
from presidio_analyzer.nlp_engine import NlpEngineProvider  # type: ignore[import-not-found]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        spacy.blank("en").to_disk(folder)
        models = [{"lang_code": "en", "model_name": folder}]
        provider = NlpEngineProvider(
            nlp_configuration={"nlp_engine_name": "spacy", "models": models}
        )
        engine = AnalyzerEngine(nlp_engine=provider.create_engine(), supported_languages=["en"])
        names = ("presidio-analyzer", "spacy")
        sys.stdout.write(json.dumps({name: version(name) for name in names}) + "\n")
        for line in sys.stdin:
            found = engine.analyze(text=json.loads(line), language="en")
            spans = [[f.start, f.end, f.entity_type, f.score] for f in found]
            sys.stdout.write(json.dumps(spans) + "\n")


if __name__ == "__main__":
    main()
