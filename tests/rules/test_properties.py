"""What the rules hold to, over random protocols: sound evolutions pass, every kind of break is named."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.kafka import read_kafka
from tests.profiles import examples
from tests.rules.breaks import BREAKS, Break, one, tagged
from tests.rules.evolutions import SOUND, Evolution, add_tagged, evolve, new_version
from tests.rules.protocols import Specs, fresh, protocols, read, rng, texts, valid, walk
from wirebook.rules.engine import LAYOUT_CHANGED, check
from wirebook.rules.finding import Category, Finding, Severity
from wirebook.rules.released import Baseline
from wirebook.rules.rule import find
from wirebook.specs.model import Message, Protocol
from wirebook.specs.problems import InputError
from wirebook.specs.wire.layout import layout

DATA = st.data()
# Where nothing in a protocol is of the kind that an edit needs, the example is none.
NOTHING = [Baseline("0.0.0", Protocol(()))]


def errors(found: list[Finding]) -> list[Finding]:
    return [item for item in found if item.severity is Severity.ERROR and item.root is None]


def told(found: list[Finding]) -> list[str]:
    return [f"{item.rule} {item.message_name} {item.field}: {item.message}" for item in found]


def signature(found: list[Finding]) -> Counter[tuple[Any, ...]]:
    """What findings say, wherever it stands in which file."""
    return Counter(
        (
            item.rule,
            item.severity,
            item.message_type,
            item.message_name,
            item.field,
            item.versions,
            item.message,
        )
        for item in found
    )


def shuffled(draw: Any, node: Any) -> Any:
    """A document with the keys of every object in another order; the order of fields means something."""
    if isinstance(node, dict):
        keys = draw(st.permutations(sorted(node)))
        return {key: shuffled(draw, node[key]) for key in keys}
    return [shuffled(draw, item) for item in node] if isinstance(node, list) else node


@examples(0.5, suppress_health_check=list(HealthCheck))
@given(protocols(api_versions=True))
def test_a_right_protocol_has_no_error(specs: Specs) -> None:
    assert told(errors(check(None, read(specs)))) == []


@examples(0.5, suppress_health_check=list(HealthCheck))
@given(st.booleans().flatmap(protocols))
def test_nothing_changed_is_nothing_found(specs: Specs) -> None:
    protocol = read(specs)
    assert check(protocol, protocol) == []
    assert check(protocol, protocol, [Baseline("1.0.0", protocol)]) == []
    apart = Protocol.of(read_kafka(json.dumps(spec), f"other/{path}") for path, spec in specs.items())
    assert check(protocol, apart) == []


@pytest.mark.parametrize("change", dict.fromkeys(SOUND), ids=lambda change: change.__name__)
@examples(0.2, suppress_health_check=list(HealthCheck))
@given(data=DATA)
def test_a_sound_change_is_no_error(change: Evolution, data: st.DataObject) -> None:
    old = data.draw(protocols(unstable=data.draw(st.booleans())))
    new = evolve(data.draw, old, [change])
    assert told(errors(check(read(old), read(new)))) == []


@examples(1, suppress_health_check=list(HealthCheck))
@given(data=DATA, changes=st.lists(st.sampled_from(SOUND), min_size=2, max_size=6))
def test_a_sound_evolution_is_no_error(data: st.DataObject, changes: list[Evolution]) -> None:
    old = data.draw(protocols(unstable=data.draw(st.booleans())))
    new = evolve(data.draw, old, changes)
    before, after = read(old), read(new)
    assert told(errors(check(before, after))) == []
    assert told(errors(check(before, after, [Baseline("1.0.0", before)]))) == []


@pytest.mark.share(2)
@pytest.mark.parametrize("kind", BREAKS, ids=lambda kind: kind.name)
@examples(0.2, suppress_health_check=list(HealthCheck))
@given(data=DATA)
def test_a_break_is_named_once(kind: Break, data: st.DataObject) -> None:
    old = data.draw(protocols(api_versions=kind.api_versions))
    new = copy.deepcopy(old)
    count = kind.edit(data.draw, new) or 1
    before, after = read(old), read(new)
    found = errors(check(before, after))
    assert sum(item.rule in kind.rules for item in found) == count, told(found)
    assert {item.rule for item in found} <= {*kind.rules, *kind.beside}, told(found)
    assert len(found) <= count * (1 + len(kind.beside)), told(found)
    # The release that froze the versions is named, and judged the same.
    again = errors(check(before, after, [Baseline("1.0.0", before)]))
    assert [item.rule for item in again] == [item.rule for item in found]
    assert {item.released_in for item in again if item.versions} <= {"1.0.0"}


@pytest.mark.share(2)
@pytest.mark.parametrize("kind", BREAKS, ids=lambda kind: kind.name)
@examples(0.1, suppress_health_check=list(HealthCheck))
@given(data=DATA)
def test_what_no_release_had_is_at_most_a_warning(kind: Break, data: st.DataObject) -> None:
    old = data.draw(protocols(api_versions=kind.api_versions))
    new = copy.deepcopy(old)
    kind.edit(data.draw, new)
    found = check(read(old), read(new), NOTHING)
    asked = [find(name) for name in kind.rules]
    wire = all(rule is not None and rule.category is Category.WIRE for rule in asked)
    # Where no release lacks a field, nobody reads its default.
    unread = kind.rules == ("default-changed",)
    assert {item.rule for item in found} & {*kind.rules} or not wire or unread
    rules = {item.rule: find(item.rule) for item in errors(found) if item.rule != "partner-versions-differ"}
    # What files say by themselves is right or wrong whatever is released; the rest is free until then.
    assert all(rule is not None and (rule.category is Category.SPEC or rule.firm) for rule in rules.values())


@examples(0.5, suppress_health_check=list(HealthCheck))
@given(data=DATA)
def test_the_unstable_top_is_free(data: st.DataObject) -> None:
    base = data.draw(protocols())
    changes = [new_version] * data.draw(st.integers(1, 2))
    old, new = evolve(data.draw, base, changes), evolve(data.draw, base, changes)
    for side in (old, new):
        for path, spec in side.items():
            if spec["type"] == "request" and valid(spec) != valid(base[path]):
                spec["latestVersionUnstable"] = True
    # A version more than the other experiment's is no longer the top, and what is no top is not free.
    tops = [
        {path: valid(spec).highest - valid(base[path]).highest for path, spec in side.items()}
        for side in (old, new)
    ]
    marked = all(base[path]["type"] != "data" or not more for path, more in tops[0].items())
    if tops[0] == tops[1] and max(tops[0].values()) < 2 and marked:
        assert told(errors(check(read(old), read(new)))) == []
    # Before a release has any of it, it is all a warning at most, stable or not.
    released = [Baseline("1.0.0", read(base))]
    for side in (old, new):
        for spec in side.values():
            spec.pop("latestVersionUnstable", None)
    assert told(errors(check(read(old), read(new), released))) == []


@examples(0.5, suppress_health_check=list(HealthCheck))
@given(data=DATA)
def test_a_tag_stays_burnt_after_its_field(data: st.DataObject) -> None:
    base = data.draw(protocols())
    old = copy.deepcopy(base)
    site, item = one(data.draw, [(site, item) for site, item in tagged(old) if len(site.fields) > 1])
    place = site.fields.index(item)
    site.fields.remove(item)
    new = copy.deepcopy(old)
    other = {"name": fresh(base, "Other"), "type": "int8" if item["type"] != "int8" else "int64"}
    other |= {key: item[key] for key in ("versions", "taggedVersions", "tag")}
    [same] = _sites_like(new, site.message["name"], site.path, site.common)
    same.fields.insert(place, other)
    found = check(read(old), read(new), [Baseline("1.0.0", read(base))])
    assert "tag-reused" in [item.rule for item in errors(found)]


def _sites_like(specs: Specs, message: str, path: str, common: bool) -> list[Any]:
    return [s for s in walk(specs) if (s.message["name"], s.path, s.common) == (message, path, common)]


@examples(0.5, suppress_health_check=list(HealthCheck))
@given(data=DATA)
def test_the_order_of_files_and_keys_means_nothing(data: st.DataObject) -> None:
    old = data.draw(protocols())
    new = evolve(data.draw, old, data.draw(st.lists(st.sampled_from(SOUND), max_size=3)))
    data.draw(st.sampled_from(BREAKS[:-2])).edit(data.draw, new)
    found = check(read(old), read(new), [Baseline("1.0.0", read(old))])

    def mixed(specs: Specs) -> Protocol:
        files = data.draw(st.permutations(texts(shuffled(data.draw, specs))))
        return Protocol(tuple(read_kafka(text, path, strict=False) for path, text in files))

    again = check(mixed(old), mixed(new), [Baseline("1.0.0", mixed(old))])
    assert signature(again) == signature(found)


@examples(1, suppress_health_check=list(HealthCheck))
@given(data=DATA)
def test_rules_and_layouts_agree(data: st.DataObject) -> None:
    """Many edits at once: no byte of a release changes unseen, and where none does, no peer is hurt."""
    old = data.draw(protocols())
    new = evolve(data.draw, old, data.draw(st.lists(st.sampled_from(SOUND), max_size=3)))
    for kind in data.draw(st.lists(st.sampled_from(BREAKS[:-2]), max_size=3)):
        if new:
            kind.edit(data.draw, new)
    found = check(read(old), read(new))
    assert LAYOUT_CHANGED not in [item.rule for item in found]
    after = {message.identity: message for message in read(new)}
    for before in read(old):
        other = after.get(before.identity)
        if other is None or before.valid_versions != other.valid_versions:
            continue
        if _layouts(before) == _layouts(other, before):
            hurt = [
                item
                for item in errors(found)
                if item.message_name == other.name
                and item.category is Category.WIRE
                # An absent field has a default too, which no layout shows, and a tag its versions.
                and item.rule not in ("default-changed", "field-versions-changed", "tagging-changed")
            ]
            assert told(hurt) == []


def _layouts(message: Message, like: Message | None = None) -> list[Any] | None:
    """What every version has on the wire, by name, new tags aside; None where a version has no layout."""

    def plain(fields: tuple[Any, ...], known: tuple[Any, ...] | None) -> list[Any]:
        tags = None if known is None else {item.tag: item for item in known}
        made = []
        for item in fields:
            if tags is not None and item.tag is not None and item.tag not in tags:
                continue
            partner = next((other for other in known or () if other.name == item.name), None)
            inner = None
            if item.fields is not None:
                below = None if known is None else partner.fields if partner is not None else ()
                inner = plain(item.fields, below)
            made.append([item.name, item.type, item.element, item.nullable, item.tag, item.default, inner])
        return made

    try:
        found: list[Any] = []
        for version in message.valid_versions:
            made = layout(message, version)
            known = None if like is None else layout(like, version).fields
            found.append([made.flexible, made.header_version, plain(made.fields, known)])
        return found
    except InputError:
        return None


def test_every_break_and_every_change_is_tried() -> None:
    rules = {name for kind in BREAKS for name in (*kind.rules, *kind.beside)}
    assert all(find(name) is not None for name in rules)
    assert len({kind.name for kind in BREAKS}) == len(BREAKS)
    assert {add_tagged, new_version} <= {*SOUND}
    assert rng({"versions": "3+"}, "versions").lowest == 3
