"""A signed release: one flipped byte anywhere is found, offline, and other tools agree."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from tests.conftest import sfumato

from sfumato.core.errors import FormatError, InputError, SfumatoError
from sfumato.reports.signing import SIGNATURE_FILE, SUMS_FILE, verify

pytest.importorskip("cryptography")


def write_key(folder, name="key"):
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.OpenSSH, form.NoEncryption())
    public = key.public_key().public_bytes(form.Encoding.OpenSSH, form.PublicFormat.OpenSSH)
    (folder / name).write_bytes(private)
    (folder / f"{name}.pub").write_bytes(public + b" steward\n")
    return folder / name


@pytest.fixture(scope="module")
def signed(copied, tmp_path_factory):
    """A release of baskets with a signed report next to it, and the key."""
    place = tmp_path_factory.mktemp("signed")
    copied(place, "baskets")
    key = write_key(place)
    sfumato("report", place / "baskets-explored", place / "baskets-release", "--pdf", "--static", "--sign", key,
            "--out", place / "report", "--quiet")  # fmt: skip
    return place


def test_what_was_signed_verifies_by_either_folder_with_and_without_the_key(signed):
    found = json.loads(sfumato("verify", signed / "report", signed / "key.pub", "--json"))
    names = set(found["files"])
    assert {"report.html", "report.pdf", "facts.json"} <= names
    released = {p.name for p in (signed / "baskets-release").iterdir()}
    assert {name.removeprefix("../baskets-release/") for name in names if "/" in name} == released
    assert found["key_known"]
    assert verify(signed / "baskets-release").fingerprint == found["key"]
    assert "compare it with the signer's" in sfumato("verify", signed / "report")
    assert not (signed / "report.private" / SUMS_FILE).exists()


def test_one_flipped_byte_is_found_in_every_file(signed, tmp_path):
    place = tmp_path / "given"
    shutil.copytree(signed, place)
    for path in sorted([*(place / "report").iterdir(), *(place / "baskets-release").iterdir()]):
        content = path.read_bytes()
        at = len(content) // 2
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(SfumatoError):
            verify(place / "report", place / "key.pub")
        assert "Traceback" not in sfumato("verify", place / "report", status=2)
        path.write_bytes(content)
        verify(place / "report", place / "key.pub")


@pytest.mark.parametrize("name", [SUMS_FILE, SIGNATURE_FILE, "key.pub"])
def test_every_byte_of_list_signature_and_key_counts(signed, tmp_path, name):
    """Of the public key all but its comment, which is not part of it."""
    report, key = tmp_path / "report", tmp_path / "key.pub"
    shutil.copytree(signed / "report", report)
    shutil.copy(signed / "key.pub", key)
    path = key if name == "key.pub" else report / name
    content = path.read_bytes()
    end = content.rindex(b" ") if name == "key.pub" else len(content)
    for at in range(end):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(SfumatoError) as error:
            verify(report, key)
        assert "is not there" not in str(error.value)  # found before the release is looked for


def test_a_missing_file_another_key_and_no_signature_are_said(signed, tmp_path):
    place = tmp_path / "given"
    shutil.copytree(signed, place)
    other = write_key(tmp_path, "other")
    with pytest.raises(InputError, match="of another key"):
        verify(place / "report", other.with_suffix(".pub"))
    (place / "baskets-release" / "release.json").rename(tmp_path / "away")
    with pytest.raises(InputError, match=r"release\.json' was signed and is not there"):
        verify(place / "report")
    (place / "report" / SIGNATURE_FILE).unlink()
    with pytest.raises(InputError, match="is not signed"):
        verify(place / "report")
    with pytest.raises(InputError, match="comes with no SHA256SUMS"):
        verify(place / "baskets-explored")


def test_a_key_that_is_none_is_one_sentence(signed, tmp_path):
    (tmp_path / "text").write_text("no key")
    for key in (tmp_path / "text", tmp_path / "missing"):
        words = sfumato(
            "report", signed / "baskets-release", "--sign", key, "--out", tmp_path / "r", status=2
        )
        assert "key" in words
        assert not (tmp_path / "r").exists()
    with pytest.raises(FormatError, match="not a public Ed25519 key"):
        verify(signed / "report", tmp_path / "text")
    with pytest.raises(InputError, match="There is no key 'missing'"):
        verify(signed / "report", tmp_path / "missing")
    words = sfumato("report", signed / "baskets-explored", "--sign", signed / "key", "--out", tmp_path / "r",
                    status=2)  # fmt: skip
    assert "no release to sign" in words


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")
def test_openssh_agrees_both_ways(signed, tmp_path):
    report = tmp_path / "given" / "report"
    shutil.copytree(signed, report.parent)
    check = ["ssh-keygen", "-Y", "check-novalidate", "-n", "sfumato", "-s", report / SIGNATURE_FILE]
    done = subprocess.run(
        check, input=(report / SUMS_FILE).read_bytes(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (report / SIGNATURE_FILE).unlink()
    key = report.parent / "key"
    key.chmod(0o600)
    sign = ["ssh-keygen", "-Y", "sign", "-n", "sfumato", "-f", key, report / SUMS_FILE]
    assert subprocess.run(sign, capture_output=True, check=False).returncode == 0
    assert verify(report, key.with_suffix(".pub")).known


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="there is no sha256sum")
def test_the_sums_are_those_of_other_tools(signed):
    done = subprocess.run(
        ["sha256sum", "--check", "--quiet", SUMS_FILE], cwd=signed / "report", check=False
    )
    assert done.returncode == 0


def test_the_certificate_is_tagged_and_for_archives(signed):
    """PDF/A-2a and PDF/UA-1, by structure: identification, tags, language, output intent, embedded fonts."""
    pikepdf = pytest.importorskip("pikepdf")
    path = signed / "report" / "report.pdf"
    first, second = path.read_bytes().split(b"\n", 2)[:2]
    assert first.startswith(b"%PDF-1.7")
    assert second[:1] == b"%"
    assert all(byte > 127 for byte in second[1:5])  # as the standard asks: not taken for text
    with pikepdf.open(path) as pdf:
        assert len(pdf.trailer.ID) == 2
        assert not {"/AA", "/OpenAction"} & set(pdf.Root.keys())
        for thing in pdf.objects:
            if isinstance(thing, pikepdf.Stream):
                assert "/LZWDecode" not in str(thing.get("/Filter", ""))
                assert "/F" not in thing.keys()  # noqa: SIM118  # nothing lies outside the file
            if isinstance(thing, pikepdf.Dictionary) and thing.get("/Type") == "/Annot":
                assert "/AP" in thing or thing.Subtype == "/Link"
        metadata = pdf.Root.Metadata.read_bytes().decode()
        assert re.search(r"pdfaid:part(?:>|=.)2", metadata)
        assert re.search(r"pdfaid:conformance(?:>|=.)A", metadata)
        assert "pdfuaid:part" in metadata
        assert pdf.Root.MarkInfo.Marked
        assert "/StructTreeRoot" in pdf.Root
        assert str(pdf.Root.Lang).startswith("en")
        assert pdf.Root.OutputIntents[0].S == "/GTS_PDFA1"
        assert not pdf.is_encrypted
        assert "/JavaScript" not in pdf.Root.get("/Names", {})
        for page in pdf.pages:
            assert "/StructParents" in page
            for font in page.Resources.get("/Font", {}).values():
                assert "/ToUnicode" in font  # letters can be read out again
                for inner in font.get("/DescendantFonts", [font]):
                    described = inner.get("/FontDescriptor", {})
                    assert any(key.startswith("/FontFile") for key in described.keys())  # noqa: SIM118


def spoil(path, out, how):
    """Write a certificate again without something that an archive asks for, or with something that it forbids."""
    import pikepdf

    with pikepdf.open(path) as pdf:
        if how == "script":
            pdf.Root.OpenAction = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS="app.alert(1)")
        elif how == "fonts":
            for thing in pdf.objects:
                if (
                    isinstance(thing, pikepdf.Dictionary)
                    and thing.get("/Type") == "/FontDescriptor"
                ):
                    for key in [k for k in thing.keys() if k.startswith("/FontFile")]:  # noqa: SIM118
                        del thing[key]
        elif how:
            del pdf.Root[how]
        pdf.save(out)
    return out


@pytest.mark.parametrize(
    ("how", "says"),
    [("", None), ("/Metadata", "XMP"), ("/StructTreeRoot", "structure tree"), ("/Lang", "language"),
     ("fonts", "embedded"), ("script", "JavaScript")],
)  # fmt: skip
def test_a_validator_accepts_the_certificate_and_no_spoiled_one(signed, tmp_path, how, says):
    """PDF Oxide looks at less than veraPDF, which no package registry has; the structure is tested above."""
    pdf_oxide = pytest.importorskip("pdf_oxide")
    pytest.importorskip("pikepdf")
    path = spoil(signed / "report" / "report.pdf", tmp_path / "again.pdf", how)
    found = pdf_oxide.PdfDocument(str(path)).validate_pdf_a("2a")
    assert found["valid"] is (says is None), found["errors"]
    assert says is None or any(says in error for error in found["errors"])
    accessible = pdf_oxide.PdfDocument(str(path)).validate_pdf_ua()
    assert accessible["valid"] or says, accessible["errors"]


def test_a_plan_signs_what_may_leave_the_house(written, tmp_path):
    for name in ("purchases.npz", "purchases.features.txt", "purchases.labels.txt"):
        shutil.copy(written / name, tmp_path / name)
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'sign = "steward"\n[baskets]\nmatrix = "purchases.npz"\nlabels = "purchases.labels.txt"\n'
        'k = [11]\nselector = "hamdist"\nmethod = "columns"\nfolds = 2\nchoose = "knee"\n'
    )
    assert "There is no key 'steward'" in sfumato("run", plan, status=2)
    assert not (tmp_path / "release").exists()
    key = write_key(tmp_path, "steward")
    sfumato("run", plan, "--quiet")
    out = tmp_path / "release"
    found = verify(out, key.with_suffix(".pub"))
    given = {p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file()}
    kept = {name for name in given if name.startswith("private/")}
    assert kept
    assert set(found.files) == given - kept - {SUMS_FILE, SIGNATURE_FILE}
    released = out / "release" / "baskets"
    assert verify(released).fingerprint == found.fingerprint
    path = released / "purchases.npz"
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(InputError, match="is not the one that was signed"):
        verify(released)
