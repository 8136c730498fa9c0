"""The rules that need the registry, on the specs that come with wirebook."""

from __future__ import annotations

from dataclasses import replace

from tests.specs.wire.agreement import own_messages
from wirebook.rules.engine import check
from wirebook.specs.kafka.registry import FOLDER
from wirebook.specs.levels import Registry, read_registry
from wirebook.specs.model import Message, Protocol

RULES = {
    "api-version-changed",
    "api-version-ids",
    "api-version-missing",
    "api-version-removed",
    "api-version-unknown",
    "history-order",
    "removed-without-deprecation",
    "partner-versions-differ",
}
NOTHING = Registry(())


def own() -> tuple[Protocol, Registry]:
    text = (FOLDER / "api_versions.json").read_bytes()
    return Protocol.of(own_messages().values()), read_registry(text, "api_versions.json")


def test_the_own_specs_and_their_registry_keep_the_rules() -> None:
    protocol, registry = own()
    assert any(message.history for message in protocol)
    found = check(Protocol(()), protocol, old_registry=NOTHING, new_registry=registry)
    assert [item for item in found if item.rule in RULES] == []
    assert check(protocol, protocol, old_registry=registry, new_registry=registry) == []


def test_entries_that_are_gone_are_one_finding() -> None:
    protocol, registry = own()
    cut = replace(registry, api_versions=registry.api_versions[:60])
    found = check(protocol, protocol, old_registry=registry, new_registry=cut)
    (removed,) = found
    assert removed.rule == "api-version-removed"
    assert removed.previous is not None
    assert removed.previous.line > 60
    gone = len(registry.api_versions) - 61
    assert f"and {gone} more" in removed.message


def test_an_entry_in_the_middle_is_one_finding() -> None:
    protocol, registry = own()
    levels = registry.api_versions
    fresh = replace(levels[10], version="9.9-IV9")
    shifted = (*levels[:10], fresh, *(replace(level, id=level.id + 1) for level in levels[10:]))
    found = check(protocol, protocol, old_registry=registry, new_registry=Registry(shifted, "r.json"))
    assert [item.rule for item in found] == ["api-version-changed"]
    assert f"the same holds for {len(levels) - 11} more" in found[0].message


def test_a_level_that_appears_twice_keeps_its_id() -> None:
    """Neither while nobody touches it, nor when its second entry is deleted."""
    protocol, registry = own()
    levels = registry.api_versions[:3]
    twice = Registry((*levels, replace(levels[0], id=3)), "r.json")
    assert check(protocol, protocol, old_registry=twice, new_registry=twice) == []
    assert check(protocol, protocol, old_registry=twice, new_registry=Registry(levels, "r.json")) == []


def test_a_new_api_with_a_history_is_to_name_the_new_level_in_it() -> None:
    protocol, registry = own()
    pair = [message for message in protocol if message.name in ("FetchRequest", "FetchResponse")]

    def fix(*kept: Message) -> str:
        new = Protocol.of([message for message in protocol if message.api_key != 1] + list(kept))
        old = Protocol.of(message for message in protocol if message.api_key != 1)
        found = check(old, new, old_registry=registry, new_registry=registry)
        return next(item.fix for item in found if item.rule == "api-version-missing")

    level = f"add a protocol level with id {len(registry.api_versions)} at the end of api_versions.json"
    assert fix(*pair) == f"{level}, and name it in history"
    assert fix(*(message._replace(history=()) for message in pair)) == level
