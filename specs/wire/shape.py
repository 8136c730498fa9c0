"""What the codec uses of a field, and errors for a name that a struct lacks ("did you mean")."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from wirebook.specs.model import Field, Json, Message
from wirebook.specs.wire.defaults import default_value
from wirebook.specs.wire.scalars import WireError

if TYPE_CHECKING:
    from wirebook.specs.wire.layout import Layout

UNKNOWN = "@unknownTaggedFields"


class Shape(Protocol):
    """The part of a field that the codec uses; both LayoutField and ExportedField have it."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def element(self) -> str | None: ...
    @property
    def nullable(self) -> bool: ...
    @property
    def tag(self) -> int | None: ...
    @property
    def default(self) -> Json: ...
    @property
    def fields(self) -> "Sequence[Shape] | None": ...


def has_records(fields: Sequence[Shape]) -> bool:
    """Whether a field at any depth is of type records."""
    return any(
        field.type.endswith("RECORDS") or (field.fields is not None and has_records(field.fields))
        for field in fields
    )


class Others(NamedTuple):
    """The fields that a struct has only in other versions than `version`, by name and by tag.

    `fields` are those of all versions: of several with one name, that of this version.
    """

    names: Mapping[str, Field] | None = None
    tags: Mapping[int, str] | None = None
    message: Message | None = None
    fields: Mapping[str, Field] | None = None
    version: int = 0

    @classmethod
    def of(cls, layout: "Layout") -> Self:
        """The fields of the top level of a message."""
        return cls.among(layout.message.fields, layout.fields, layout.message, layout.version)

    @classmethod
    def among(cls, fields: Sequence[Field], present: Sequence[Shape], message: Message, version: int) -> Self:
        """The fields of a struct: `fields` are its fields in all versions, `present` those of this one."""
        here = {field.name for field in present}
        tags = {field.tag for field in present}
        return cls(
            {field.name: field for field in fields if field.name not in here},
            {item.tag: item.name for item in fields if item.tag is not None and item.tag not in tags},
            message,
            _by_name(fields, version),
            version,
        )

    def below(self, name: str, present: Sequence[Shape]) -> Self:
        """The fields of the struct in the field with this name."""
        if self.message is None or self.fields is None:
            return self
        declared = self.message.fields_of(self.fields[name]) or ()
        return self.among(declared, present, self.message, self.version)


def no_such_field(name: object, names: Sequence[str]) -> WireError:
    """The error for a name that is not that of a field, with at most two that are like it."""
    from difflib import get_close_matches

    near = get_close_matches(str(name), names, n=2)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return WireError(f"there is no such field{hint}", path=str(name)[:80])


def refuse_foreign(value: Mapping[str, Any], names: frozenset[str], others: Others) -> None:
    """Raise WireError for a name that this version lacks, unless it may be dropped.

    A field of another version may be dropped if it is ignorable or its value is the default, as in Kafka's
    generated classes.
    """
    for name in value:
        if name in names:
            continue
        other = (others.names or {}).get(name)
        if other is None:
            if name == UNKNOWN:
                if value[name] == []:
                    continue
                raise WireError("this version is not flexible: it has no tagged section", path=UNKNOWN)
            raise no_such_field(name, [*names, *(others.names or ())])
        if not other.ignorable and not is_default(other, value[name], others.message, others.version):
            raise WireError(
                f"this version does not have it (versions {other.versions}), and it is not ignorable",
                path=str(name),
            )


def is_default(field: Field, value: Any, message: Message | None, version: int) -> bool:
    """Whether Kafka takes a value for the default: structs by their fields in all versions, -0 as 0.

    Of several fields with one name, that of `version` counts.
    """
    default = default_value(field)
    if isinstance(default, dict) and isinstance(value, Mapping):
        fields = field.fields if message is None else message.fields_of(field)
        inner = _by_name(fields or (), version)
        return not value.get(UNKNOWN) and all(
            name in inner and is_default(inner[name], item, message, version)
            for name, item in value.items()
            if name != UNKNOWN
        )
    same = type(value) is type(default) or (type(default), type(value)) == (float, int)
    return bool(same and value == default)


def _by_name(fields: Sequence[Field], version: int) -> dict[str, Field]:
    """The fields by name; of several with one name, that of a version."""
    return {field.name: field for field in sorted(fields, key=lambda field: version in field.present)}
