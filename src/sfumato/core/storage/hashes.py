"""Hashes of files and folders."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

__all__ = ["sha256_of", "sha256_of_entries"]


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Hash a file, or a folder as the hash of its files' relative names and hashes."""
    path = Path(path)
    if path.is_dir():
        return sha256_of_entries(path, os.listdir(path))
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def sha256_of_entries(folder: Path, names: Iterable[str]) -> str:
    """Hash some entries of a folder as the hash of their files' relative names and hashes."""
    digest = hashlib.sha256()
    entries = [folder / name for name in names]
    inside = [p for entry in entries for p in (entry, *entry.rglob("*"))]
    for file in sorted(p for p in inside if p.is_file()):
        digest.update(f"{file.relative_to(folder).as_posix()}\0{sha256_of(file)}\n".encode())
    return digest.hexdigest()
