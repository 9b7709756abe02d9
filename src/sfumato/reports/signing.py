"""Signatures of a release and its report: SHA256SUMS lists their files, SHA256SUMS.sig signs the list.

Both are in forms that other tools read: `sha256sum --check SHA256SUMS`, and `ssh-keygen -Y check-novalidate -n sfumato -s
SHA256SUMS.sig < SHA256SUMS`. The key is the steward's own Ed25519 key of OpenSSH; nothing is fetched to sign or to verify.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import FormatError, InputError, ParameterError
from ..core.files import sha256_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["SIGNATURE_FILE", "SUMS_FILE", "SignedFiles", "load_signing_key", "sign_files", "verify"]

SUMS_FILE, SIGNATURE_FILE = "SHA256SUMS", "SHA256SUMS.sig"
_NAMESPACE, _HASH, _KIND = b"sfumato", b"sha512", b"ssh-ed25519"
_MAGIC, _BEGIN, _END = b"SSHSIG", "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class SignedFiles:
    """What was verified: the files, by name, and the fingerprint of the key that signed them."""

    files: tuple[str, ...]
    fingerprint: str
    known: bool
    """Whether the key is the one that was given."""


def _cryptography() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        raise ParameterError(
            "Signatures need the package cryptography.", hint="pip install 'sfumato[sign]'."
        ) from None


def load_signing_key(path: str | os.PathLike[str]) -> Ed25519PrivateKey:
    """Return a private key from an OpenSSH file.

    Parameters
    ----------
    path : path
        An Ed25519 key without a passphrase, as `ssh-keygen -t ed25519` writes it.

    """
    _cryptography()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key

    path = Path(path)
    try:
        key = load_ssh_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise InputError(f"There is no key {path.name!r}.", hint="check the path.") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise FormatError(
            f"The file {path.name!r} is not an OpenSSH key that can be used without a passphrase.",
            hint=f"sign the report with `ssh-keygen -Y sign -n sfumato -f KEY {SUMS_FILE}` instead.",
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise FormatError(
            f"The key {path.name!r} is not of the kind Ed25519.", hint="ssh-keygen -t ed25519."
        )
    return key


def sign_files(
    folder: Path,
    target: Path,
    files: Iterable[Path],
    key: Ed25519PrivateKey | None,
    *,
    kept: str | None = None,
) -> None:
    """Write SHA256SUMS and its signature into a folder.

    Parameters
    ----------
    folder : Path
        Where the two are written, and where the files of the report are.
    target : Path
        Where that folder will be; other files are named from there.
    files : iterable of Path
        The files of the release.
    key : Ed25519PrivateKey, optional
        The key; without one there are sums and no signature.
    kept : str, optional
        The name of a folder in it that is private, and so not signed.

    """
    own = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.name not in {SUMS_FILE, SIGNATURE_FILE}
        and path.relative_to(folder).parts[0] != kept
    ]
    lines = [f"{sha256_of(path)}  {path.relative_to(folder).as_posix()}\n" for path in own]
    for path in sorted(files):
        name = Path(os.path.relpath(path.absolute(), target.absolute())).as_posix()
        lines.append(f"{sha256_of(path)}  {name}\n")
    text = "".join(lines).encode()
    (folder / SUMS_FILE).write_bytes(text)
    if key is not None:
        (folder / SIGNATURE_FILE).write_text(_signature(text, key), encoding="ascii")


def _string(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _message_of(text: bytes) -> bytes:
    """Return what is signed for a text, as PROTOCOL.sshsig says."""
    digest = hashlib.sha512(text).digest()
    return _MAGIC + b"".join(map(_string, (_NAMESPACE, b"", _HASH, digest)))


def _signature(text: bytes, key: Ed25519PrivateKey) -> str:
    public = _string(_KIND) + _string(key.public_key().public_bytes_raw())
    signature = _string(_KIND) + _string(key.sign(_message_of(text)))
    content = _MAGIC + struct.pack(">I", 1)
    content += b"".join(map(_string, (public, _NAMESPACE, b"", _HASH, signature)))
    return _armour(content)


def _armour(content: bytes) -> str:
    """Return a signature as OpenSSH writes it: the one form that is accepted, so that every byte counts."""
    coded = base64.b64encode(content).decode()
    rows = [coded[i : i + 70] for i in range(0, len(coded), 70)]
    return "\n".join([_BEGIN, *rows, _END, ""])


def verify(
    release: str | os.PathLike[str], key: str | os.PathLike[str] | None = None
) -> SignedFiles:
    """Check a release and its report against their signature; the first difference is an error.

    Parameters
    ----------
    release : path
        The folder of a signed report, or that of a release with such a folder next to it.
    key : path, optional
        The signer's public key, a .pub file of OpenSSH.

    """
    _cryptography()
    folder = _signed_folder(Path(release))
    text = (folder / SUMS_FILE).read_bytes()
    if not (folder / SIGNATURE_FILE).is_file():
        raise InputError(
            f"{SUMS_FILE} is not signed: there is no {SIGNATURE_FILE} next to it.",
            hint="sign it with `sfumato report --sign KEY`.",
        )
    public = _check_signature(text, (folder / SIGNATURE_FILE).read_bytes())
    fingerprint = base64.b64encode(hashlib.sha256(public).digest()).decode().rstrip("=")
    known = key is not None and _public_key(Path(key)) == public
    if key is not None and not known:
        raise InputError(
            f"The signature is of another key, SHA256:{fingerprint}.",
            hint="ask the signer for the public key, not the person who gave you the files.",
        )
    names = _check_files(folder, text)
    return SignedFiles(tuple(names), f"SHA256:{fingerprint}", known)


def _signed_folder(release: Path) -> Path:
    """Return the folder with the sums of a release: its own, one that it is in, or one next to it, that lists its files."""
    if not release.exists():
        raise InputError(f"There is no folder {release.name!r}.", hint="check the path.")
    place = release if release.is_dir() else release.parent
    if (place / SUMS_FILE).is_file():
        return place
    own = [p.resolve() for p in (release.rglob("*") if release.is_dir() else [release])]
    around = [folder / SUMS_FILE for folder in place.absolute().parents[:2]]
    near = sorted(place.absolute().parent.glob(f"*/{SUMS_FILE}"))
    for sums in (*(path for path in around if path.is_file()), *near):
        listed = {(sums.parent / name).resolve() for _, name in _lines(sums.read_bytes())}
        if any(path in listed for path in own):
            return sums.parent
    raise InputError(
        f"{release.name!r} comes with no {SUMS_FILE}.",
        hint="give the folder that `sfumato report --sign KEY` wrote.",
    )


def _lines(text: bytes) -> Sequence[tuple[str, str]]:
    if len(text) > _MOST_BYTES:
        raise FormatError(f"{SUMS_FILE} is too long.")
    found = []
    for line in text.decode("utf-8", errors="replace").splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise FormatError(f"{SUMS_FILE} has a line that is not a hash and a name.")
        found.append((match[1], match[2]))
    return found


def _check_files(folder: Path, text: bytes) -> list[str]:
    names = []
    for digest, name in _lines(text):
        path = folder / name
        if not path.is_file():
            raise InputError(f"The file {name!r} was signed and is not there.")
        if sha256_of(path) != digest:
            raise InputError(f"The file {name!r} is not the one that was signed.")
        names.append(name)
    return names


def _fields(content: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(content):
        (length,) = struct.unpack_from(">I", content, at)
        if at + 4 + length > len(content):
            raise ValueError("cut off")
        found.append(content[at + 4 : at + 4 + length])
        at += 4 + length
    return found


def _check_signature(text: bytes, armoured: bytes) -> bytes:
    """Return the public key of a signature that is right, in the wire form of OpenSSH."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        coded = "".join(armoured.decode("ascii").replace(_BEGIN, "").replace(_END, "").split())
        content = base64.b64decode(coded, validate=True)
        if armoured.decode("ascii") != _armour(content):
            raise ValueError("written otherwise")
        if content[:10] != _MAGIC + struct.pack(">I", 1):
            raise ValueError("not a signature")
        public, namespace, reserved, kind, signature = _fields(content[10:])
        if (namespace, reserved, kind) != (_NAMESPACE, b"", _HASH):
            raise ValueError("for another purpose")
        (of_key, raw), (of_signature, own) = _fields(public), _fields(signature)
        if (of_key, of_signature) != (_KIND, _KIND):
            raise ValueError("of another kind")
        Ed25519PublicKey.from_public_bytes(raw).verify(own, _message_of(text))
    except (ValueError, UnicodeDecodeError, struct.error, binascii.Error) as error:
        raise FormatError(f"{SIGNATURE_FILE} is not a signature of sfumato.") from error
    except InvalidSignature as error:
        raise InputError(f"{SUMS_FILE} is not the list that was signed.") from error
    return public


def _public_key(path: Path) -> bytes:
    try:
        kind, coded = path.read_text(encoding="utf-8").split()[:2]
        if kind.encode() != _KIND:
            raise ValueError("of another kind")
        return base64.b64decode(coded, validate=True)
    except OSError as error:
        raise InputError(f"There is no key {path.name!r}.", hint="check the path.") from error
    except ValueError as error:
        raise FormatError(
            f"The file {path.name!r} is not a public Ed25519 key of OpenSSH."
        ) from error
