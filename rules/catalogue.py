"""All rules, by the kind of part that they judge, and what reads the files of a project.

Each rule is in a file of its name. Maintained by hand, and a test checks that it is complete. A
check imports only what it needs.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any

from wirebook.rules.rule import Rule

# The folders and files, by the name of the class that they judge, in the order of their findings;
# "" has those whose findings the check makes itself.
RULES: Mapping[str, str] = {
    "": "lifecycle/layout_restored validity/expired_waiver validity/stale_waiver",
    "ProtocolPair": """
        lifecycle/api_version_ids lifecycle/api_version_missing lifecycle/history_levels
    """,
    "NumbersPair": "values/value_added values/value_removed values/value_reused",
    "Break": """
        fields/default_changed fields/field_added_to_released_version fields/field_moved
        fields/field_removed_from_released_version fields/field_versions_changed
        fields/type_changed flexible/field_flexible_versions_changed
        flexible/flexible_versions_changed flexible/header_version_changed
        nullability/nullability_changed tags/tag_changed tags/tag_reused
        tags/tagging_changed
    """,
    "MessagePair": """
        fields/api_key_changed fields/message_renamed fields/message_type_changed
        lifecycle/coordinator_value_untagged lifecycle/highest_version_lowered
        lifecycle/history_rewritten lifecycle/listener_withdrawn
        lifecycle/lowest_version_raised lifecycle/removed_without_deprecation
        lifecycle/version_made_unstable lifecycle/version_without_note
    """,
    "StructPair": "fields/fields_regrouped",
    "FieldPair": """
        fields/field_renamed fields/generated_code_changed fields/ignorable_changed
        fields/struct_renamed fields/unset_value_changed
    """,
    "DeletedField": "lifecycle/definition_deleted",
    "DeletedMessage": "lifecycle/message_deleted",
    "Protocol": """
        sets/api_key_hole sets/duplicate_api_key sets/duplicate_message_name
        sets/header_versions_missing sets/missing_partner sets/names_differ
        sets/unknown_header
    """,
    "ApiPair": "sets/partner_versions_differ",
    "Message": """
        lifecycle/api_versions_deprecated validity/bad_header_versions validity/bad_json
        validity/bad_name validity/bad_value validity/coordinator_key_versions
        validity/duplicate_name validity/misplaced_key
        validity/missing_key validity/recursive_struct validity/unknown_key
        validity/unknown_listener validity/unknown_type
        validity/unused_struct validity/unwritten_text validity/versions_outside
    """,
    "OneStruct": "validity/duplicate_tag validity/empty_struct validity/tag_gap",
    "OneField": """
        tags/tagged_in_non_flexible_version validity/bad_default validity/bad_entity_type
        validity/bad_tagged_field
    """,
}
# The functions that read the files which a project may have beside its specs, by kind.
READERS = {
    "settings": "rules.settings_file.read_settings",
    "waivers": "rules.waivers.read_waivers",
    "levels": "specs.levels.read_registry",
    "errors": "specs.numbers.read_errors",
    "values": "specs.numbers.read_values",
}
_FILES = {file.partition("/")[2]: file for file in " ".join(RULES.values()).split()}


def find(name: str) -> Rule | None:
    """The rule with this name, or None."""
    return named(name) if name.replace("-", "_") in _FILES else None


@cache
def named(name: str) -> Rule:
    """The rule of a finding, or of a file, by its name."""
    topic, _, name = _FILES[name.replace("-", "_")].partition("/")
    rule: Rule = getattr(import_module(f"wirebook.rules.{topic}.{name}"), name)
    return rule


@cache
def rules_on(kind: str) -> tuple[Rule, ...]:
    """The rules that judge this kind of part, by the name of its class."""
    return tuple(named(file.partition("/")[2]) for file in RULES.get(kind, "").split())


def all_rules(of_family: bool = True) -> list[Rule]:
    """All rules, ordered by topic and name; those about what one family of protocols has only for
    one `of_family`."""
    rules = map(named, sorted(_FILES, key=_FILES.__getitem__))
    return [rule for rule in rules if of_family or not rule.family]


def nearest(name: str, beside: Iterable[str] = ()) -> list[str]:
    """Up to three names of rules, or of `beside`, that `name` may be a misspelling of, the nearest
    first."""
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    choices = [*(file.replace("_", "-") for file in _FILES), *beside]
    near = get_close_matches(plain, choices, n=3, cutoff=0.6)
    return near or [choice for choice in choices if plain and plain in choice][:3]


def read(kind: str, text: bytes | None, path: str) -> Any:
    """What the file at a path says; None if there is none. Raises InputError."""
    if text is None:
        return None
    module, _, name = READERS[kind].rpartition(".")
    return getattr(import_module(f"wirebook.{module}"), name)(text, path)
