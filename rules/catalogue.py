"""Every rule there is: importing this module declares them all. Kept by hand, held complete by a test."""

from rules.fields import (
    api_key_changed,
    default_changed,
    entity_type_changed,
    field_added_to_released_version,
    field_moved,
    field_removed_from_released_version,
    field_renamed,
    ignorable_changed,
    map_key_changed,
    message_renamed,
    message_type_changed,
    struct_renamed,
    type_changed,
    type_reinterpreted,
)
from rules.flexible import (
    field_flexible_versions_changed,
    flexible_versions_changed,
)
from rules.lifecycle import (
    api_versions_deprecated,
    definition_deleted,
    highest_version_lowered,
    listener_withdrawn,
    lowest_version_raised,
    message_deleted,
    version_made_unstable,
    version_without_note,
)
from rules.nullability import (
    nullability_changed,
)
from rules.tags import (
    tag_changed,
    tag_reused,
    tagged_in_inflexible_version,
    tagging_changed,
)
from rules.versions import (
    field_versions_changed,
)

MODULES = (
    api_key_changed,
    api_versions_deprecated,
    default_changed,
    definition_deleted,
    entity_type_changed,
    field_added_to_released_version,
    field_flexible_versions_changed,
    field_moved,
    field_removed_from_released_version,
    field_renamed,
    field_versions_changed,
    flexible_versions_changed,
    highest_version_lowered,
    ignorable_changed,
    listener_withdrawn,
    lowest_version_raised,
    map_key_changed,
    message_deleted,
    message_renamed,
    message_type_changed,
    nullability_changed,
    struct_renamed,
    tag_changed,
    tag_reused,
    tagged_in_inflexible_version,
    tagging_changed,
    type_changed,
    type_reinterpreted,
    version_made_unstable,
    version_without_note,
)
