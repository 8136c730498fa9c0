"""Values for the codec's tests: anything that a layout allows, and what it reads as."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from wirebook.specs.codec import UNKNOWN
from wirebook.specs.layout import Layout, LayoutField

Special = Callable[[LayoutField], st.SearchStrategy[Any] | None]

_INTEGERS = {
    "INT8": (-(2**7), 2**7 - 1),
    "INT16": (-(2**15), 2**15 - 1),
    "UINT16": (0, 2**16 - 1),
    "INT32": (-(2**31), 2**31 - 1),
    "UINT32": (0, 2**32 - 1),
    "INT64": (-(2**63), 2**63 - 1),
}
_TEXTS = st.one_of(
    st.sampled_from(["", "a", "topic-1", "é☃𝄞", "\x00", "x" * 127, "y" * 128, "z" * 300]),
    st.text(max_size=5),
)
_BYTES = st.one_of(
    st.sampled_from(["", "00", "ff" * 126, "ab" * 127, "cd" * 200]),
    st.binary(max_size=4).map(bytes.hex),
)


def none_special(_: LayoutField) -> None:
    """Nothing is special."""


def values(
    layout: Layout, special: Special = none_special, unknown: bool = True
) -> st.SearchStrategy[dict[str, Any]]:
    """Values of a message; `special` may narrow a field, `unknown` adds tagged fields that nobody
    knows."""
    return _struct(layout.fields, layout.flexible, special, unknown)


def _struct(
    fields: Sequence[LayoutField], flexible: bool, special: Special, unknown: bool
) -> st.SearchStrategy[dict[str, Any]]:
    needed: dict[str, st.SearchStrategy[Any]] = {}
    free: dict[str, st.SearchStrategy[Any]] = {}
    for field in fields:
        strategy = _field(field, flexible, special, unknown)
        (free if field.tag is not None else needed)[field.name] = strategy
    if flexible and unknown:
        tags = {field.tag for field in fields}
        numbers = st.sampled_from([tag for tag in (4_000, 70_000, 2**31 - 2) if tag not in tags])
        several = st.dictionaries(numbers, _BYTES, min_size=1, max_size=2)
        free[UNKNOWN] = several.map(
            lambda found: [{"tag": tag, "data": found[tag]} for tag in sorted(found)]
        )
    return st.fixed_dictionaries(needed, optional=free)


def _field(
    field: LayoutField, flexible: bool, special: Special, unknown: bool
) -> st.SearchStrategy[Any]:
    narrowed = special(field)
    if field.fields is not None:
        one: st.SearchStrategy[Any] = _struct(field.fields, flexible, special, unknown)
    elif narrowed is not None:
        one = narrowed
    else:
        one = _scalar(field.element or field.type)
    if field.element is not None:
        one = st.lists(one, max_size=2)
    return st.none() | one if field.nullable else one


def _scalar(type_: str) -> st.SearchStrategy[Any]:
    if type_ in _INTEGERS:
        lowest, highest = _INTEGERS[type_]
        return st.sampled_from([0, 1, lowest, highest]) | st.integers(lowest, highest)
    if type_ == "BOOLEAN":
        return st.booleans()
    if type_ == "UUID":
        return st.uuids().map(str)
    if type_ == "FLOAT64":
        return st.floats(allow_nan=False, allow_infinity=False)
    return _TEXTS if type_.endswith("STRING") else _BYTES


def completed(value: Mapping[str, Any], fields: Sequence[LayoutField]) -> dict[str, Any]:
    """The value with every absent field as it reads."""
    made: dict[str, Any] = {}
    for field in fields:
        given = value.get(field.name, field.default)
        if field.fields is not None and given is not None:
            inner = field.fields
            given = (
                [completed(item, inner) for item in given]
                if field.element is not None
                else completed(given, inner)
            )
        made[field.name] = given
    if UNKNOWN in value:
        made[UNKNOWN] = value[UNKNOWN]
    return made
