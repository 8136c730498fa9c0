"""What pages state of a protocol that derives from Apache Kafka's: from what, and what is its own."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.docgen.catalog.protocol import DerivationRecord, ProtocolRecord
from wirebook.docgen.catalog.records import ApiDocument, MessageRecord
from wirebook.specs.kafka.ancestry import Standing, derivation
from wirebook.specs.versions import VersionSet, counted


def derivation_words(derived: DerivationRecord) -> str:
    """From which release the protocol derives, as `wirebook init` prints it."""
    return derivation(derived.release, derived.share)


def is_own(document: ApiDocument) -> bool:
    """Whether no release of Kafka has an API or message of a derived protocol."""
    owns = [version.own for message in document.messages for version in message.versions.values()]
    return bool(owns) and all(own is not None and own.standing == Standing.OWN_MESSAGE for own in owns)


def source_note(document: ApiDocument, protocol: ProtocolRecord) -> str:
    """Whose behaviour the descriptions are, of a protocol that only extends the embedded one; "" if there are
    none.
    """
    if not protocol.extends or not document.group:
        return ""
    name = protocol.product or "this protocol"
    return (
        f"Descriptions that are not in the specs of {name} are those of Apache Kafka; {name} may behave "
        "differently."
    )


def own_sentences(document: ApiDocument, protocol: ProtocolRecord) -> list[str]:
    """What of an API or message no release of Kafka has; nothing for a protocol that derives from none."""
    if protocol.derived is None:
        return []
    releases = f"release of Apache Kafka up to {protocol.derived.newest}"
    if is_own(document):
        return [f"No {releases} has this {'API' if document.is_api else 'message'}."]
    return [sentence for message in document.messages for sentence in _of_message(message, releases)]


def _of_message(message: MessageRecord, releases: str) -> Iterator[str]:
    lacking: list[int] = []
    other: dict[str, list[int]] = {}
    fields: dict[str, list[int]] = {}
    for number, version in sorted(message.versions.items()):
        if version.own is None:
            continue
        if version.own.standing == Standing.OTHER:
            # An older release may have had the bytes that Kafka has.
            other.setdefault(version.origin.snapshot, []).append(number)
        else:
            lacking.append(number)
        for path in version.own.fields:
            fields.setdefault(path, []).append(number)
    if lacking:
        yield f"No {releases} has {counted(VersionSet.of(lacking))} of {message.name}."
    for snapshot, numbers in other.items():
        verb = "does" if len(numbers) == 1 else "do"
        subject = f"{counted(VersionSet.of(numbers))} of {message.name}"
        yield f"In {snapshot}, {subject} {verb} not have the bytes of any {releases}."
    for path, numbers in fields.items():
        yield f"No {releases} has the field {path} ({counted(VersionSet.of(numbers))} of {message.name})."
