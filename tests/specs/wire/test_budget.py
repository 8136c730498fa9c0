"""What a decode may create: few bytes never cost much memory or time, whatever the spec and the message."""

from __future__ import annotations

import gc
import json
import time
import tracemalloc
from collections.abc import Callable

import pytest

from tests.specs.wire.hostile import READ, REFUSED
from tests.specs.wire.layouts import field, message
from wirebook.docgen.render.bytes.terminal import table
from wirebook.specs.exchange.lines import compact_json
from wirebook.specs.limits import MAX_EMPTY
from wirebook.specs.wire.budget import Budget
from wirebook.specs.wire.codec import Codec, codec
from wirebook.specs.wire.layout import layout
from wirebook.specs.wire.scalars import WireError

LARGEST = 50 << 20  # bytes, as site_src/limits.md promises
OFTEN = ("empty structs",)
SECONDS = 1.0


def cost(work: Callable[[], object]) -> tuple[int, float]:
    """The most memory in bytes that some work takes at a time, and its processor seconds."""
    work()
    gc.collect()
    # A worker of the test run has millions of other objects, which each full collection visits.
    gc.freeze()
    begun = time.process_time()
    work()
    seconds = time.process_time() - begun
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1], seconds
    finally:
        tracemalloc.stop()


def explain(of: Codec, data: bytes) -> None:
    """What `decode --explain` makes of a message, in both formats."""
    spans = of.explain(data)
    table([("body", span) for span in spans], data)
    json.dumps([span.to_json() for span in spans])


def test_a_message_has_a_constant_and_one_for_each_byte() -> None:
    budget = Budget(3)
    assert budget.spend(MAX_EMPTY)
    assert budget.spend(3)
    assert budget.spend(0)
    assert not budget.spend(1)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", REFUSED)
def test_structs_without_bytes_have_one_limit_in_all(name: str) -> None:
    shape, data, path, offset = REFUSED[name]
    assert len(data) <= 10_000
    of = codec(shape)
    words = "more than 16,384 structs without bytes of their own, and one for each byte, in one message"

    def refused() -> None:
        for read in (of.decode, of.decode_from, of.explain):
            with pytest.raises(WireError) as caught:
                read(data)
            assert (caught.value.path, caught.value.offset, caught.value.message) == (path, offset, words)

    most, seconds = cost(refused)
    assert most < LARGEST
    assert seconds < SECONDS


@pytest.mark.parametrize(
    "name",
    [name if name in OFTEN else pytest.param(name, marks=pytest.mark.long) for name in READ],
)
def test_what_is_read_costs_little(name: str) -> None:
    shape, data = READ[name]()
    assert len(data) <= 10_000
    of = codec(shape)
    for work in (lambda: compact_json(of.decode(data)), lambda: explain(of, data)):
        most, seconds = cost(work)
        assert most < LARGEST
        assert seconds < SECONDS


def test_every_message_has_its_own_budget() -> None:
    shape, data = READ["empty structs"]()
    of = codec(shape)
    for _ in range(3):
        assert len(of.decode(data)["A"][0]["B"]) == MAX_EMPTY + 7  # type: ignore[index]


def test_what_is_before_a_message_adds_nothing_to_its_budget() -> None:
    of = codec(layout(message(field("A", "[]S", fields=[field("X", "int8", "1+")]), flexible="none"), 0))
    most = MAX_EMPTY + 4
    value, _ = of.decode_from(bytes(9) + most.to_bytes(4, "big"), 9)
    assert len(value["A"]) == most  # type: ignore[arg-type]
    with pytest.raises(WireError, match="structs without bytes of their own"):
        of.decode_from(bytes(9) + (most + 1).to_bytes(4, "big"), 9)


def test_an_explanation_repeats_paths_of_limited_length() -> None:
    name = "N" * 5_000
    of = codec(layout(message(field("A", "[]S", fields=[field(name, "int8")]), flexible="none"), 0))
    data = (9_000).to_bytes(4, "big") + bytes(9_000)

    def refused() -> None:
        with pytest.raises(WireError, match="the paths of the fields are too long to explain each byte"):
            of.explain(data)

    most, seconds = cost(refused)
    assert most < LARGEST
    assert seconds < SECONDS
    assert len(of.decode(data)["A"]) == 9_000  # type: ignore[arg-type]
    assert len(of.explain((3).to_bytes(4, "big") + bytes(3))) == 4
