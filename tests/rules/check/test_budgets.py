"""Hostile specs: the cost of a check of each, beside a plain spec of the same size in the same run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from wirebook.specs.limits import MAX_FIELDS, MAX_PROBLEMS, MAX_STRUCT_DEPTH

ROOT = Path(__file__).parents[3]
# Generous, because the machine may be busy: what is not linear is a hundred times over it.
TIMES = 6  # the CPU time of a plain check of the same size
SECONDS = 0.5  # and so much more
MEMORY = 4  # the memory of a plain check of the same size
MIBS = 64  # and so much more
GIVE_UP = 30  # seconds of CPU

Json = dict[str, Any]


class Cost(NamedTuple):
    """What a process came to."""

    code: int
    cpu: float
    mib: float
    text: str


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

    return retyped(make)


@row
def a_ring_of_structs() -> Row:
    def make(kind: str) -> str:
        ring = [struct(f"S{n}", field("Next", f"[]S{(n + 1) % 40}"), field("Leaf", kind)) for n in range(40)]
        return spec([field("Top", "S0")], ring)

    return retyped(make)


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

    return Row(make("S"), make("T"), 0, "warning[struct-renamed]")


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
def repeated_keys() -> Row:
    def make(kind: str) -> str:
        return spec([field("A", kind)])[:-1] + ', "x-a": 1' * 100_000 + "}"

    return retyped(make, 2, f"more than {MAX_PROBLEMS:,} values")


@row
def elements_that_are_no_fields() -> Row:
    return Row(spec([field("A")]), spec([1 for _ in range(50_000)]), 2, f"more than {MAX_PROBLEMS:,} values")  # type: ignore[misc]


@row
def many_listeners() -> Row:
    words = [f"word{n}" for n in range(3000)]
    return retyped(lambda kind: spec([field("A", kind)], listeners=words))


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
    return Row(sides[0], sides[1], 1, "error[tag-changed]")


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


@pytest.mark.parametrize("name", ROWS)
def test_a_hostile_spec_costs_a_small_multiple_of_a_plain_one(name: str, tmp_path: Path) -> None:
    made = ROWS[name]()
    found = cost(made, tmp_path)
    # In steps, so that rows of about one size share a plain check.
    base = plain_cost(1 << (len(made.old) + len(made.new) >> 1).bit_length())
    assert found.code == made.code, found.text[-2000:]
    assert made.says in " ".join(found.text.split())
    assert found.cpu <= TIMES * base.cpu + SECONDS, f"{found.cpu:.2f} s, plain {base.cpu:.2f} s"
    assert found.mib <= MEMORY * base.mib + MIBS, f"{found.mib:.0f} MiB, plain {base.mib:.0f} MiB"
    if made.code == 2:
        assert "HostileRequest.json:" in found.text


def test_the_time_of_a_plain_check_is_linear_in_the_size() -> None:
    start, small, large = plain_cost(1), plain_cost(1 << 17), plain_cost(1 << 20)
    assert large.cpu - start.cpu <= 3 * 8 * max(small.cpu - start.cpu, 0.05)


@cache
def plain_cost(size: int) -> Cost:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return cost(plain(min(size, 1 << 20)), Path(folder))


def cost(made: Row, folder: Path) -> Cost:
    for side, text in (("old", made.old), ("new", made.new)):
        (folder / side).mkdir()
        (folder / side / "HostileRequest.json").write_text(text)
    return measured(["check", "--old", "./old", "--new", "./new"], folder)


def limited() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (GIVE_UP, GIVE_UP))


# What a process takes at most is counted from the fork on, so the one that forks has to be small itself.
_MEASURE = """
import resource, subprocess, sys
code = subprocess.Popen(sys.argv[2:]).wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    print(code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=file)
"""


def measured(arguments: list[str], folder: Path, environ: Mapping[str, str] = os.environ) -> Cost:
    """Run the command in a folder; its exit code (that of the signal where it was stopped) and its costs."""
    command = [sys.executable, "-m", "wirebook.cli.main", *arguments]
    with tempfile.TemporaryDirectory() as place, (folder / "out").open("w+b") as out:
        costs = Path(place) / "costs"
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", _MEASURE, str(costs), *command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "500"},
            preexec_fn=limited,
            check=True,
        )
        code, cpu, mib = costs.read_text(encoding="utf-8").split()
        out.seek(0)
        text = out.read().decode(errors="replace")
    return Cost(int(code), float(cpu), float(mib), text)
