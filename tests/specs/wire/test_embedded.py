"""Messages inside fields of bytes: those of Kafka's groups, and those that a profile of one's own
names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.wire.layouts import own
from wirebook.specs.codec import encode, read
from wirebook.specs.embedded import with_embedded
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.layout import layout
from wirebook.specs.model import Message, Protocol

SUBSCRIPTION = "0001 00000001 0001 6f ffffffff 00000000".replace(" ", "")
ASSIGNMENT = "0000 00000001 0001 6f 00000001 00000002 ffffffff".replace(" ", "")


def fields_of(carrier: Message, version: int, value: Any, protocol: Protocol) -> dict[str, Any]:
    """The values in the spans of a message by path."""
    of = layout(carrier, version)
    data = encode(of, value)
    spans = list(with_embedded(carrier, protocol, read(of, data).right().spans))
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
    assert spans[-1].end == len(data)
    return {span.path: span.value for span in spans if span.kind == "value"}


@pytest.mark.parametrize(
    ("name", "version", "value", "path"),
    [
        ("JoinGroupRequest", 0, {"ProtocolType": "consumer", "Protocols": [{"Metadata": SUBSCRIPTION}]},
         "Protocols[0].Metadata"),
        ("JoinGroupResponse", 9, {"ProtocolType": "consumer", "Members": [{"Metadata": SUBSCRIPTION}]},
         "Members[0].Metadata"),
        ("SyncGroupRequest", 5, {"ProtocolType": "consumer", "Assignments": [{"Assignment": ASSIGNMENT}]},
         "Assignments[0].Assignment"),
        ("SyncGroupResponse", 5, {"ProtocolType": "consumer", "Assignment": ASSIGNMENT}, "Assignment"),
        ("DescribeGroupsResponse", 5,
         {"Groups": [{"ProtocolType": "consumer", "Members": [{"MemberMetadata": SUBSCRIPTION}]}]},
         "Groups[0].Members[0].MemberMetadata"),
        ("DescribeGroupsResponse", 0,
         {"Groups": [{"ProtocolType": "consumer", "Members": [{"MemberAssignment": ASSIGNMENT}]}]},
         "Groups[0].Members[0].MemberAssignment"),
        ("GroupMetadataValue", 3, {"protocolType": "consumer", "members": [{"subscription": SUBSCRIPTION}]},
         "members[0].subscription"),
    ],
)  # fmt: skip
def test_what_consumers_put_into_messages_of_groups(
    name: str, version: int, value: dict[str, Any], path: str
) -> None:
    carrier, protocol = own(name, version).message, embedded_protocol()
    fields = fields_of(carrier, version, value, protocol)
    topic = (
        f"{path}.Topics[0]"
        if f"{path}.Topics[0]" in fields
        else f"{path}.AssignedPartitions[0].Topic"
    )
    assert (fields[topic], fields[f"{path}.Version"]) == ("o", 0 if "Assign" in topic else 1)
    assert path not in fields
