"""Tags of tokens (BIO, IOB, BIOES, BILOU) as ranges of tokens, and back."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["spans_of_tags", "tags_of_labels"]


def spans_of_tags(tags: Sequence[str]) -> tuple[list[tuple[int, int, str]] | None, str]:
    """Turn the tags of a sentence into token ranges; None when one is not a tag."""
    found: list[tuple[int, int, str]] = []
    scheme, going = "BIO", False
    for i, tag in enumerate(tags):
        if tag in ("O", "_"):
            going = False
            continue
        prefix, dash, kind = tag.partition("-")
        if not dash or not kind or prefix not in ("B", "I", "E", "S", "L", "U"):
            return None, scheme
        if prefix in "ES":
            scheme = "BIOES"
        elif prefix in "LU":
            scheme = "BILOU"
        if going and prefix in "IEL" and found[-1][2] == kind:
            found[-1] = (found[-1][0], i + 1, kind)
        else:
            if prefix == "I" and scheme == "BIO":
                scheme = "IOB"
            found.append((i, i + 1, kind))
        going = prefix in "BI"
    return found, scheme


def tags_of_labels(labels: Sequence[tuple[int, str] | None], scheme: str) -> list[str]:
    """Write tags for the tokens of a sentence; each label comes with the number of its span."""
    tags = []
    for i, label in enumerate(labels):
        if label is None:
            tags.append("O")
            continue
        before = labels[i - 1] if i else None
        after = labels[i + 1] if i + 1 < len(labels) else None
        first, last = before != label, after != label
        if scheme == "IOB":
            touching = first and before is not None and before[1] == label[1]
            prefix = "B" if touching else "I"
        elif scheme == "BIO":
            prefix = "B" if first else "I"
        else:
            single, end = ("S", "E") if scheme == "BIOES" else ("U", "L")
            prefix = (single if last else "B") if first else (end if last else "I")
        tags.append(f"{prefix}-{label[1]}")
    return tags
