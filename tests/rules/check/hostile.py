"""Hostile changes of a spec, one of each kind that was once too much, and what a check says of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from wirebook.specs.limits import MAX_FIELDS, MAX_INT16, MAX_PROBLEMS, MAX_STRUCT_DEPTH

Json = dict[str, Any]


class Row(NamedTuple):
    """Both sides of a hostile change, the exit code, and what the report says."""

    old: str
    new: str
    code: int
    says: str


def spec(fields: Iterable[Json], structs: Iterable[Json] = (), valid: str = "0-1", **more: object) -> str:
    made = {
        "apiKey": 900,
        "type": "request",
        "name": "HostileRequest",
        "validVersions": valid,
        "flexibleVersions": "0+",
        **more,
        "commonStructs": list(structs),
        "fields": list(fields),
    }
    return json.dumps(made).replace('{"name"', '\n{"name"')


def field(name: str, kind: str = "int32", **more: object) -> Json:
    return {"name": name, "type": kind, "versions": "0+", **more}


def struct(name: str, *fields: Json) -> Json:
    return {"name": name, "versions": "0+", "fields": list(fields)}


def retyped(make: Callable[[str], str], code: int = 1, says: str = "error[type-changed]") -> Row:
    """Both sides of a spec in which the type of some field changes."""
    return Row(make("int32"), make("int64"), code, says)


def plain(size: int) -> Row:
    """A spec of about so many bytes in which one field changes."""
    count = max(size // 80, 1)

    def make(kind: str) -> str:
        return spec(field(f"Field{n}", "int32" if n else kind, about="Some words.") for n in range(count))

    return retyped(make)


ROWS: dict[str, Callable[[], Row]] = {}


def row(make: Callable[[], Row]) -> Callable[[], Row]:
    ROWS[make.__name__.replace("_", " ")] = make
    return make


@row
def structs_used_twice_each() -> Row:
    def make(kind: str) -> str:
        halves = [struct(f"S{n}", field("A", f"S{n + 1}"), field("B", f"S{n + 1}")) for n in range(31)]
        return spec([field("Top", "S0")], [*halves, struct("S31", field("Leaf", kind))])

    return retyped(make, 2, f"more than {MAX_FIELDS:,} fields")


@row
def structs_that_hold_all_later_ones() -> Row:
    def make(kind: str) -> str:
        return spec(
            [field("Top", "S0")],
            [
                struct(f"S{n}", *(field(f"F{m}", f"[]S{m}") for m in range(n + 1, 28)), field("Leaf", kind))
                for n in range(28)
            ],
        )

    return retyped(make, 2, f"more than {MAX_FIELDS:,} fields")


@row
def structs_that_hold_each_other() -> Row:
    def make(kind: str) -> str:
        every = [field(f"F{m}", f"[]S{m}") for m in range(9)]
        return spec([field("Top", "S0")], [struct(f"S{n}", *every, field("Leaf", kind)) for n in range(9)])

    return retyped(make, says="error[layout-changed]")


@row
def a_ring_of_structs() -> Row:
    def make(kind: str) -> str:
        ring = [struct(f"S{n}", field("Next", f"[]S{(n + 1) % 40}"), field("Leaf", kind)) for n in range(40)]
        return spec([field("Top", "S0")], ring)

    return retyped(make, says="error[layout-changed]")


@row
def a_chain_of_500_structs() -> Row:
    return chain(500)


@row
def a_chain_of_5000_structs() -> Row:
    return chain(5000)


def chain(length: int) -> Row:
    def make(kind: str) -> str:
        links = [struct(f"S{n}", field("Next", f"S{n + 1}")) for n in range(length)]
        return spec([field("Top", "S0")], [*links, struct(f"S{length}", field("Leaf", kind))])

    return retyped(make, 2, f"more than {MAX_STRUCT_DEPTH} structs")


@row
def long_names_in_each_other() -> Row:
    def make(kind: str) -> str:
        links = [struct(f"S{n}", field("B" * 1000, f"S{n + 1}"), field("C")) for n in range(40)]
        leaves = struct("S40", *(field(f"Leaf{n}", kind) for n in range(1000)))
        return spec([field("A" * 1000, "S0")], [*links, leaves])

    return retyped(make, 2, "the paths of the fields")


@row
def a_struct_in_very_many_fields() -> Row:
    def make(kind: str) -> str:
        leaves = struct("S", *(field(f"B{n}", kind) for n in range(1000)))
        return spec((field(f"A{n}", "[]S") for n in range(1000)), [leaves])

    return retyped(make, 2, f"more than {MAX_FIELDS:,} fields")


@row
def a_struct_for_each_field() -> Row:
    def make(kind: str) -> str:
        structs = [struct(f"S{n}", field("B", kind)) for n in range(3000)]
        return spec((field(f"A{n}", f"S{n}") for n in range(3000)), structs)

    return retyped(make)


@row
def structs_that_are_not_there() -> Row:
    def make(kind: str) -> str:
        return spec([*(field(f"A{n}", f"S{n}") for n in range(3000)), field("B", kind)])

    return retyped(make)


@row
def every_struct_renamed() -> Row:
    def make(kind: str) -> str:
        structs = [struct(f"{kind}{n}", field("B")) for n in range(2000)]
        return spec((field(f"A{n}", f"{kind}{n}") for n in range(2000)), structs)

    return Row(make("S"), make("T"), 0, "info[struct-renamed]")


@row
def unknown_keys() -> Row:
    return retyped(
        lambda kind: spec([field("A", kind, **{f"unknownKey{n}": 1 for n in range(5000)})]),
        2,
        f"more than {MAX_PROBLEMS:,} values",
    )


@row
def few_unknown_keys_of_many_fields() -> Row:
    return retyped(lambda kind: spec(field(f"A{n}", kind, **{f"typ{n}": 1}) for n in range(900)))


@row
def unknown_keys_among_many_fields() -> Row:
    def make(key: str) -> str:
        odd = (field(f"A{n}", "int32", **{f"{key}{n}": 1}) for n in range(900))
        return spec([*odd, *(field(f"A{n}") for n in range(900, 12_000))])

    return Row(make("typ"), make("tip"), 1, "error[unknown-key]")


@row
def repeated_keys() -> Row:
    def make(kind: str) -> str:
        return spec([field("A", kind)])[:-1] + ', "x-a": 1' * 100_000 + "}"

    return retyped(make, 2, f"more than {MAX_PROBLEMS:,} values")


@row
def elements_that_are_no_fields() -> Row:
    return Row(spec([field("A")]), spec([1 for _ in range(50_000)]), 2, f"more than {MAX_PROBLEMS:,} values")  # type: ignore[misc]


@row
def many_listeners() -> Row:
    words = [f"word{n}" for n in range(40_000)]
    return retyped(lambda kind: spec([field("A", kind)], listeners=words))


@row
def every_listener_another() -> Row:
    sides = [spec([field("A")], listeners=[f"{word}{n}" for n in range(10_000)]) for word in ("old", "new")]
    return Row(sides[0], sides[1], 0, "info[listener-withdrawn]")


@row
def many_versions() -> Row:
    return retyped(
        lambda kind: spec((field(f"A{n}", kind) for n in range(200)), valid="0-9999"),
        2,
        "200 fields in 10,000 versions",
    )


@row
def no_last_version() -> Row:
    return retyped(
        lambda kind: spec((field(f"A{n}", kind) for n in range(100)), valid="0+"), 2, "name the last version"
    )


@row
def a_version_for_each_field() -> Row:
    return retyped(
        lambda kind: spec(({**field(f"A{n}", kind), "versions": f"{n}+"} for n in range(400)), valid="0-399")
    )


@row
def many_fields() -> Row:
    return retyped(lambda kind: spec(field(f"A{n}", kind if n == 9 else "int32") for n in range(16_000)))


@row
def every_field_renamed() -> Row:
    sides = [spec(field(f"{name}{n}") for n in range(3000)) for name in ("Old", "New")]
    return Row(sides[0], sides[1], 0, "warning[field-renamed]")


@row
def every_field_in_another_place() -> Row:
    kinds = ("int32", "string", "int64")
    sides = [
        spec(field(f"F{n}", kinds[n % 3]) for n in order) for order in (range(3000), range(2999, -1, -1))
    ]
    return Row(sides[0], sides[1], 1, "error[field-moved]")


@row
def every_field_removed() -> Row:
    return Row(spec(field(f"F{n}") for n in range(3000)), spec([field("G")]), 1, "error[")


@row
def one_name_for_all_fields() -> Row:
    return retyped(lambda kind: spec(field("F", kind) for _ in range(3000)), says="error[")


@row
def one_tag_for_all_fields() -> Row:
    sides = [spec(field(f"F{n}", taggedVersions="0+", tag=tag) for n in range(3000)) for tag in (0, 1)]
    return Row(sides[0], sides[1], 1, "error[layout-changed]")


@row
def every_tag_another() -> Row:
    sides = [spec(field(f"F{n}", taggedVersions="0+", tag=n + by) for n in range(2000)) for by in (0, 1)]
    return Row(sides[0], sides[1], 1, "error[tag-changed]")


@row
def gaps_between_all_tags() -> Row:
    sides = [spec(field(f"F{n}", taggedVersions="0+", tag=n * by) for n in range(2000)) for by in (1, 2)]
    return Row(sides[0], sides[1], 1, "error[tag-")


@row
def a_history_that_is_rewritten() -> Row:
    def make(by: str) -> str:
        entries = [{"version": n % 10, "added": f"{by}.{n}"} for n in range(3000)]
        return spec([field("A")], valid="0-9", history=entries)

    return Row(make("1"), make("2"), 1, "error[history-rewritten]")


@row
def comments_before_everything() -> Row:
    return retyped(lambda kind: "//\n" * 100_000 + spec([field("A", kind)]))


@row
def all_on_one_line() -> Row:
    return retyped(lambda kind: spec(field(f"A{n}", kind) for n in range(3000)).replace("\n", ""))


@row
def brackets_that_never_end() -> Row:
    return Row(spec([field("A")]), spec([field("A")])[:-2] + "," + "[" * 100_000, 2, "nested more than")


TABLES: dict[str, Callable[[], Row]] = {}


def table(make: Callable[[], Row]) -> Callable[[], Row]:
    TABLES[make.__name__.replace("_", " ")] = make
    return make


def codes(by: int) -> str:
    more = {"retriable": False, "first_release": None, "about": "It."}
    return json.dumps(
        {"errors": [{"code": code, "name": f"E{code + by}", **more} for code in range(MAX_INT16)]}
    )


def values(count: int, name: str, fields: Iterable[str] = ("Field0",)) -> str:
    listed = [{"value": n, "name": f"{name}{n}", "meaning": "It."} for n in range(count)]
    return json.dumps({"sets": [{"fields": [f"HostileRequest.{each}" for each in fields], "values": listed}]})


@table
def every_error_code_shifted() -> Row:
    return Row(codes(0), codes(1), 1, "32766 more numbers change with it")


@table
def every_value_another() -> Row:
    return Row(values(5000, "a"), values(5000, "b"), 1, "error[value-reused]")


@table
def every_value_removed() -> Row:
    return Row(values(5000, "a"), values(1, "a"), 1, "error[value-removed]")


@table
def one_set_for_thousands_of_fields() -> Row:
    fields = [f"Field{n}" for n in range(10_000)]
    sides = [values(1, name, fields) for name in "ab"]
    return Row(sides[0], sides[1], 1, "also in HostileRequest.Field1 and 9998 more")


@table
def thousands_of_fields_under_other_names() -> Row:
    sides = [values(1, "a", [f"{name}{n}" for n in range(10_000)]) for name in "FG"]
    return Row(sides[0], sides[1], 0, "no findings")
