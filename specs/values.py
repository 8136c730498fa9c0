"""The values and flags that specs list beside fields.

Apart from the model, because few specs have them and a check of a commit reads all of its own.
"""

import dataclasses
from dataclasses import dataclass

from wirebook.specs.model import Field, SourceNode
from wirebook.specs.texts.model import NO_VALUES, FieldValue, FieldValues
from wirebook.specs.versions import Versions


@dataclass(frozen=True, slots=True, repr=False)
class Value:
    """A value that a field may have, or a bit of it, as written; `number` is that of the value, or of the bit
    by itself.

    `bit` counts from the lowest, which is 0; None for a value.
    """

    number: int
    name: str
    written: SourceNode = dataclasses.field(compare=False)
    bit: int | None = None
    versions: Versions = Versions.ALL
    deprecated_versions: Versions = Versions.NONE
    former_names: tuple[str, ...] = ()
    about: str = dataclasses.field(default="", compare=False)


def listed_values(field: Field) -> FieldValues:
    """The values or flags that the spec lists for a field."""
    if not field.values:
        return NO_VALUES
    return FieldValues(
        tuple(
            FieldValue(
                each.number, each.name, each.about, each.versions, each.bit, each.deprecated_versions,
                each.former_names,
            )
            for each in field.values
        )
    )  # fmt: skip
