"""The lifeline of an API: the place of each bar and label."""

from __future__ import annotations

import re
from dataclasses import replace

from wirebook.docgen.catalog.records import ApiPresence
from wirebook.docgen.render.pictures.lifeline import lifeline, numbers


def presence(
    names: list[str], versions: list[str], *, old: str = "none", new: str = "none"
) -> list[ApiPresence]:
    """What snapshots offer; `old` and `new` are what is deprecated and unstable in the last one."""
    pairs = zip(names, versions, strict=True)
    found = [ApiPresence(name, offered, unstable="none", deprecated="none") for name, offered in pairs]
    return [*found[:-1], replace(found[-1], unstable=new, deprecated=old)]


def drawn(found: list[ApiPresence]) -> list[str]:
    """The shapes of the picture."""
    shapes = re.findall(
        r"<(?:rect|text|path|svg)[^>]*>(?:<title>[^<]+|[^<]*(?=</text>))?", str(lifeline("Foo", found))
    )
    return [shape.replace("<title>", "") for shape in shapes]


def test_bars_and_labels_have_their_places() -> None:
    found = presence(["1.0.0", "1.0.1", "2.0.0"], ["0-1", "0", "0-1"], old="0", new="2")
    picture = str(lifeline("Foo", found))
    assert drawn(found) == [
        '<svg class="wb-lifeline" role="img" viewBox="0 0 152 100" width="152" height="100">Lifeline of Foo',
        '<path class="grid" d="M34 8V60M90 8V60"/>',
        '<text transform="translate(34 70) rotate(60)">1.0',
        '<text transform="translate(90 70) rotate(60)">2.0',
        '<text class="v" x="28" y="19">v2',
        '<text class="v end" x="124" y="19">v2',
        '<rect class="unstable" x="90" y="10" width="27" height="12">version 2: unstable, 2.0.0 to 2.0.0',
        '<text class="v" x="28" y="35">v1',
        '<text class="v end" x="124" y="35">v1',
        '<rect class="current" x="34" y="26" width="27" height="12">version 1: current, 1.0.0 to 1.0.0',
        '<rect class="current" x="90" y="26" width="27" height="12">version 1: current, 2.0.0 to 2.0.0',
        '<text class="v" x="28" y="51">v0',
        '<text class="v end" x="124" y="51">v0',
        '<rect class="current" x="34" y="42" width="55" height="12">version 0: current, 1.0.0 to 1.0.1',
        '<rect class="deprecated" x="90" y="42" width="27" height="12">version 0: deprecated, 2.0.0 to 2.0.0',
    ]
    assert (
        "<title>Lifeline of Foo</title><desc>version 0 current from 1.0.0 to 1.0.1, "
        "deprecated from 2.0.0 to 2.0.0; version 1 current from 1.0.0 to 1.0.0, current from 2.0.0 to 2.0.0; "
        "version 2 unstable from 2.0.0 to 2.0.0</desc>"
    ) in picture


def test_the_width_of_a_snapshot_has_limits() -> None:
    for count, step in ((2, 28), (32, 28), (36, 25), (75, 12), (100, 12)):
        found = presence([f"{number}.0.0" for number in range(count)], ["0"] * count)
        assert f'width="{count * step + 68}"' in drawn(found)[0]


def test_there_is_a_picture_from_two_snapshots_on() -> None:
    assert lifeline("Foo", presence(["1"], ["0"])) == ""
    assert lifeline("Foo", presence(["1", "2"], ["none", "none"])) == ""
    assert "<rect" in lifeline("Foo", presence(["1", "2"], ["none", "0"]))


def test_very_high_versions_are_not_drawn() -> None:
    assert [*numbers("1999+")] == [1999, 2000]
    assert [*numbers("")] == [*numbers("none")] == []
