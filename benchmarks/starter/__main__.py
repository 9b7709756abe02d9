"""`python -m benchmarks.starter [FOLDER]` learns the starter again, byte for byte, and writes it where it is shipped."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks._common import data_folder
from benchmarks.starter.corpora import SHIPPED, SOURCES, read_corpus
from benchmarks.starter.dictionary import listed_names, told
from benchmarks.starter.learning import Corpora
from sfumato.engines.text.starter.weights import PACKAGED, Starter


def main(given: list[str]) -> int:
    folder = data_folder()
    if folder is None:
        print("The folder with the corpora was not found (SFUMATO_DATA).")
        return 2
    out = Path(given[0]) if given else PACKAGED
    corpora = Corpora({name: read_corpus(folder, name) for name in SHIPPED})
    corpora.learned(SHIPPED).save(out, force=out.exists())
    starter = Starter.load(out)
    size = sum(file.stat().st_size for file in out.iterdir())
    names = listed_names()
    print(f"{len(SHIPPED)} corpora, left out: {', '.join(SOURCES.keys() - set(SHIPPED))}")
    print(f"{size:,} bytes, sha256 {starter.sha256}")
    print(f"{len(told(starter, names)):,} of {len(names):,} listed names are told")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
