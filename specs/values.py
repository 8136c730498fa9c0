"""The values and flags that specs list beside fields, in the form that pages and codecs have for
all.

Apart from the model, because few specs have them and a check of a commit reads all of its own.
"""

from wirebook.specs.model import Field
from wirebook.specs.texts.model import NO_VALUES, FieldValue, FieldValues


def listed_values(field: Field) -> FieldValues:
    """The values or flags that the spec lists for a field."""
    if not field.values:
        return NO_VALUES
    return FieldValues(
        tuple(
            FieldValue(
                each.number, each.name, each.about, each.versions, each.bit,
                each.deprecated_versions,
                each.former_names,
            )
            for each in field.values
        )
    )  # fmt: skip
