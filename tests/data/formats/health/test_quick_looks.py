"""Quick looks that nearly all resources pass say what the slow ones say: repeated values, and what was removed."""

import base64
import json
import re

from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.data.formats.health import _kernels as kernels
from sfumato.data.formats.health.own_values import repeats_itself
from sfumato.data.formats.health.profile import load_profile
from sfumato.data.formats.health.scanning import Scanner, unescape
from sfumato.data.formats.health.second_reader import _strings, stands_in, still_holds

SCANNER = Scanner(load_profile("fhir"))
WORDS = st.sampled_from(["Ann", "Lee", "Ann Lee", "Ann\u00a0Lee", "Ann  Lee", "A-1234", 'a"b', "a\\b", "line\nline", "é", "AnnLeeCalled", "note", ""])  # fmt: skip
PACKED = st.lists(WORDS, max_size=4).map(
    lambda words: base64.b64encode(" ".join(words).encode()).decode()
)
VALUES = st.recursive(
    WORDS | PACKED | st.integers(0, 99),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(["note", "name", "family", "value", "identifier", "extension", "text", "data", "system", "birthDate", "strange", "id"]), below, max_size=4),
    max_leaves=12,
)  # fmt: skip
RESOURCES = st.dictionaries(st.sampled_from(["note", "name", "identifier", "extension", "text", "data", "strange", "issued", "id"]), VALUES, max_size=5)  # fmt: skip


def repeats_by_pieces(found, texts):
    """Return whether a string of any dropped piece stands in the texts, piece by piece."""
    string, squeezed = re.compile(rb'"((?:[^"\\]|\\.)*)"(:?)'), "".join(texts.split())
    for code, first, last in found.places():
        piece = found.content[first:last]
        if code in (kernels.IDENTIFIER, kernels.DATE):
            own = [unescape(piece)]
        elif code == kernels.DROP:
            own = [unescape(one) for one, is_name in string.findall(piece) if not is_name]
        else:
            continue
        if any(len(one) >= 3 and "".join(one.split()) in squeezed for one in own):
            return True
    return False


@given(RESOURCES, st.lists(WORDS, max_size=4).map(" ".join))
@example({"identifier": [{"value": "A-1234"}], "issued": "2020-01-31"}, "on 2020-01-31")
@example({"name": {"family": "Lee: "}}, "Lee:")
def test_what_is_repeated_is_found_as_piece_by_piece(own, texts):
    line = json.dumps({"resourceType": "Patient", **own}, ensure_ascii=False).encode()
    (found,) = SCANNER.scan([line])
    if found is not None:
        assert repeats_itself(found, texts) == repeats_by_pieces(found, texts)


@given(RESOURCES, st.lists(WORDS, min_size=1, max_size=3), st.booleans())
@example({"data": base64.b64encode(b"seen by Ann Lee").decode()}, ["Ann Lee"], True)
@example({"note": "seen by Ann\u00a0Lee today"}, ["Ann Lee"], False)
def test_what_was_removed_is_found_as_by_a_look_at_each_string(own, removed, is_ascii):
    removed = [one for one in removed if one]
    line = json.dumps(own, ensure_ascii=is_ascii, separators=(",", ":")).encode()
    slow = any(
        stands_in("".join(text.split()), one)
        for one in _strings(json.loads(line), ("http://loinc.org",))
        for text in removed
    )
    assert still_holds(line, removed, ("http://loinc.org",)) == slow
