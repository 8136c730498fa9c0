"""The rules against the bytes themselves: what no rule calls an error, peers of both specs can read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.profiles import examples
from tests.rules.breaks import BREAKS, Break
from tests.rules.evolutions import SOUND, evolve
from tests.rules.protocols import Specs, protocols, read
from tests.specs.wire.wire_values import values
from wirebook.rules.engine import check
from wirebook.rules.finding import Finding, Severity
from wirebook.specs.problems import InputError
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.layout import Layout, layout
from wirebook.specs.wire.scalars import WireError

DATA = st.data()
# Edits that a single value of a single version shows: what is written is too long, too short, or is refused.
SEEN = (
    "type changed", "becomes an array", "untagged field added", "field removed", "field begins later",
    "field begins earlier", "flexible versions widened", "flexible versions removed", "tag taken away",
    "field no longer compact",
)  # fmt: skip


def quiet(old: Specs, new: Specs) -> Iterator[tuple[Layout, Layout]]:
    """The layouts, old and new, of every version on both sides of which no rule says an error."""
    before, after = read(old), read(new)
    named: dict[str, list[Finding]] = {}
    for item in check(before, after):
        if item.severity is Severity.ERROR:
            named.setdefault(item.message_name, []).append(item)
    for message in after:
        partner = next((other for other in before if other.identity == message.identity), None)
        if partner is None:
            continue
        errors = named.get(message.name, [])
        for version in partner.valid_versions & message.valid_versions:
            if any(not item.versions or version in item.versions for item in errors):
                continue
            try:
                yield layout(partner, version), layout(message, version)
            except InputError:
                continue


def carried(writer: Layout, reader: Layout, body: bytes) -> bytes | WireError:
    """What a reader by another spec makes of a message, written again."""
    assert writer.version == reader.version
    try:
        return codec(reader).encode(codec(reader).decode(body))
    except WireError as error:
        return error


@examples(1, suppress_health_check=list(HealthCheck))
@given(data=DATA)
def test_what_is_no_error_is_read_by_both_sides(data: st.DataObject) -> None:
    old = data.draw(protocols())
    new = evolve(data.draw, old, data.draw(st.lists(st.sampled_from(SOUND), max_size=3)))
    for kind in data.draw(st.lists(st.sampled_from(BREAKS[:-2]), max_size=1)):
        kind.edit(data.draw, new)
    pairs = list(quiet(old, new))
    for before, after in data.draw(st.lists(st.sampled_from(pairs), max_size=4)) if pairs else ():
        for writer, reader in ((before, after), (after, before)):
            body = codec(writer).encode(data.draw(values(writer)))
            assert carried(writer, reader, body) == body


class MisreadError(Exception):
    """A value is not read as it was written."""


@pytest.mark.share(2)
@pytest.mark.parametrize("kind", [kind for kind in BREAKS if kind.name in SEEN], ids=lambda kind: kind.name)
def test_the_bytes_show_the_break(kind: Break) -> None:
    """Of some dozens of values, one at least is not read as it was written."""

    # A search that has to find something, so its number is the same in every profile, and it ends with that.
    @settings(
        max_examples=40,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        database=None,
        derandomize=True,
    )
    @given(data=DATA)
    def search(data: st.DataObject) -> None:
        old = data.draw(protocols())
        new = evolve(data.draw, old, [])
        kind.edit(data.draw, new)
        for before, after in zip(read(old), read(new), strict=True):
            for version in before.valid_versions if before != after else ():
                try:
                    writer, reader = layout(before, version), layout(after, version)
                except InputError:
                    continue
                body = codec(writer).encode(data.draw(values(writer)))
                if carried(writer, reader, body) != body:
                    raise MisreadError

    with pytest.raises(MisreadError):
        search()
