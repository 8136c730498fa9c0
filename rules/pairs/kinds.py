"""What rules judge: pairs of matched items, old and new, and single items."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebook.rules.match import FieldMatch
from wirebook.rules.released import ReleasedMessage, ReleasedSpec, Reserved
from wirebook.specs.model import Field, Message, Protocol, SourceNode, are_same_but_texts, is_same_but_fields
from wirebook.specs.problems import Position
from wirebook.specs.versions import Versions, VersionSet

if TYPE_CHECKING:
    # Few protocols have a registry of levels.
    from wirebook.rules.levels import ProtocolLevels
    from wirebook.specs.levels import Registry
else:  # typing compiles an annotation that is a string
    ProtocolLevels = Registry = object

VersionNumbers = frozenset[int]
NOT_RELEASED: Mapping[int, str] = MappingProxyType({})


class PairReleases(NamedTuple):
    """What releases say of a message; `MessagePair` explains the values."""

    released: Mapping[int, str] = NOT_RELEASED
    released_messages: tuple[ReleasedMessage, ...] = ()
    unstable_top: int | None = None
    texts: Callable[[], Sequence[ReleasedSpec]] | None = None
    marks: Callable[[], Mapping[int, str]] | None = None
    known_levels: ProtocolLevels | None = None


NO_RELEASES = PairReleases()


class MessagePair:
    """A message on both sides. `released` maps each frozen version to the release that froze it.

    A version is frozen if any baseline has it stable; without baselines, if the old side does.
    `released_messages` has the forms in baselines that differ from the old side in versions or history.
    `unstable_top` is the highest old version if that is marked unstable. `texts` returns the complete specs
    of all baselines, which may require reading them, so only potential errors call it. `only` limits the
    versions to examine. `marks` returns the versions that releases deprecated; `known_levels` are the
    protocol levels of the registries, if any. `alike` are the versions in which both sides agree, once they
    have been judged.
    """

    def __init__(
        self,
        old: Message,
        new: Message,
        releases: PairReleases = NO_RELEASES,
        *,
        only: VersionNumbers | None = None,
    ) -> None:
        self.old: Final = old
        self.new: Final = new
        self.released: Final = releases.released
        self.released_messages: Final = releases.released_messages
        self.unstable_top: Final = releases.unstable_top
        self.texts: Final = releases.texts
        self.marks: Final = releases.marks
        self.known_levels: Final = releases.known_levels
        self.only: Final = only
        self._of_releases: Final = releases
        self.alike: VersionNumbers = frozenset()

    def of_old_side(self) -> "MessagePair":
        """The old side with itself, and with the same releases."""
        return MessagePair(self.old, self.old, self._of_releases, only=self.only)

    @cached_property
    def levels(self) -> "ProtocolLevels":
        """The protocol levels that its history may name; none if no registry is known."""
        from wirebook.rules.levels import ProtocolLevels

        return ProtocolLevels() if self.known_levels is None else self.known_levels

    @cached_property
    def deprecated(self) -> Mapping[int, str]:
        """The versions that were deprecated in a release, each with the first one ("" for the old side).

        For a response, the marks of its request count.
        """
        return {} if self.marks is None else self.marks()

    @cached_property
    def releases(self) -> Sequence[ReleasedSpec]:
        """The distinct released specs of the message, oldest first; without baselines, the old side."""
        if self.texts is not None:
            return self.texts()
        return (ReleasedSpec("", self.old),)

    @cached_property
    def released_specs(self) -> Sequence[Message]:
        """The distinct released specs without the names of the releases."""
        return [release.message for release in self.releases]

    @property
    def is_same(self) -> bool:
        """Whether at most the fields differ, and no release has the message in another form."""
        return not self.released_messages and is_same_but_fields(self.old, self.new)

    @cached_property
    def both(self) -> VersionNumbers:
        """The versions that are valid on both sides."""
        return self.old_versions & self.new_versions

    @cached_property
    def old_versions(self) -> VersionNumbers:
        """The versions that are valid on the old side."""
        return self._looked_at(self.old.valid_versions)

    @cached_property
    def new_versions(self) -> VersionNumbers:
        """The versions that are valid on the new side."""
        return self._looked_at(self.new.valid_versions)

    def _looked_at(self, valid: Versions) -> VersionNumbers:
        return (
            frozenset(valid)
            if self.only is None
            else frozenset(version for version in self.only if version in valid)
        )

    @property
    def where(self) -> tuple[Position | None, Position | None]:
        """The place of the pair, new and old."""
        return self.new.written.at("name"), self.old.written.at("name")


class StructPair:
    """The fields of one struct (or of the top level, path "") on both sides, matched.

    `versions` are those in which the struct exists on both sides, `old_versions` and `new_versions` those of
    each side. `pairs` has (old, new), with None for a field that only one side has. `paths` are paths that
    reach the struct. `declared` is, for each side, the order of the node that declares its fields.
    """

    def __init__(
        self,
        messages: MessagePair,
        paths: tuple[str, ...],
        versions: VersionNumbers,
        old_versions: VersionNumbers,
        new_versions: VersionNumbers,
        pairs: tuple[FieldMatch, ...],
        declared: tuple[int, int] = (0, 0),
    ) -> None:
        self.messages: Final = messages
        self.paths: Final = paths
        self.versions: Final = versions
        self.old_versions: Final = old_versions
        self.new_versions: Final = new_versions
        self.pairs: Final = pairs
        self.declared: Final = declared

    @property
    def path(self) -> str:
        """The first path that reaches the struct; "" for the top level."""
        return self.paths[0]

    def path_of(self, field: Field) -> str:
        """The path of one of its fields."""
        return f"{self.path}.{field.name}" if self.path else field.name

    @cached_property
    def sent_after(self) -> tuple[Mapping[int, str], Mapping[int, str]]:
        """For each side, the name of the last field that is sent before a field, by the order of the latter.

        It counts if there is one of `versions` in which both are sent without a tag; "" if there is none.
        Fields that are never sent without a tag are left out.
        """
        olds, news = (
            sorted(
                (field for field in (pair[side] for pair in self.pairs) if field is not None),
                key=lambda field: field.written.order,
            )
            for side in (0, 1)
        )
        common = VersionSet.of(self.versions)
        return _sent_after(olds, common), _sent_after(news, common)


def _sent_after(fields: Iterable[Field], common: VersionSet) -> dict[int, str]:
    after: dict[int, str] = {}
    # The last name for each set of versions: there are few of these, and many fields.
    last: dict[VersionSet, str] = {}
    for field in fields:
        sent = (field.present - field.tagged_versions) & common
        if not sent:
            continue
        after[field.written.order] = next(
            (name for versions, name in reversed(last.items()) if versions & sent), ""
        )
        last.pop(sent, None)
        last[sent] = field.name
    return after


class FieldPair:
    """A field on both sides; `versions` are those in which its struct exists on both."""

    def __init__(self, struct: StructPair, old: Field, new: Field) -> None:
        self.struct: Final = struct
        self.old: Final = old
        self.new: Final = new

    @property
    def is_same(self) -> bool:
        """Whether both sides declare the field in the same way, but for descriptions."""
        return are_same_but_texts([self.old], [self.new])

    @property
    def messages(self) -> MessagePair:
        """The messages that hold the field."""
        return self.struct.messages

    @property
    def path(self) -> str:
        """The path of the field on the new side."""
        return self.struct.path_of(self.new)

    @cached_property
    def before(self) -> VersionNumbers:
        """The versions in which the old side has the field."""
        return frozenset(version for version in self.struct.versions if version in self.old.present)

    @cached_property
    def after(self) -> VersionNumbers:
        """The versions in which the new side has it."""
        return frozenset(version for version in self.struct.versions if version in self.new.present)

    @property
    def both(self) -> VersionNumbers:
        """The versions in which both sides have it."""
        return self.before & self.after

    @property
    def where(self) -> tuple[Position | None, Position | None]:
        """The place of the pair, new and old."""
        return self.new.written.position, self.old.written.position


class LoneField:
    """A field that only one side has: `gone` is true if that is the old side."""

    def __init__(self, struct: StructPair, field: Field, gone: bool) -> None:
        self.struct: Final = struct
        self.field: Final = field
        self.gone: Final = gone

    @property
    def messages(self) -> MessagePair:
        """The messages that hold the field."""
        return self.struct.messages

    @property
    def path(self) -> str:
        """The path of the field."""
        return self.struct.path_of(self.field)

    @cached_property
    def versions(self) -> VersionNumbers:
        """The versions, valid on both sides, in which that side has the field."""
        return frozenset(version for version in self.struct.versions if version in self.field.present)

    @property
    def where(self) -> tuple[Position | None, Position | None]:
        """The place of the field, on its side."""
        here = self.field.written.position
        return (None, here) if self.gone else (here, None)


class LoneMessage(NamedTuple):
    """A message that only one side has: `gone` is true if that is the old side."""

    message: Message
    gone: bool
    released: Mapping[int, str] = NOT_RELEASED
    deprecated: Mapping[int, str] = NOT_RELEASED
    levels: ProtocolLevels | None = None

    @property
    def where(self) -> tuple[Position | None, Position | None]:
        """The place of the message, on its side."""
        here = self.message.written.at("name")
        return (None, here) if self.gone else (here, None)


class ApiPair(NamedTuple):
    """The request and the response of one API, on one side."""

    request: Message
    response: Message


class ProtocolPair(NamedTuple):
    """The messages of both sides, at least those that differ, and the registries, if any."""

    old: Protocol
    new: Protocol
    old_registry: Registry | None = None
    new_registry: Registry | None = None


class OneField(NamedTuple):
    """A single field of a single message; `fields` are all fields of its struct.

    `versions` are the valid ones that have the struct, `within` the names of the enclosing structs, outermost
    first.
    """

    message: Message
    path: str
    field: Field
    fields: tuple[Field, ...]
    versions: Versions
    within: tuple[str, ...]

    @property
    def is_imported(self) -> bool:
        """Whether it is in a struct that the message imports, and other messages may, too."""
        struct = self.message.struct(self.within[0]) if self.within else None
        return struct is not None and struct.path != ""


class OneStruct(NamedTuple):
    """A single struct, or the top level of a message (path ""); common structs have their name as path.

    `name` is that of the struct or message; `releases` returns the tags that releases assigned to its fields.
    """

    message: Message
    path: str
    name: str
    fields: tuple[Field, ...]
    written: SourceNode
    releases: Callable[[], Reserved] | None = None

    @property
    def reserved(self) -> Mapping[int, str]:
        """The tags that releases assigned to its fields, each with the name of the first such field."""
        return {} if self.releases is None else self.releases().get(self.written.order, {})

    @property
    def at(self) -> Position:
        """The place of the struct: that of the field or the entry that defines it."""
        return self.written.position if self.path else self.written.at("name")

    def free_tags(self) -> Iterator[int]:
        """The tags that no field has and that no release assigned, the lowest first."""
        used = {field.tag for field in self.fields} | self.reserved.keys()
        yield from (tag for tag in count() if tag not in used)


# The items of a walk over two messages, and what else a rule may judge (see rules/catalogue.py).
ItemPair = MessagePair | StructPair | FieldPair | LoneField
