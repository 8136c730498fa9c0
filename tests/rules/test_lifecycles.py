"""Versions, messages and protocol levels that come and go: what is found, how bad it is, and the words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kafka import read_kafka
from wirebook.rules.engine import check
from wirebook.rules.finding import Severity
from wirebook.rules.released import Baseline
from wirebook.specs.levels import ApiVersion, Registry
from wirebook.specs.model import Message, Protocol

Level = tuple[int, str, str]  # the id, the version, and what it is about
ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


def spec(kind: str = "request", key: int | None = 900, name: str = "Foo", **keys: Any) -> Message:
    top = {"apiKey": key, "type": kind, "name": f"{name}{kind.title()}", "validVersions": "0-2"}
    text = {**top, "flexibleVersions": "0+", "fields": [], **keys}
    given = {item: value for item, value in text.items() if value is not None}
    return read_kafka(json.dumps(given), f"{name}{kind.title()}.json")


def levels(*items: Level) -> Registry:
    return Registry(
        tuple(ApiVersion(number, version, version[:3], about=about) for number, version, about in items),
        "specs/api_versions.json",
    )


def named(*names: str, first: int = 0, about: str = "") -> Registry:
    return levels(*((number, name, about) for number, name in enumerate(names, first)))


def of_registries(old: Registry | None, new: Registry | None) -> list[tuple[str, Severity, str]]:
    whole = Protocol((spec(),))
    found = check(whole, whole, old_registry=old, new_registry=new, together=False)
    return [(item.rule, item.severity, item.message) for item in found]


THREE = ("1.0-L0", "1.1-L0", "2.0-L0")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            named(*THREE),
            None,
            "the specs no longer have the registry of protocol levels, which has 3 entries",
        ),
        (
            named(*THREE[:1]),
            None,
            "the specs no longer have the registry of protocol levels, which has 1 entries",
        ),
        (named(*THREE), named(*THREE[:2]), "the protocol level 2.0-L0 (id 2) is removed from the registry"),
        (
            named(*THREE),
            named(*THREE[:1]),
            "the protocol level 1.1-L0 (id 1) and 1 more is removed from the registry",
        ),
        (named(*THREE), named(), "the protocol level 1.0-L0 (id 0) and 2 more is removed from the registry"),
        # Those after it move up.
        (named(*THREE), named(*THREE[1:]), "the protocol level 1.0-L0 (id 0) is removed from the registry"),
        (
            named(*THREE),
            named("1.0-L0", "2.0-L0"),
            "the protocol level 1.1-L0 (id 1) is removed from the registry",
        ),
        (named(), None, None),
        (None, named(*THREE), None),
        (named(*THREE), named(*THREE, "2.1-L0"), None),
    ],
)
def test_levels_are_kept(old: Registry | None, new: Registry | None, message: str | None) -> None:
    expected = [] if message is None else [("api-version-removed", ERROR, message)]
    assert of_registries(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "messages"),
    [
        (
            named(*THREE),
            named("1.0-L0", "1.0-L1", "1.1-L0", "2.0-L0"),
            ["the protocol level 1.1-L0 had id 1 and now has id 2; the same holds for 1 more"],
        ),
        (
            named(*THREE),
            named("1.0-L0", "2.0-L0", "1.1-L0"),
            ["the protocol level 2.0-L0 had id 2 and now has id 1; the same holds for 1 more"],
        ),
        (
            named(*THREE),
            named("1.0-L0", "1.1-L0", "2.0-L9"),
            ["the id 2 was that of 2.0-L0 and is now that of 2.0-L9"],
        ),
        (
            named(*THREE),
            named("1.0-L0", "1.2-L0", "2.0-L9"),
            [
                "the id 1 was that of 1.1-L0 and is now that of 1.2-L0",
                "the id 2 was that of 2.0-L0 and is now that of 2.0-L9",
            ],
        ),
    ],
)
@pytest.mark.parametrize(("described", "severity"), [(True, ERROR), (False, WARNING)])
def test_ids_are_kept(
    old: Registry, new: Registry, messages: list[str], described: bool, severity: Severity
) -> None:
    """It is an error for levels that are released: up to the last one that is described."""
    known = [
        (level.id, level.version, "It is." if described and level.id == len(old.api_versions) - 1 else "")
        for level in old.api_versions
    ]
    if not described:
        known[0] = (*known[0][:2], "It is.")
    assert of_registries(levels(*known), new) == [
        ("api-version-changed", severity, message) for message in messages
    ]


@pytest.mark.parametrize(
    ("new", "messages"),
    [
        (named(*THREE), []),
        (named(*THREE, first=1), ["the protocol level 1.0-L0 has id 1, but the first is 0"]),
        (
            levels((0, "1.0-L0", ""), (2, "1.1-L0", ""), (3, "2.0-L0", "")),
            ["the protocol level 1.1-L0 has id 2, but 1 follows 1.0-L0"],
        ),
        (
            levels((0, "1.0-L0", ""), (0, "1.1-L0", ""), (3, "2.0-L0", "")),
            [
                "the protocol level 1.1-L0 has id 0, but 1 follows 1.0-L0",
                "the protocol level 2.0-L0 has id 3, but 1 follows 1.1-L0",
            ],
        ),
        (named("1.0-L0", "1.0-L0"), ["the protocol level 1.0-L0 appears twice in the registry"]),
        (named("1.0-L0", "1.1-L0", "1.0-L0"), ["the protocol level 1.0-L0 appears twice in the registry"]),
    ],
)
def test_ids_follow_each_other(new: Registry, messages: list[str]) -> None:
    assert of_registries(None, new) == [("api-version-ids", ERROR, message) for message in messages]
    assert of_registries(new, new) == []


def versions(*sides: str | None, key: int = 900, name: str = "Foo", **keys: Any) -> tuple[Protocol, Protocol]:
    """Both sides of an API that has some versions on each, None for no API."""
    made = [
        ()
        if side is None
        else (
            spec("request", key, name, validVersions=side, **keys),
            spec("response", key, name, validVersions=side),
        )
        for side in sides
    ]
    return Protocol(made[0]), Protocol(made[1])


def missing(old: Protocol, new: Protocol, known: Registry, now: Registry) -> list[tuple[str, str, str]]:
    found = check(old, new, old_registry=known, new_registry=now, together=False)
    return [
        (item.message, item.fix, item.discriminator) for item in found if item.rule == "api-version-missing"
    ]


@pytest.mark.parametrize(
    ("before", "after", "gets"),
    [
        ("0-2", "0-3", "3"),
        ("0-2", "0-4", "3-4"),
        ("0-2", "2-3", "3"),
        (None, "0-1", "0-1"),
        (None, "0", "0"),
        ("0-2", "0-2", None),
        ("0-2", "0-1", None),
        ("none", "0", "0"),
        (None, "none", None),
    ],
)
def test_a_new_version_needs_a_new_level(before: str | None, after: str, gets: str | None) -> None:
    known = named(*THREE)
    expected = (
        f"Foo gets version {gets}, but the registry still ends with 2.0-L0 (id 2)",
        "add a protocol level with id 3 at the end of api_versions.json",
        f"Foo {gets}",
    )
    sides = versions(before, after)
    assert missing(*sides, known, known) == ([] if gets is None else [expected])
    assert missing(*sides, known, named(*THREE, "2.1-L0")) == []
    assert missing(*sides, named(), named()) == []
    assert missing(*sides, known, named()) == []


def test_several_apis_that_get_versions_are_one_finding() -> None:
    known = named(*THREE)

    def told(*names: str) -> str:
        pairs = [versions("0-2", "0-3", key=900 + number, name=name) for number, name in enumerate(names)]
        sides = [Protocol(tuple(item for pair in pairs for item in pair[side])) for side in (0, 1)]
        ((message, _, _),) = missing(sides[0], sides[1], known, known)
        return message.partition(", but ")[0]

    assert told("Foo") == "Foo gets version 3"
    assert told("Foo", "Bar") == "Foo gets version 3, and Bar version 3"
    assert told("Foo", "Bar", "Baz") == "Foo gets version 3, and 2 more APIs get versions"


def test_an_unstable_version_needs_no_level_yet() -> None:
    known = named(*THREE)
    old, _ = versions("0-2", "0-2")
    fresh = versions("0-2", "0-3", latestVersionUnstable=True)[1]
    stable = versions("0-2", "0-3")[1]
    assert missing(old, fresh, known, known) == []
    ((message, *_),) = missing(fresh, stable, known, known)
    assert message.startswith("Foo gets version 3, but")
    assert missing(fresh, fresh, known, known) == []
    ((message, *_),) = missing(fresh, versions("0-2", "0-4", latestVersionUnstable=True)[1], known, known)
    assert message.startswith("Foo gets version 3, but")


def test_records_need_no_level() -> None:
    old, new = (Protocol((spec("data", None, validVersions=valid),)) for valid in ("0", "0-1"))
    assert missing(old, new, named(*THREE), named(*THREE)) == []


# --- versions that end ------------------------------------------------------------------------------------


def told(old: Message, new: Message | None, *released: Message) -> list[tuple[str, Severity, str, str]]:
    baselines = [Baseline(f"{number}.0", Protocol((item,))) for number, item in enumerate(released, 1)]
    sides = Protocol((old,)), Protocol(() if new is None else (new,))
    found = check(*sides, baselines, together=False)
    return [(item.rule, item.severity, item.message, item.versions.text) for item in found]


NEWER = "peers that support no newer version are cut off"


@pytest.mark.parametrize(
    ("before", "after", "released", "severity", "message", "lost"),
    [
        ({}, "1-2", (), ERROR, f"version 0: {NEWER}, and no release marked version 0 as deprecated", "0"),
        (
            {},
            "2",
            (),
            ERROR,
            f"versions 0-1: {NEWER}, and no release marked versions 0-1 as deprecated",
            "0-1",
        ),
        (
            {},
            "none",
            (),
            ERROR,
            "versions 0-2: peers that use it are cut off, and no release marked versions 0-2 as deprecated",
            "0-2",
        ),
        (
            {"deprecatedVersions": "0"},
            "1-2",
            ({},),
            WARNING,
            f"version 0: {NEWER}, and no release has marked version 0 as deprecated yet",
            "0",
        ),
        (
            {"deprecatedVersions": "0"},
            "2",
            ({"deprecatedVersions": "0"},),
            ERROR,
            f"versions 0-1: {NEWER}, and no release marked version 1 as deprecated",
            "0-1",
        ),
        (
            {"deprecatedVersions": "0"},
            "1-2",
            ({"deprecatedVersions": "0"},),
            INFO,
            f"version 0: {NEWER}; deprecated since 1.0",
            "0",
        ),
        (
            {"deprecatedVersions": "0-1"},
            "2",
            ({"deprecatedVersions": "0"}, {"deprecatedVersions": "0-1"}),
            INFO,
            f"versions 0-1: {NEWER}; deprecated since 1.0, 2.0",
            "0-1",
        ),
        (
            {},
            "1-2",
            ({"validVersions": "0"}, {}),
            ERROR,
            "version 0: peers older than 2.0, which support no newer version, are cut off, and no release "
            "marked version 0 as deprecated",
            "0",
        ),
    ],
)
def test_the_lowest_version_ends_after_its_deprecation(
    before: Any, after: str, released: tuple[Any, ...], severity: Severity, message: str, lost: str
) -> None:
    old, new = spec(**before), spec(validVersions=after, **{} if after == "none" else before)
    new = spec(validVersions=after)
    expected = [("lowest-version-raised", severity, f"FooRequest no longer has {message}", lost)]
    assert told(old, new, *(spec(**each) for each in released)) == expected


def test_a_version_that_no_release_has_ends_without_a_word() -> None:
    released = spec(validVersions="1-2")
    assert told(spec(), spec(validVersions="1-2"), released) == []
    assert told(spec("response"), spec("response", validVersions="1-2"))[0][1] is WARNING


@pytest.mark.parametrize(
    ("after", "lost"), [("0-1", "version 2"), ("0", "versions 1-2"), ("0-2", ""), ("0-3", "")]
)
def test_the_highest_version_stays(after: str, lost: str) -> None:
    expected = f"FooRequest no longer has {lost}: peers choose the highest version that they share"
    found = [item[:3] for item in told(spec(), spec(validVersions=after))]
    assert found == ([("highest-version-lowered", ERROR, expected)] if lost else [])


@pytest.mark.parametrize(
    ("old", "released", "severity", "key"),
    [
        (spec(), (), ERROR, " (API key 900)"),
        (spec(deprecatedVersions="0-2"), (), INFO, " (API key 900)"),
        (spec(deprecatedVersions="0-2"), (spec(),), ERROR, " (API key 900)"),
        (spec(deprecatedVersions="0-2"), (spec(deprecatedVersions="0-2"),), INFO, " (API key 900)"),
        (spec(deprecatedVersions="0-1"), (spec(deprecatedVersions="0-1"),), ERROR, " (API key 900)"),
        (spec(), (spec(name="Bar", key=901),), WARNING, " (API key 900)"),
        (spec("data", None), (), ERROR, ""),
    ],
)
def test_a_message_stays_without_versions(
    old: Message, released: tuple[Message, ...], severity: Severity, key: str
) -> None:
    looks = ", and its key appears to be free" if key else ""
    senders = "no release has it" if severity is WARNING else "older peers still send it"
    expected = f"{old.name}{key} is deleted: {senders}{looks}"
    assert [item[:3] for item in told(old, None, *released)] == [("message-deleted", severity, expected)]


@pytest.mark.parametrize(
    ("before", "after", "made"),
    [
        ({}, {}, 2),
        ({"validVersions": "0-1"}, {}, None),
        ({"latestVersionUnstable": True}, {}, None),
        ({"latestVersionUnstable": True}, {"validVersions": "0-1"}, 1),
        ({"latestVersionUnstable": True, "validVersions": "0-3"}, {}, 2),
        ({}, {"validVersions": "none"}, None),
    ],
)
def test_a_version_that_is_stable_stays_stable(before: Any, after: Any, made: int | None) -> None:
    old, new = spec(**before), spec(**{**after, "latestVersionUnstable": True})
    message = (
        f"version {made} of FooRequest is marked as unstable after it was stable: brokers stop advertising it"
    )
    found = [item for item in told(old, new) if item[0] == "version-made-unstable"]
    assert found == ([] if made is None else [("version-made-unstable", ERROR, message, str(made))])


@pytest.mark.parametrize("deprecated", ["0", "none", None])
@pytest.mark.parametrize("valid", ["0-2", "1-2", "none"])
def test_versions_of_the_negotiation_stay(deprecated: str | None, valid: str) -> None:
    message = spec(key=18, name="ApiVersions", deprecatedVersions=deprecated, validVersions=valid)
    found = [(rule, severity) for rule, severity, *_ in told(message, message)]
    assert found == []
    fresh = check(None, Protocol((message,)), together=False)
    said = [item.discriminator for item in fresh if item.rule == "api-versions-deprecated"]
    expected = (["deprecatedVersions"] if deprecated == "0" else []) + (
        ["validVersions"] if valid != "0-2" else []
    )
    assert sorted(said) == expected
