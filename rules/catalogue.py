"""All rules, by the kind of part that they judge and by folder; each rule is in a file of its name.

Maintained by hand, and a test checks that it is complete. A check imports only the rules that it
needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

# The names of the files, by the name of the class and by folder.
RULES: Mapping[str, Mapping[str, str]] = {
    "ProtocolPair": {
        "lifecycle": "api_version_changed api_version_ids api_version_missing history_levels",
    },
    "NumbersPair": {
        "values": "value_added value_removed value_reused",
    },
    "Break": {
        "fields": """
            default_changed field_added_to_released_version field_moved
            field_removed_from_released_version type_changed
        """,
        "flexible": "field_flexible_versions_changed flexible_versions_changed "
        "header_version_changed",
        "nullability": "nullability_changed",
        "tags": "tag_changed tag_reused tagging_changed",
        "versions": "field_versions_changed",
    },
    "MessagePair": {
        "fields": "api_key_changed message_renamed message_type_changed",
        "lifecycle": """
            coordinator_value_untagged highest_version_lowered history_rewritten listener_withdrawn
            lowest_version_raised removed_without_deprecation version_made_unstable
            version_without_note
        """,
    },
    "StructPair": {
        "fields": "fields_regrouped",
    },
    "FieldPair": {
        "fields": """
            entity_type_changed field_renamed ignorable_changed map_key_changed struct_renamed
            type_reinterpreted unset_value_changed
        """,
    },
    "LoneField": {
        "lifecycle": "definition_deleted",
    },
    "LoneMessage": {
        "lifecycle": "message_deleted",
    },
    "Protocol": {
        "sets": """
            api_key_hole duplicate_api_key duplicate_message_name header_versions_missing
            missing_partner names_differ unknown_header
        """,
    },
    "ApiPair": {
        "sets": "partner_versions_differ",
    },
    "Message": {
        "lifecycle": "api_versions_deprecated",
        "validity": """
            bad_header_versions bad_name bad_version_range byte_order_mark coordinator_key_versions
            duplicate_key duplicate_struct_name empty_value field_in_no_version
            flexible_versions_closed
            misplaced_key missing_key number_out_of_range recursive_struct trailing_text unknown_key
            unknown_listener unknown_message_type unknown_struct unused_struct unwritten_text
            versions_outside wrong_type
        """,
    },
    "OneStruct": {
        "validity": "duplicate_field_name duplicate_tag empty_struct tag_gap",
    },
    "OneField": {
        "tags": "tagged_in_inflexible_version",
        "validity": "bad_default bad_tagged_field entity_type_mismatch unknown_entity_type "
        "unknown_type",
    },
}


def declare_all(kind: str | None = None) -> None:
    """Import and thereby declare the rules on one kind of part, or all of them."""
    for module, _ in _modules(kind):
        import_module(module)


def declare_one(name: str) -> None:
    """Import the rule with a name, if there is one."""
    for module, file in _modules():
        if file == name.replace("-", "_"):
            import_module(module)


def _modules(kind: str | None = None) -> Iterator[tuple[str, str]]:
    """The modules of the rules on one kind of part, or of all, each with the name of its file."""
    for each in RULES if kind is None else (kind,):
        for topic, names in RULES.get(each, {}).items():
            yield from ((f"wirebook.rules.{topic}.{name}", name) for name in names.split())
