"""Messages inside fields of bytes: those of Kafka's groups, and those that a profile of one's own names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.wire.layouts import field, message, own
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.model import Message, Protocol
from wirebook.specs.profile import NEUTRAL, EmbeddedMessage
from wirebook.specs.wire.codec import codec
from wirebook.specs.wire.embedded import EmbeddedMessages
from wirebook.specs.wire.layout import layout

SUBSCRIPTION = "0001 00000001 0001 6f ffffffff 00000000".replace(" ", "")
ASSIGNMENT = "0000 00000001 0001 6f 00000001 00000002 ffffffff".replace(" ", "")


def fields_of(carrier: Message, version: int, value: Any, protocol: Protocol) -> dict[str, Any]:
    """The values in the spans of a message by path."""
    of = codec(layout(carrier, version))
    data = of.encode(value)
    spans = list(EmbeddedMessages(carrier, protocol).explained(of.explain(data)))
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
    topic = f"{path}.Topics[0]" if f"{path}.Topics[0]" in fields else f"{path}.AssignedPartitions[0].Topic"
    assert (fields[topic], fields[f"{path}.Version"]) == ("o", 0 if "Assign" in topic else 1)
    assert path not in fields


@pytest.mark.parametrize(
    ("version", "change"),
    [
        (9, {"ProtocolType": "connect"}),
        (9, {"ProtocolType": None}),
        (6, {"ProtocolType": None}),  # these versions lack it
        (9, {"Members": [{"Metadata": "0004" + SUBSCRIPTION[4:]}]}),
        (9, {"Members": [{"Metadata": SUBSCRIPTION + "00"}]}),
        (9, {"Members": [{"Metadata": "ffff"}]}),
        (9, {"Members": [{"Metadata": "00"}]}),
        (9, {"Members": [{"Metadata": SUBSCRIPTION[:-2]}]}),
    ],
)
def test_what_does_not_fit_stays_bytes(version: int, change: dict[str, Any]) -> None:
    carrier, protocol = own("JoinGroupResponse", version).message, embedded_protocol()
    value = {
        "ProtocolType": "consumer",
        "ProtocolName": "range",
        "Members": [{"Metadata": SUBSCRIPTION}],
        **change,
    }
    fields = fields_of(carrier, version, value, protocol)
    assert fields["Members[0].Metadata"] == value["Members"][0]["Metadata"]
    assert EmbeddedMessages(carrier, protocol).opened(value) == value


def test_a_decoded_value_has_the_message_in_place_of_hex() -> None:
    carrier = own("GroupMetadataValue", 3).message
    embedded = EmbeddedMessages(carrier, embedded_protocol())
    member = {"memberId": "m", "subscription": SUBSCRIPTION, "assignment": ""}
    opened: Any = embedded.opened({"protocolType": "consumer", "members": [member]})
    (read,) = opened["members"]
    assert (read["memberId"], read["assignment"]) == ("m", "")
    assert (read["subscription"]["Message"], read["subscription"]["Version"]) == (
        "ConsumerProtocolSubscription",
        1,
    )
    assert read["subscription"]["Value"]["Topics"] == ["o"]
    assert embedded.opened(None) is None


def test_one_field_may_hold_several_messages() -> None:
    by_kind = [
        EmbeddedMessage("FooRequest", "Items.Content", "CarData", {"Kind": 1}),
        EmbeddedMessage("FooRequest", "Items.Content", "BoatData", {"Kind": 2}),
        EmbeddedMessage("FooRequest", "Items.Content", "Missing", {"Kind": 3}),
    ]
    profile = NEUTRAL._replace(embedded=tuple(by_kind))
    items = field("Items", "[]Item", fields=[field("Kind", "int8"), field("Content", "bytes")])
    carrier = message(items)._replace(profile=profile)
    car, boat = (
        message(field(name, "int16"), name=f"{kind}Data", type="data")
        for kind, name in (("Car", "Wheels"), ("Boat", "Masts"))
    )
    kinds = [{"Kind": kind, "Content": "00000003"} for kind in (2, 1, 3, 4)]
    fields = fields_of(carrier, 0, {"Items": kinds}, Protocol.of([carrier, car, boat]))
    assert fields["Items[0].Content.Masts"] == fields["Items[1].Content.Wheels"] == 3
    assert fields["Items[2].Content"] == fields["Items[3].Content"] == "00000003"
