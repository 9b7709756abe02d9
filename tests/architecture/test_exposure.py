"""Every field of every record that can reach a public file says who may read it."""

import importlib
import pkgutil

import pytest

import sfumato.engines
from sfumato.core.engine import ENGINES
from sfumato.core.record import (
    Coarse,
    Count,
    Exposure,
    HouseRecord,
    Private,
    Public,
    Record,
    RoundedDown,
    RoundedUp,
)
from sfumato.core.records import AttackRecord, FrontierRecord, Release


def records(base=Record):
    """Yield every record of the package."""
    for module in pkgutil.walk_packages(sfumato.engines.__path__, "sfumato.engines."):
        if module.name.rpartition(".")[2].endswith("records"):
            importlib.import_module(module.name)
    for own in base.__subclasses__():
        yield own
        yield from records(own)


def of_sfumato():
    found = {r for r in records() if r.__module__.startswith("sfumato.")}
    return sorted(found, key=lambda r: (r.__module__, r.__name__))


def test_every_field_that_can_be_given_out_says_who_may_read_it():
    looked = 0
    for record in of_sfumato():
        assert record.__pydantic_fields_complete__, record  # else its fields could not be looked at
        for name in record.model_fields:
            assert record.stays or isinstance(record.exposure(name), Exposure), (record, name)
            looked += not record.stays
    assert looked > 100


def test_releases_are_given_out_and_frontiers_and_attacks_are_not():
    for engine in map(ENGINES.__getitem__, ("text", "tables", "baskets")):
        assert issubclass(engine.Release, Release)
        assert not engine.Release.stays
        assert engine.Exploration.Record.stays
        assert engine.Attack is None or engine.Attack.stays
    assert FrontierRecord.stays
    assert AttackRecord.stays


def test_a_record_with_a_field_that_does_not_say_it_cannot_be_defined():
    with pytest.raises(TypeError, match="'loss' of the record 'Figures' does not say who may read"):
        type("Figures", (Record,), {"__annotations__": {"k": Public[int], "loss": float}})
    # A subclass that declares a field anew says it anew.
    parent = type("Parent", (Record,), {"__annotations__": {"loss": Private[float]}})
    with pytest.raises(TypeError, match="does not say who may read"):
        type("Child", (parent,), {"__annotations__": {"loss": float}})


def test_what_stays_in_the_house_cannot_be_held_by_what_is_given_out():
    held = type("Held", (HouseRecord,), {"__annotations__": {"loss": float}})
    for kind in (held, held | None, tuple[held, ...], dict[str, held]):
        with pytest.raises(TypeError, match="holds a 'Held', which is private"):
            type("Given", (Record,), {"__annotations__": {"inner": Public[kind]}})
        type("Kept", (Record,), {"__annotations__": {"inner": Private[kind]}})


class Inner(Record):
    share: Public[float]
    secret: Private[float]


class Outer(Record):
    one: Public[Inner]
    many: Public[tuple[Inner, ...]]
    named: Public[dict[str, Inner]]
    few: Coarse[Count]
    counts: Coarse[dict[str, Count]]
    up: RoundedUp[float]
    down: RoundedDown[dict[str, float]]
    own: Private[Inner]


def test_each_kind_of_field_is_given_out_as_it_says():
    inner = Inner(share=0.123456, secret=1.0)
    outer = Outer(
        one=inner, many=(inner, inner), named={"a": inner}, few=3, counts={"a": 0, "b": 5, "c": 6},
        up=0.123456, down={"value": 0.9876, "low": 0.9876, "high": 0.9876}, own=inner,
    )  # fmt: skip
    shown = {"share": 0.123456}
    public = outer.to_public_json()
    assert public == {
        "one": shown, "many": [shown, shown], "named": {"a": shown}, "few": 5,
        "counts": {"a": 0, "b": 5, "c": 10}, "up": 0.13,
        "down": {"value": 0.98, "low": 0.98, "high": 0.99},
    }  # fmt: skip


@pytest.mark.parametrize("engine", ["tables", "text", "baskets"])
def test_what_was_given_out_is_given_out_again_as_it_is(written, engine):
    kind = ENGINES[engine].Release
    full = kind.read_full(written / f"{engine}-release")
    assert full.multiples_of == 1
    public = full.public()
    assert public.multiples_of == full.granularity > 1
    assert public.to_public_json() == full.to_public_json()
    assert all(n % public.multiples_of == 0 for n in public.left_out.values())
    assert public.withheld == ()
    assert all(file.rows is None for file in public.inputs)
