"""The quick dataclasses behave as those of the library do, for all that the specs and rules use them for."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import typing
from types import ModuleType
from typing import Any

import pytest

from rules.config import Config
from rules.finding import Category, Finding, Place, Severity
from specs import record
from specs.problems import Position
from specs.versions import Versions

SOURCE = """
from __future__ import annotations
from typing import ClassVar

@dataclass(frozen=True, slots=True, order=True)
class Slotted:
    number: int
    text: str = "x"
    parts: tuple[int, ...] = field(default=(), compare=False)
    made: list[int] = field(default_factory=list, repr=False)
    SHARED: ClassVar[int] = 1

    def twice(self) -> int:
        '''Twice the number.'''
        return self.number * 2

@dataclass(frozen=True)
class Frozen:
    number: int
    told: dict[str, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", abs(self.number))

@dataclass
class Loose:
    number: int
    text: str = "x"

@dataclass(frozen=True)
class Empty:
    pass
"""


def module(made_by: Any) -> ModuleType:
    import sys

    found = ModuleType(f"made_by_{made_by.__name__.replace('.', '_')}")
    sys.modules[found.__name__] = found
    found.__dict__.update(dataclass=made_by.dataclass, field=made_by.field)
    exec(compile(SOURCE, found.__name__, "exec", dont_inherit=True), found.__dict__)
    return found


@pytest.fixture(scope="module", params=[dataclasses, record], ids=["library", "ours"])
def made(request: pytest.FixtureRequest) -> ModuleType:
    return module(request.param)


def test_values(made: ModuleType) -> None:
    one = made.Slotted(1, parts=(1,))
    assert (one.number, one.text, one.parts, one.made, one.SHARED, one.twice()) == (1, "x", (1,), [], 1, 2)
    assert one == made.Slotted(1, parts=(2,))
    assert one != made.Slotted(2)
    assert one != (1, "x")
    assert one.made is not made.Slotted(1).made
    assert repr(one) == "Slotted(number=1, text='x', parts=(1,))"
    assert made.Frozen(-3).number == 3
    assert hash(made.Frozen(3, {"a": 1})) == hash(made.Frozen(-3))
    assert {made.Empty()} == {made.Empty()}
    with pytest.raises(TypeError):
        hash(made.Loose(1))
    with pytest.raises(TypeError):
        made.Slotted()
    with pytest.raises(TypeError):
        made.Slotted(1, other=2)


def test_order(made: ModuleType) -> None:
    assert made.Slotted(1) < made.Slotted(2) <= made.Slotted(2, made=[])
    assert made.Slotted(2, "y") > made.Slotted(2, "x") >= made.Slotted(2, "x")
    with pytest.raises(TypeError):
        assert made.Slotted(1) < 2
    with pytest.raises(TypeError):
        assert made.Frozen(1) < made.Frozen(2)


def test_frozen(made: ModuleType) -> None:
    for one in (made.Slotted(1), made.Frozen(1)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.number = 2
        with pytest.raises(dataclasses.FrozenInstanceError):
            del one.number
    loose = made.Loose(1)
    loose.number = 2
    assert loose == made.Loose(2)
    assert not hasattr(made.Slotted(1), "__dict__")


def test_copies(made: ModuleType) -> None:
    for one in (made.Slotted(1, "y", (1,), [2]), made.Frozen(1, {"a": 1}), made.Loose(1)):
        for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)):
            assert other == one
            assert other is not one
        for replace in (dataclasses.replace, record.replace):
            assert replace(one, number=5).number == 5
            assert replace(one) == one


def test_what_the_library_asks(made: ModuleType) -> None:
    known: Any = made.Slotted
    assert dataclasses.is_dataclass(known)
    assert [item.name for item in dataclasses.fields(made.Slotted)] == ["number", "text", "parts", "made"]
    assert dataclasses.asdict(made.Slotted(1)) == {"number": 1, "text": "x", "parts": (), "made": []}
    assert made.Slotted.__match_args__ == ("number", "text", "parts", "made")
    assert typing.get_type_hints(made.Frozen.__init__)["told"] == dict[str, int]
    assert made.Slotted.twice.__doc__ == "Twice the number."


def test_those_in_use() -> None:
    assert Position(1, 2) < Position(1, 3)
    assert Versions(5, 1) == Versions.NONE
    assert [item.name for item in record.fields(Config)] == [item.name for item in dataclasses.fields(Config)]
    found = Finding("r", Severity.ERROR, Category.WIRE, "m", "f", "n", "t", location=Place("p", 1, 1))
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.waive("why").waived == "why"
