"""Every rule there is: importing this module declares them all. Kept by hand, held complete by a test."""

from rules.fields import (
    default_changed,
    field_added_to_released_version,
    field_moved,
    field_removed_from_released_version,
    type_changed,
)
from rules.flexible import field_flexible_versions_changed, flexible_versions_changed
from rules.lifecycle import api_versions_deprecated
from rules.nullability import nullability_changed
from rules.tags import tag_changed, tag_reused, tagged_in_inflexible_version, tagging_changed
from rules.versions import field_versions_changed

MODULES = (
    api_versions_deprecated,
    default_changed,
    field_added_to_released_version,
    field_flexible_versions_changed,
    field_moved,
    field_removed_from_released_version,
    field_versions_changed,
    flexible_versions_changed,
    nullability_changed,
    tag_changed,
    tag_reused,
    tagged_in_inflexible_version,
    tagging_changed,
    type_changed,
)
