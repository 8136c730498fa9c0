"""What a patch breaks for peers of releases, and what it restores.

With R, the newest release that serves a version of a message, a patch breaks the version if head
differs from R in a way in which base does not (see `compat`). Where peers of R already misread a
field of base, and do not understand that of head, head is compared with base instead. In versions
that no release has, base takes the place of the release, and a break is milder.

Where base already breaks a release, fields are known by their names only: if a patch also renames
fields there, or brings a version back, an error may be reported although its bytes are those of
base.

A tag that any release has given to a field belongs to its name permanently (KIP-482), in the struct
that declares it, even if no version of head has the field any more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from wirebook.rules.change import differing, field_keys, message_keys
from wirebook.rules.compat import FLEXIBLE_CHANGED, Difference, Form, Side, differences, form
from wirebook.rules.pairs import Nodes, Part, path_to
from wirebook.rules.released import ReleasedSpec
from wirebook.specs.layout import Layouts
from wirebook.specs.model import Field, Message
from wirebook.specs.problems import InputError
from wirebook.specs.versions import Versions, counted

TAG_REUSED = "tag-reused"
# A rule that says what others would say of the same field: another field under a tag has another
# type.
_COVERING = (
    (
        TAG_REUSED,
        ("type-changed", "nullability-changed", "default-changed", "field-versions-changed"),
    ),
    ("tagging-changed", ("field-versions-changed",)),
    ("type-changed", ("default-changed",)),
)


@dataclass(frozen=True)
class Break(Part):
    """A difference that a patch brings, over the versions in which it does.

    `base` and `head` are the two sides of the field. `base_message` is base, or the release if base
    does not show the difference. `is_released` is whether a release has the versions; `releases`
    names them.
    """

    difference: Difference
    base_message: Message
    head_message: Message
    versions: frozenset[int]
    is_released: bool
    releases: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """The name of the rule that explains it."""
        return self.difference.rule

    @property
    def base(self) -> Side:
        """The field in base."""
        return self.difference.one

    @property
    def head(self) -> Side:
        """The field in head."""
        return self.difference.other

    @property
    def base_field(self) -> Field:
        """The field in base, for a rule on fields that base has."""
        assert self.base.field is not None
        return self.base.field

    @property
    def head_field(self) -> Field:
        """The field in head, for a rule on fields that head has."""
        assert self.head.field is not None
        return self.head.field

    @property
    def path(self) -> str:
        """The path of the field, in head if that declares it."""
        return self.head.path if self.head.field is not None else self.base.path

    @property
    def nodes(self) -> Nodes:
        head, base = self.head.field, self.base.field
        if head is None and base is None:
            return self.head_message.written, self.base_message.written
        return None if head is None else head.written, None if base is None else base.written

    @property
    def change(self) -> str:
        one, other = self.base.field, self.head.field
        if one is None and other is None:
            return differing(message_keys(self.base_message), message_keys(self.head_message))
        placed = one is None or other is None or self.rule == "field-moved"
        return differing(
            one and field_keys(self.base_message, one, placed=placed),
            other and field_keys(self.head_message, other, placed=placed),
        )

    @property
    def counted(self) -> str:
        """The versions in words: "versions 1-3"."""
        return counted(self.versions)

    @property
    def damage(self) -> str:
        """What peers that use the other spec do with the field, for a sentence."""
        return "misread it and everything after it" if self.difference.is_misread else "misread it"


@dataclass
class Verdict:
    """What a patch does to the versions of a message.

    `restored` are the versions in which head agrees with a release again, each with its name.
    `alike` are those in which base and head agree.
    """

    breaks: list[Break] = field(default_factory=list)
    restored: dict[int, str] = field(default_factory=dict)
    alike: set[int] = field(default_factory=set)


class Forms:
    """The forms of messages by version, each computed once."""

    def __init__(self) -> None:
        self._layouts: dict[int, Layouts] = {}
        self._forms: dict[tuple[int, int], Form | None] = {}

    def at(self, message: Message | None, version: int) -> Form | None:
        """The form of a message at a version; None if it has no layout there."""
        if message is None or version not in message.valid_versions:
            return None
        key = (id(message), version)
        if key not in self._forms:
            # The layouts hold the message, so that no other object gets its id.
            layouts = self._layouts.setdefault(id(message), Layouts(message, opaque=True))
            self._forms[key] = None
            with suppress(InputError):
                layout = layouts.at(version)
                # A field without a name is not known from one spec in another.
                if all(each.name for each in layout.walk()):
                    self._forms[key] = form(layout)
        return self._forms[key]


def judge(
    base: Message | None,
    head: Message,
    releases: Sequence[ReleasedSpec],
) -> Verdict:
    """What a patch from `base` to `head` breaks and restores.

    `releases` are the released specs of the message.
    Versions without a layout are left out: rules on single files report them.
    """
    released = frozenset(version for each in releases for version in each.stable)
    releases = [_as_base(each, base) for each in releases]
    verdict, forms = Verdict(), Forms()
    for versions in _eras(
        [head, *([] if base is None else [base]), *(each.message for each in releases)]
    ):
        version = min(versions)
        was, now = forms.at(base, version), forms.at(head, version)
        own = [] if base is None else _differences(base, was, head, now, version)
        if was is not None and now is not None and not own:
            verdict.alike.update(versions)
        for each in releases:
            common = versions & each.counting
            if not common:
                continue
            then = forms.at(each.message, version)
            after = (
                own
                if each.message is base
                else _differences(each.message, then, head, now, version)
            )
            before = [] if base is None else _differences(each.message, then, base, was, version)
            if before and not after and now is not None:
                verdict.restored.update(dict.fromkeys(common, each.name))
            shown = {difference.key: difference for difference in own}
            for difference in _brought(before, after, own):
                verdict.breaks.append(_break(each, base, head, difference, shown, common))
        if versions - released and base is not None:
            verdict.breaks += [
                Break(difference, base, head, versions - released, is_released=False)
                for difference in own
            ]
    verdict.breaks += _taken_tags(base, head, releases, verdict.breaks)
    for broken in verdict.breaks:
        for version in broken.versions:
            verdict.restored.pop(version, None)
    return verdict


def _as_base(released: ReleasedSpec, base: Message | None) -> ReleasedSpec:
    """A release, with base itself in place of the same spec, so that findings show its lines."""
    if base is None or released.message != base or released.message.profile != base.profile:
        return released
    return replace(released, message=base)


def _differences(
    one: Message, one_form: Form | None, other: Message, other_form: Form | None, version: int
) -> list[Difference]:
    """How two specs differ at a version; where one has no layout, only whether it is flexible."""
    if one is other:
        return []
    if one_form is None or other_form is None:
        flexible = [version in each.flexible_versions for each in (one, other)]
        both = version in one.valid_versions and version in other.valid_versions
        return [FLEXIBLE_CHANGED] if both and flexible[0] != flexible[1] else []
    # What is another message has another header by that.
    is_same = (one.type, one.api_key) == (other.type, other.api_key)
    found = differences(one_form, other_form)
    return [each for each in found if is_same or each.rule != "header-version-changed"]


def _brought(
    before: Sequence[Difference], after: Sequence[Difference], own: Sequence[Difference]
) -> list[Difference]:
    """The differences of a patch from a release that count.

    `before` are those of base and `after` those of head from the release, `own` those of head from
    base.
    """
    if not after:
        return []
    known = {each.key for each in before}
    misread = {path for each in before if each.is_misread for path in each.paths}
    fresh = [each for each in after if each.key not in known]
    if misread:
        # Fields that are misread already may have got other names: what counts differs from base,
        # too.
        changed = {path for each in own for path in each.paths}
        fresh = [each for each in fresh if not each.is_misread or _is_at(each.paths, changed)]
    left = {path for each in after if each.is_misread for path in each.paths}
    again = [
        each
        for each in own
        if each.is_sent and _is_at(each.paths, misread) and _is_at(each.paths, left)
    ]
    shown = {each.key for each in fresh}
    return fresh + [each for each in again if each.key not in shown]


def _is_at(paths: Iterable[str], places: Container[str]) -> bool:
    """Whether a field is at one of some places, or inside it; "" is the message."""
    if "" in places:
        return True
    for path in paths:
        names = path.split(".")
        if any(".".join(names[:depth]) in places for depth in range(1, len(names) + 1)):
            return True
    return False


def _break(
    release: ReleasedSpec,
    base: Message | None,
    head: Message,
    difference: Difference,
    own: Mapping[tuple[str, bool, str], Difference],
    versions: frozenset[int],
) -> Break:
    """The break of a release; the sides are those of base if it shows the same difference."""
    shown = own.get(difference.key)
    message = release.message if base is None or shown is None else base
    return Break(
        shown or difference, message, head, versions, is_released=True, releases=(release.name,)
    )


def _eras(messages: Sequence[Message]) -> Iterator[frozenset[int]]:
    """The runs of versions of the first message in which no message changes its layout."""
    begins = sorted({begin for message in messages for begin in bounds(message)})
    runs: dict[int, list[int]] = {}
    for version in messages[0].valid_versions:
        runs.setdefault(bisect_right(begins, version), []).append(version)
    yield from map(frozenset, runs.values())


def bounds(message: Message) -> set[int]:
    """The versions at which the layout of a message may differ from that of the version before."""
    ranges: list[Versions | None] = [message.valid_versions, message.flexible_versions]
    ranges += [each.versions for each in message.header_versions or ()]
    # A profile may give some versions another header, such as that of Kafka to ControlledShutdown
    # v0.
    exceptions = message.profile.headers.exceptions_of(message.type, message.api_key)
    ranges += [each.versions for each in exceptions]
    for declared in _declared(message):
        own = declared.field
        ranges += [own.versions, own.nullable_versions, own.tagged_versions, own.flexible_versions]
    begins = {
        bound for each in ranges if each is not None for bound in (each.lowest, each.highest + 1)
    }
    return begins | ({message.valid_versions.highest} if message.latest_version_unstable else set())


@dataclass(frozen=True)
class _Declared:
    """A field, a path to it, and that of the struct around it, "" for the message."""

    struct: str
    path: str
    field: Field


def _declared(message: Message) -> Iterator[_Declared]:
    """Every field of a message as written."""

    def inside(above: str, fields: Iterable[Field], within: tuple[str, ...]) -> Iterator[_Declared]:
        for each in fields:
            path = path_to(above, each)
            yield _Declared(above, path, each)
            if each.element not in within:
                yield from inside(path, message.fields_of(each) or (), (*within, each.element))

    yield from inside("", message.fields, ())


def _taken_tags(
    base: Message | None, head: Message, releases: Sequence[ReleasedSpec], breaks: Sequence[Break]
) -> Iterator[Break]:
    """The tags that head gives to fields of another name than a release has for them.

    Those in `breaks` are known, and so are those that base has.
    """
    owners: dict[tuple[str, int], list[tuple[ReleasedSpec, _Declared]]] = {}
    for each in releases:
        for declared in _declared(each.message):
            if declared.field.tag is not None and any(
                at in declared.field.tagged_versions for at in each.stable
            ):
                owners.setdefault((declared.struct, declared.field.tag), []).append(
                    (each, declared)
                )
    known = {
        each.head.field.written.order
        for each in breaks
        if each.rule in (TAG_REUSED, "tag-changed")
        and each.is_released
        and each.head.field is not None
    }
    had = {_owner(each) for each in (() if base is None else _declared(base))}
    for declared in _declared(head):
        tag = declared.field.tag
        former = [] if tag is None else owners.get((declared.struct, tag), [])
        other = next((each for each in former if _owner(each[1]) != _owner(declared)), None)
        if (
            other is not None
            and _owner(declared) not in had
            and declared.field.written.order not in known
        ):
            release, owner = other
            versions = frozenset(declared.field.tagged_versions & head.valid_versions)
            if not versions:
                continue
            sides = Side(owner.path, owner.field), Side(declared.path, declared.field)
            yield Break(
                Difference(TAG_REUSED, *sides),
                release.message,
                head,
                versions,
                True,
                (release.name,),
            )


def _owner(declared: _Declared) -> tuple[str, int | None, str]:
    return declared.struct, declared.field.tag, declared.field.name.casefold()


def grouped(breaks: Iterable[Break]) -> list[list[Break]]:
    """The breaks by cause: one rule at one field, however many paths lead to it and releases have
    it."""
    causes: dict[tuple[object, ...], list[Break]] = {}
    for each in sorted(breaks, key=lambda broken: min(broken.versions)):
        declared = each.head.field or each.base.field
        subject = None if declared is None else (each.head.field is None, declared.written.order)
        # A range may reach into a version at one end and leave another one at the other end.
        direction = each.base.carried is None if each.rule == "field-versions-changed" else None
        causes.setdefault((each.rule, subject, direction), []).append(each)
    for cause in [each for each in causes if each[1] is not None]:
        rule, field_of, _ = cause
        covering = (name for name, covered in _COVERING if rule in covered)
        whole = next((name for name in covering if (name, field_of, None) in causes), None)
        if whole is not None:
            causes[whole, field_of, None] += causes.pop(cause)
    return list(causes.values())


def joined(alike: Sequence[Break]) -> Break:
    """The breaks of one cause as one: the released versions, or if there are none the others."""
    counting = [each for each in alike if each.is_released] or alike
    versions = frozenset(version for each in counting for version in each.versions)
    names = dict.fromkeys(name for each in counting for name in each.releases)
    return replace(counting[0], versions=versions, releases=tuple(names))
