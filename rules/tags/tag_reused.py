"""tag-reused: the tag of one field is given to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wirebook.rules.pairs.kinds import StructPair, VersionNumbers
from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category, Severity
from wirebook.specs.model import Field
from wirebook.specs.versions import Versions

if TYPE_CHECKING:
    from wirebook.rules.released import TagHolder


@rule(on=StructPair, category=Category.WIRE, source="KIP-482")
def tag_reused(struct: StructPair) -> Iterator[Hit]:
    """A tag belongs to one field permanently.

    ## What it does
    Reports a field that gets a tag which another field of the same struct has on the old side, or had in a
    released version (in any baseline), even if the struct or the fields around it were renamed since.

    ## Why it breaks
    Only the tag identifies a tagged field. A peer of an older release mistakes the new field for the old one
    and reads its bytes as the old type: it fails, or continues with a wrong value. It rejects the tag in
    versions in which its own field is not tagged.

    ## When it is fine
    The same number in two different structs never collides. A field that keeps its tag and type and only
    gets a new name is a rename, which `field-renamed` reports. If only releases still have the old name, this
    rule reports it as a warning, provided that both are tagged in the same released versions.

    ## Do instead
    Use the lowest tag that the struct has never used. The old tag stays reserved.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
        "flexibleVersions": "1+", "fields": [
    -   { "name": "Region", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
    +   { "name": "Weight", "type": "int64", "versions": "1+", "taggedVersions": "1+", "tag": 0 }
      ] }
    ```
    """
    held: dict[int, tuple[Field, Field | None]] = {}
    for old, kept in struct.pairs:
        if old is not None and old.tag is not None and (old.tag not in held or kept is None):
            held[old.tag] = old, kept
    for partner, item in struct.pairs:
        if item is None or item.tag is None or (partner is not None and partner.tag == item.tag):
            continue
        path = struct.path_of(item)
        old, kept = held.get(item.tag, (None, None)) if partner is None else (None, None)
        # Without a common version, a renamed field cannot be distinguished from a new one of the same type.
        unseen = old is not None and kept is None and old.type == item.type and not struct.versions
        if old is None or unseen or (kept is not None and kept.tag == item.tag):
            yield from _taken_before(struct, item, partner)
            continue
        # In a version without the struct, no reader can mistake one field for the other.
        versions = _concerned(old, item, struct.messages.old.valid_versions) & struct.old_versions
        if kept is not None:
            # Versions in which the old field is tagged are left to tag-changed and tagging-changed, unless
            # all of them are withdrawn.
            tagged = frozenset(old.tagged_versions & struct.messages.old.valid_versions)
            if not tagged.isdisjoint(struct.messages.new_versions):
                versions = (versions - tagged) & struct.versions
        if struct.messages.may_have_had(item.tag) and old.type != item.type:
            # An unreleased old side may share no version with the releases.
            for was in _holders(struct, item):
                if was.type != item.type:
                    versions |= _concerned_beside(struct, was, item)
        if struct.messages.only is not None:
            # A reintroduced field is judged only in its own versions.
            versions &= struct.messages.only
        # If all released versions are withdrawn, no bytes show that no release has the old field.
        frozen = versions & struct.messages.released.keys()
        unreleased = frozen and frozen.isdisjoint(struct.messages.new_versions) and not _holders(struct, item)
        yield Hit(
            f"{path} takes tag {item.tag}, which belongs to {old.name} ({old.type}): a reader that "
            f"knows tag {item.tag} as {old.name} misreads {item.name} ({item.type})",
            f"give {item.name} the next free tag, and keep {old.name} unchanged",
            versions,
            item.written.at("tag"),
            old.written.at("tag"),
            path=path,
            was=old,
            severity=Severity.WARNING if unreleased else None,
        )


def _taken_before(struct: StructPair, item: Field, partner: Field | None) -> Iterator[Hit]:
    """The finding on a field with a new tag that a release assigned to another field of the struct.

    A field that is reintroduced under its old name is compared with the one in the release.
    """
    if not struct.messages.may_have_had(item.tag):
        return
    frozen = _holders(struct, item)
    other = [holder for holder in frozen if not _may_be_same(struct, holder, item)]
    back = any(holder.name == item.name and _may_be_same(struct, holder, item) for holder in frozen)
    renamed = [] if back and partner is None else frozen
    if not (other or renamed):
        return
    taken = other or renamed
    versions = struct.messages.released.keys() & frozenset().union(
        *(_concerned(holder, item, holder.valid) for holder in taken)
    )
    # In a version without the struct, nobody sends the tag.
    versions -= struct.messages.new_versions - struct.new_versions
    # Even under a new name, a field must not be added to versions that lacked it, nor removed from those that
    # had it.
    refused = versions & struct.versions - frozenset().union(*(_shared(holder, item) for holder in taken))
    names = {new.name for _, new in struct.pairs if new is not None}
    # What now has another place cannot be renamed, nor can what the old side has for a field of other bytes.
    elsewhere = [holder for holder in taken if partner is not None or holder.name in names]
    if not all(_has_default_of(holder, item) for holder in elsewhere):
        refused = versions
    if back and not other and not refused:
        return
    holder = taken[0]
    alike = _may_be_same(struct, holder, item)
    yield Hit(
        f"{struct.path_of(item)} takes tag {item.tag}, which a release has for {holder.name} "
        f"({holder.type}): a reader of that release "
        + (f"mistakes it for {holder.name}" if alike else f"misreads {item.name} ({item.type})"),
        f"give {item.name} a tag that no release has used"
        + (f", unless it is {holder.name} under a new name" if alike and not refused else ""),
        refused if alike and refused else versions,
        item.written.at("tag"),
        path=struct.path_of(item),
        severity=Severity.WARNING if alike and not refused else None,
        released_in=holder.release or None,
    )


def _holders(struct: StructPair, item: Field) -> list[TagHolder]:
    """The fields that had the tag of a field in a release."""
    from wirebook.rules.pairs.lineage import reserved_tags

    holders = reserved_tags(struct.messages).get(struct.declared[1], {}).get(item.tag or 0, ())
    # A tag that a release has only in an unstable version is not reserved.
    return [was for was in holders if struct.messages.released.keys() & frozenset(was.tagged_versions)]


def _concerned_beside(struct: StructPair, holder: TagHolder, item: Field) -> VersionNumbers:
    """The released versions in which a tag matters if another field of the old side has it too.
    Versions shared with the new side count only if the new field is tagged in them.
    """
    sent = frozenset(holder.tagged_versions & holder.valid)
    shared = frozenset(item.tagged_versions & holder.valid)
    found = shared | sent if sent.isdisjoint(struct.new_versions) else shared
    # Without the struct, nobody sends the tag.
    return found - (struct.messages.new_versions - struct.new_versions)


def _may_be_same(struct: StructPair, holder: TagHolder, item: Field) -> bool:
    """Whether a field may be the one that had its tag: with its type or, in a version of both, its bytes."""
    from wirebook.rules.fields.type_changed import types_alike

    shared = _shared(holder, item)
    if holder.declared is not None and item.is_struct and shared:
        # The name of a struct is not on the wire, and says nothing about the fields inside.
        from wirebook.rules.pairs.equality import same_bytes

        old = replace(holder.declared.message, fields=(holder.declared.field,))
        new = replace(struct.messages.new, fields=(item,))
        return all(same_bytes(old, new, version) is not False for version in shared)
    return holder.type == item.type or (types_alike(holder.type, item.type) and bool(shared))


def _has_default_of(holder: TagHolder, item: Field) -> bool:
    """Whether the field that had the tag was read as the same value where it is absent."""
    from wirebook.rules.fields.default_changed import same_default

    default = None if holder.default == str(None) else holder.default
    return same_default(replace(item, type=holder.type, default=default), item)


def _shared(holder: TagHolder, item: Field) -> VersionNumbers:
    """The versions of the release in which both fields are tagged."""
    return frozenset(holder.tagged_versions & item.tagged_versions & holder.valid)


def _concerned(holder: Field | TagHolder, item: Field, valid: Versions) -> VersionNumbers:
    """The versions of the field that had the tag in which at least one of the two is tagged.

    Readers that know a tag reject it in versions in which their field is not tagged.
    """
    return frozenset(holder.tagged_versions & valid) | frozenset(item.tagged_versions & valid)
