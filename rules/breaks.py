"""What a patch breaks for peers of releases, and what it restores.

With R, the newest release that serves a version of a message, a patch breaks the version if head
differs from R in a way in which base does not (see `compat`): at another field, or at the same one
with another effect, as where a reader of base fails and one of head loses the value. Where peers of
R already misread a field of base, and do not understand that of head, head is compared with base
instead. In versions that no release has, base takes the place of the release, and a break is
milder.

Where base already breaks a release, fields are known by their names only. There, an error may be
reported although no peer sees it: if the patch also renames fields, brings a version back, or
changes a default behind what is misread. So may a tag that only moves with its struct.

A tag that any release has given to a field belongs to its name permanently (KIP-482), in the struct
that declares it, even if no version of head has the field any more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

from wirebook.rules.change import differing, field_keys, message_keys
from wirebook.rules.compat import FLEXIBLE_CHANGED, Body, Difference, Side, differences, form
from wirebook.rules.parts import MessagePair, Nodes, Part, structs, walk_fields
from wirebook.rules.released import ReleasedSpec
from wirebook.specs.layout import Layout, layout
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


@dataclass(frozen=True, kw_only=True)
class Break(Difference, Part):
    """A difference that a patch brings, over the versions in which it does.

    `base_message` is base, or the release if base does not show the difference. `releases` are the
    names of those that have the versions, none if no release has: "" is base. `layouts` are those
    of a version, or of a low and a high one, unless a side has none. `also` are further paths to
    the field. `lacking` are the versions that do not carry it: only its default differs there.
    """

    base_message: Message
    head_message: Message
    versions: frozenset[int]
    releases: tuple[str, ...]
    layouts: tuple[tuple[Layout, Layout], ...]
    also: tuple[str, ...] = ()
    lacking: frozenset[int] = frozenset()

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
        head = self.head.field
        base = self.base.field
        if head is None and base is None:
            return self.head_message.written, self.base_message.written
        return head and head.written, base and base.written

    @property
    def change(self) -> str:
        one = self.base.field
        other = self.head.field
        if one is None and other is None:
            return differing(message_keys(self.base_message), message_keys(self.head_message))
        placed = one is None or other is None or self.rule == "field-moved"
        return differing(
            one and field_keys(self.base_message, one, placed=placed),
            other and field_keys(self.head_message, other, placed=placed),
        )

    @property
    def further(self) -> str:
        """What a sentence about it says of further paths and of versions without the field."""
        words = f" (also {', '.join(self.also)})" if self.also else ""
        if self.lacking and self.rule != "default-changed":
            words += f"; in {counted(self.lacking)} only its default differs"
        return words

    @property
    def counted(self) -> str:
        """The versions in words: "versions 1-3"."""
        return counted(self.versions)

    @property
    def damage(self) -> str:
        """What peers that use the other spec do with the field, for a sentence."""
        return "misread it and everything after it" if self.is_misread else "misread it"


@dataclass
class Verdict:
    """What a patch does to the versions of a message.

    `restored` are the versions in which head agrees with a release again, each with its name.
    `alike` are those in which base and head agree.
    """

    breaks: list[Break] = field(default_factory=list)
    restored: dict[int, str] = field(default_factory=dict)
    alike: set[int] = field(default_factory=set)


@dataclass
class Forms:
    """The forms of messages, which outlive it, by version; each is computed once."""

    _forms: dict[tuple[int, int], Body | None] = field(default_factory=dict)

    def at(self, message: Message, version: int) -> Body | None:
        """The form of a message at a version; None if it has no layout there."""
        key = (id(message), version)
        if key not in self._forms:
            self._forms[key] = None
            with suppress(InputError):
                self._forms[key] = form(layout(message, version, opaque=True))
        return self._forms[key]

    def differences(self, one: Message, other: Message, version: int) -> list[Difference]:
        """How two specs differ at a version; where one has no layout, only whether it is
        flexible."""
        was = self.at(one, version)
        now = self.at(other, version)
        if was is not None and now is not None:
            return [] if one is other else list(differences(was, now))
        both = version in one.valid_versions and version in other.valid_versions
        flexible = [version in each.flexible_versions for each in (one, other)]
        return [FLEXIBLE_CHANGED] if both and flexible[0] != flexible[1] else []

    def broken(
        self,
        difference: Difference,
        base: Message,
        head: Message,
        versions: frozenset[int],
        spec: ReleasedSpec,
    ) -> Break:
        """The break that a difference is in versions of a release."""
        was = self.at(base, min(versions))
        now = self.at(head, min(versions))
        return Break(
            **vars(difference),
            base_message=base,
            head_message=head,
            versions=versions,
            releases=spec.releases[:1],
            layouts=() if was is None or now is None else ((was.layout, now.layout),),
        )


def verdict_of(base: Message | None, head: Message, releases: Sequence[ReleasedSpec]) -> Verdict:
    """What a patch from `base` to `head` breaks and restores.

    `releases` are the released specs of the message.
    Versions without a layout are left out: rules on single files report them.
    """
    verdict = Verdict()
    forms = Forms()
    specs = [*releases]
    if base is not None:
        served = {version for each in releases for version in each.stable}
        specs.append(ReleasedSpec((), base, frozenset(), frozenset(base.valid_versions) - served))
    for versions in _eras(head, [each.message for each in specs]):
        version = min(versions)
        of_patch = [] if base is None else forms.differences(base, head, version)
        by_key = {each.key: each for each in of_patch}
        has_layout = forms.at(head, version) is not None
        if base is not None and has_layout and not of_patch and forms.at(base, version) is not None:
            verdict.alike.update(versions)
        for spec in specs:
            common = versions & spec.counting
            if not common:
                continue
            after = of_patch
            before = []
            if spec.message is not base:
                after = forms.differences(spec.message, head, version)
                before = [] if base is None else forms.differences(spec.message, base, version)
            if before and not after and has_layout:
                verdict.restored.update(dict.fromkeys(common, spec.name))
            for each in _brought(before, after, of_patch):
                message = base if base is not None and each.key in by_key else spec.message
                difference = by_key.get(each.key, each)
                verdict.breaks.append(forms.broken(difference, message, head, common, spec))
    verdict.breaks += _taken_tags(base, head, releases, verdict.breaks, forms)
    for broken in verdict.breaks:
        for version in broken.versions:
            verdict.restored.pop(version, None)
    return verdict


def _brought(
    before: Sequence[Difference], after: Sequence[Difference], own: Sequence[Difference]
) -> list[Difference]:
    """The differences of a patch from a release that count.

    `before` are those of base and `after` those of head from the release, `own` those of head from
    base.
    """
    of_base = {each.key for each in before}
    fresh = {each.key: each for each in after if each.key not in of_base}
    misread = {path for each in before if each.is_misread for path in each.paths}
    if not misread:
        return list(fresh.values())
    # The bytes that base has, too, are misread as before, whatever the fields are called.
    changed = {path for each in own for path in each.paths}
    still_misread = {path for each in after if each.is_misread for path in each.paths}
    repeated = [
        each
        for each in own
        if each.is_sent and _is_at(each.paths, misread) and _is_at(each.paths, still_misread)
    ]
    counting = [
        each for each in fresh.values() if not each.is_of_bytes or _is_at(each.paths, changed)
    ]
    return counting + [each for each in repeated if each.key not in fresh]


def _is_at(paths: Iterable[str], places: Iterable[str]) -> bool:
    """Whether a field is at one of some places, or inside it; "" is the message."""
    return any(
        place in ("", path) or path.startswith(f"{place}.") for place in places for path in paths
    )


def _eras(head: Message, others: Sequence[Message]) -> Iterator[frozenset[int]]:
    """The runs of versions of head in which no message changes its layout."""
    begins = sorted({begin for message in (head, *others) for begin in bounds(message)})
    for _, versions in groupby(head.valid_versions, partial(bisect_right, begins)):
        yield frozenset(versions)


def bounds(message: Message) -> set[int]:
    """The versions at which the layout of a message may differ from that of the version before."""
    ranges: list[Versions | None] = [message.valid_versions, message.flexible_versions]
    ranges += [each.versions for each in message.header_versions or ()]
    # A profile may give some versions another header, such as that of Kafka to ControlledShutdown
    # v0.
    exceptions = message.profile.headers.exceptions_of(message.type, message.api_key)
    ranges += [each.versions for each in exceptions]
    for member in walk_fields(message, everything=True):
        own = member.field
        ranges += [own.versions, own.nullable_versions, own.tagged_versions, own.flexible_versions]
    begins = {
        bound for each in ranges if each is not None for bound in (each.lowest, each.highest + 1)
    }
    return begins | ({message.valid_versions.highest} if message.latest_version_unstable else set())


def no_layout(message: Message) -> InputError | None:
    """Why a message has no layout at one of its versions, None if it has all of them."""
    try:
        for version in sorted(bounds(message).intersection(message.valid_versions)):
            layout(message, version, opaque=True)
    except InputError as error:
        return error
    return None


def _taken_tags(
    base: Message | None,
    head: Message,
    releases: Sequence[ReleasedSpec],
    breaks: Sequence[Break],
    forms: Forms,
) -> Iterator[Break]:
    """The tags that head gives to fields of another name than a release has for them.

    Those in `breaks` are known, and so are those that base has.
    """
    reported = {
        each.head.field.written.order
        for each in breaks
        if each.rule in (TAG_REUSED, "tag-changed") and each.releases and each.head.field
    }
    for spec in releases:
        conflicts = _conflicts(spec, head)
        conflicts_of_base = _conflicts(spec, base) if conflicts and base is not None else {}
        for key, (owner, taker) in conflicts.items():
            declared = taker.field
            assert declared is not None
            versions = frozenset(declared.tagged_versions & head.valid_versions)
            if versions and key not in conflicts_of_base and declared.written.order not in reported:
                reported.add(declared.written.order)
                yield forms.broken(
                    Difference(TAG_REUSED, owner, taker), spec.message, head, versions, spec
                )


def _conflicts(spec: ReleasedSpec, message: Message) -> dict[tuple[int, str], tuple[Side, Side]]:
    """The fields that have the tag of another field of a release, by that field and their name."""
    conflicts: dict[tuple[int, str], tuple[Side, Side]] = {}
    for struct in structs(MessagePair(spec.message, message)):
        owners = {
            each.tag: each
            for each, _ in struct.pairs
            if each is not None and any(at in each.tagged_versions for at in spec.stable)
        }
        for _, taker in struct.pairs:
            owner = None if taker is None or taker.tag is None else owners.get(taker.tag)
            if taker and owner and owner.name.casefold() != taker.name.casefold():
                conflicts[owner.written.order, taker.name.casefold()] = (
                    Side(struct.path_of(owner), owner),
                    Side(struct.path_of(taker), taker),
                )
    return conflicts


def grouped(breaks: Iterable[Break]) -> list[Break]:
    """The breaks by cause: one rule at one field, however many paths lead to it and releases have
    it.

    The versions are the released ones, or if there are none the others.
    """
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
    return list(map(_joined, causes.values()))


def _joined(breaks: Sequence[Break]) -> Break:
    """The breaks of one cause as one, with the first and the last of their layouts."""
    counting = [each for each in breaks if each.releases] or breaks
    first = counting[0]
    last = counting[-1]
    layouts = first.layouts if first is last else first.layouts + last.layouts
    versions = frozenset(version for each in counting for version in each.versions)
    sent = {version for each in counting if each.is_sent for version in each.versions}
    names = dict.fromkeys(name for each in counting for name in each.releases)
    also = dict.fromkeys(each.path for each in breaks if each.path != first.path)
    return replace(
        first,
        versions=versions,
        lacking=versions - sent,
        releases=tuple(names),
        layouts=layouts,
        also=tuple(also),
    )
