"""What a report says of two releases of documents."""

from __future__ import annotations

from ....presentation.language import say
from ....presentation.numbers import count, percent
from ..attack_records import TextAttack
from ..composition_records import TextComposition

__all__ = ["sentences_together"]


def sentences_together(attack: TextAttack | None) -> list[str]:
    """Return what a release and earlier ones give away together."""
    found = []
    for together in () if attack is None else attack.compositions:
        found += _sentences(together)
    return found


def _sentences(together: TextComposition) -> list[str]:
    found = [
        say(
            "Together with {earlier}, which holds {documents} of the same documents: of {places} places that one of the two redacts, the other shows {shown}. Only what both redact is redacted.",
            earlier=together.earlier,
            documents=count(together.people),
            places=count(together.places),
            shown=count(together.shown),
        ),
        say(
            "{ids} of these documents have the same id in both releases and {surrogates} the same surrogates; {names} of the later documents carry a full name that replaces one in the earlier release, too.",
            ids=percent(together.same_ids),
            surrogates=percent(together.same_surrogates),
            names=percent(together.repeated_names),
        ),
    ]
    if together.left is not None:
        found.append(
            say(
                "Something is left of {first} and {second} sensitive spans in each release alone, and of {together} for someone who holds both.",
                first=count(together.left.first),
                second=count(together.left.second),
                together=count(together.left.together),
            )
        )
    return found
