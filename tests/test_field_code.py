"""The code of fields, out of what javap prints about made-up classes and a small tree of their code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.checkouts import checkout_of
from tools.field_code import Call, Found, calls, document_text, doubtful, field_classes, main
from wirebook.specs.kafka.citations import Citation
from wirebook.specs.kafka.registry import embedded_protocol
from wirebook.specs.model import Message
from wirebook.specs.texts.model import FieldCode

DATA = "org/apache/kafka/common/message/HeartbeatRequestData"
JAVAP = f"""\
Compiled from "Otters.java"
public class org.apache.kafka.clients.Otters {{
  public org.apache.kafka.clients.Otters();
    Code:
       4: invokevirtual #7   // Method {DATA}.setGroupId:(Ljava/lang/String;)V
  private static java.lang.Object lambda$send$0(java.util.List<java.lang.String>) throws java.io.IOException;
    Code:
       4: invokevirtual #7   // Method {DATA}.setGroupId:(Ljava/lang/String;)L{DATA};
       9: invokevirtual #9   // Method {DATA}.setMemberId:(Ljava/lang/String;)L{DATA};
      12: invokevirtual #8   // Method java/lang/String.length:()I
Compiled from "Den.scala"
public final class kafka.server.Den$Inner {{
  public java.lang.String handle();
    Code:
       4: invokevirtual #7   // Method {DATA}.groupId:()Ljava/lang/String;
  public static final void $anonfun$handle$2$adapted(kafka.server.Den);
    Code:
       4: invokevirtual #7   // Method {DATA}.memberId:()Ljava/lang/String;
  public java.lang.String toString();
    Code:
       4: invokevirtual #7   // Method {DATA}.generationId:()I
"""
OTTERS = """\
class Otters {
    Object send(List<String> names) {
        return data.setGroupId("a").setMemberId("b");
    }
}
"""
DEN = """\
class Den {
  def handle(): String = {
    data.groupId + data.memberId
  }
}
"""
FILES = {"a/src/main/java/Otters.java": OTTERS, "b/src/main/scala/Den.scala": DEN}
OTTERS_SEND, DEN_HANDLE = "Otters.send", "Den.handle"


def heartbeat() -> Message:
    return next(each for each in embedded_protocol().messages if each.name == "HeartbeatRequest")


def test_calls_belong_to_the_method_around_a_lambda() -> None:
    listed = list(calls(JAVAP.splitlines()))
    assert Call("org.apache.kafka.clients.Otters", "send", "HeartbeatRequestData", "memberId", True) in listed
    assert Call("kafka.server.Den", "handle", "HeartbeatRequestData", "memberId", False) in listed
    assert {(each.method, each.field) for each in listed} == {
        ("Otters", "groupId"), ("send", "groupId"), ("send", "memberId"), ("handle", "groupId"),
        ("handle", "memberId"),
    }  # fmt: skip


def test_a_field_has_one_method_for_each_side(tmp_path: Path) -> None:
    found = Found(calls(JAVAP.splitlines()), checkout_of(tmp_path, FILES))
    both = FieldCode(OTTERS_SEND, DEN_HANDLE)
    assert found.code_of(heartbeat()) == {"GroupId": both, "MemberId": both}
    assert both.source == "set in Otters.send; read in Den.handle"


@pytest.mark.parametrize(
    "files",
    [
        # The text of the method does not call it.
        FILES | {"b/src/main/scala/Den.scala": DEN.replace("memberId", "instance")},
        # Two files have a class of the name, and a source has no packages.
        FILES
        | {"b/src/main/scala/Den.scala": "class Nest\n", "c/src/main/java/Den.java": "class Den {\n}\n"},
    ],
)
def test_what_a_checkout_does_not_show_is_no_source(tmp_path: Path, files: dict[str, str]) -> None:
    found = Found(calls(JAVAP.splitlines()), checkout_of(tmp_path, files))
    assert found.code_of(heartbeat())["MemberId"] == FieldCode(OTTERS_SEND, "")


def test_the_classes_of_a_field_are_those_of_kafkas_generator() -> None:
    messages = {each.name: each for each in embedded_protocol().messages}
    fetch = field_classes(messages["FetchRequest"])
    assert list(fetch["Topics.Partitions.FetchOffset"]) == [
        ("FetchRequestData$FetchPartition", "fetchOffset")
    ]
    assert list(field_classes(messages["TopicRecord"])["TopicId"]) == [("TopicRecord", "topicId")]
    assert list(field_classes(messages["RequestHeader"])["ClientId"]) == [("RequestHeaderData", "clientId")]


def test_methods_that_no_longer_deal_with_their_field_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = {"HeartbeatRequest": {"MemberId": FieldCode(OTTERS_SEND, DEN_HANDLE)}}
    monkeypatch.setattr("tools.field_code.field_code", lambda: listed)
    assert list(doubtful(checkout_of(tmp_path / "same", FILES))) == []
    changed = checkout_of(
        tmp_path / "new", FILES | {"a/src/main/java/Otters.java": OTTERS.replace("MemberId", "Id")}
    )
    assert list(doubtful(changed)) == [
        f"HeartbeatRequest.MemberId: {Citation('Otters', 'send')} does not set it in {changed.name}"
    ]
    assert main(["--check", changed.name]) == 1
    assert "1 methods do not set or read their field" in capsys.readouterr().out
    assert main(["--check", str(tmp_path / "same")]) == 0


def test_the_file_has_a_line_for_each_field() -> None:
    text = document_text(
        {"HeartbeatRequest": {"GroupId": FieldCode("A.b", "C.d"), "MemberId": FieldCode("E.f")}}
    )
    assert json.loads(text)["fields"] == {
        "HeartbeatRequest": {"GroupId": ["A.b", "C.d"], "MemberId": ["E.f", ""]}
    }
    assert '\n      "GroupId": ["A.b", "C.d"],\n' in text


def test_bad_input_stops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == main(["one"]) == main(["--check"]) == 2
    assert "usage: " in capsys.readouterr().err
    checkout = checkout_of(tmp_path, FILES)
    assert main([checkout.name, str(tmp_path)]) == 2
    assert "no class of Kafka" in capsys.readouterr().err
