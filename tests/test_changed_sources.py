"""The texts whose cited code differs between two checkouts: two small trees."""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path

import pytest

from tests.checkouts import checkout_of
from tools.changed_sources import CitedRow, changes, cited_rows, places
from tools.kafka_origins import class_files
from wirebook.specs.kafka.origins import Citation, citations
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import read_texts, texts_of

JAVA = """\
package den;

/** The class Otter in a comment. */
public class Otter {
    private final Den den = new Den(1); // a den

    /* How it dives. */
    public static Map<String, Integer> dive(
        int depth,
        String reason
    ) throws WetException {
        if (depth > limit(depth)) {
            return new Bubbles("// no comment").rise(depth);
        }
        return dive(depth - 1, reason);
    }

    protected List<Stone>
    collect(int number) {
        return den.stones(number);
    }

    class Bubbles extends Air {
        void rise(int depth) {
            log.info("up");
        }
    }
}
"""
SCALA = """\
object River {
  def flow(speed: Int): Unit = {
    otters.foreach { otter =>
      otter.dive(speed)
    }
  }

  def depth(at: Int): Int = inLock(lock) {
    at + 1
  }

  private def ends = true
}
"""
FILES = {"den/src/main/java/den/Otter.java": JAVA, "den/src/main/scala/den/River.scala": SCALA}


def edited(old: str, new: str) -> dict[str, str]:
    assert sum(text.count(old) for text in FILES.values()) == 1
    return {name: text.replace(old, new) for name, text in FILES.items()}


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("Otter.dive, River", ["Otter.dive", "River"]),
        ("River.flow, depth", ["River.flow", "River.depth"]),
        ("Otter through River.flow; Bubbles", ["Otter", "River.flow", "Bubbles"]),
        ("Specification of the message", []),
        ("KIP-890, Otter.Bubbles", ["Otter.Bubbles"]),
        ("comment in OtterResponse.json", []),
    ],
)
def test_a_source_names_code(source: str, named: list[str]) -> None:
    assert [str(citation) for citation in citations(source)] == named


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("depth - 1", "depth - 2", {"Otter", "Otter.dive"}),
        ("/* How it dives. */", "/* How it dives and\n   swims. */", set()),
        (" // a den", "", set()),
        ("    at + 1\n", "      at  +  1\n\n", set()),
        ("at + 1", "at + 2", {"River", "River.depth"}),
        ("protected List<Stone>\n    collect", "protected List<Stone> gather", {"Otter"}),
    ],
)
def test_the_texts_are_those_whose_code_differs(
    tmp_path: Path, old: str, new: str, changed: set[str]
) -> None:
    before, after = (
        checkout_of(tmp_path / "old", FILES),
        checkout_of(tmp_path / "new", edited(old, new)),
    )
    named = [
        Citation("Otter"),
        Citation("Otter", "dive"),
        Citation("River"),
        Citation("River", "depth"),
    ]
    assert {str(each) for each in named if before.code(each) != after.code(each)} == changed


def test_our_texts_are_listed_with_their_place(tmp_path: Path) -> None:
    heartbeat = texts_of("Heartbeat")
    assert heartbeat is not None
    rows = list(cited_rows({"Heartbeat": heartbeat}))
    some = Citation("GroupCoordinatorService", "heartbeat")
    java = """\
class GroupCoordinatorService {
    int heartbeat() {
        log.info("one");
        return Errors.NOT_COORDINATOR;
    }
}
"""
    path = "a/src/main/java/GroupCoordinatorService.java"
    before = checkout_of(tmp_path / "old", {path: java})
    quiet = checkout_of(tmp_path / "log", {path: java.replace("one", "two").replace("int", "long")})
    edited = java.replace("NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE")
    after = checkout_of(tmp_path / "new", {path: edited})
    without = checkout_of(tmp_path / "none", FILES)
    found = [(row, citation, how) for row, citation, how in changes(rows, before, after)]
    assert {(citation, how) for _, citation, how in found} == {(some, "changed")}
    assert {row.place for row, *_ in found} == {"specs/kafka/texts/Heartbeat.json"}
    assert all(row.text and some in row.citations for row, *_ in found)
    for place in chain.from_iterable(places(row) for row, *_ in found):
        assert re.match(
            r"specs/kafka/texts/Heartbeat\.json:(?!1:)\d+: (?:errors|messages\.\w+\.fields\.\w+|\w+)",
            place,
        )
    assert list(changes(rows, before, quiet)) == []
    for one, other, how in ((before, without, "removed"), (without, before, "added")):
        assert {how for _, citation, how in changes(rows, one, other) if citation == some} == {how}


@pytest.mark.parametrize(
    ("old", "new", "texts"),
    [
        ("Map<String, Integer> dive", "SortedMap<String, Long> dive", set()),
        ("dive(depth - 1, reason)", "dive(\n            depth - 1, reason)", set()),
        ("if (depth > limit(depth))", "if (reason != null)", {"short", "limit", "depth"}),
        ('log.info("up")', "log.info(depth)", set()),
        ("return den.stones(number)", "return den.stones(number).toList()", set()),
        ("return den.stones(number)", "throw new Wet(Errors.DEN_IS_WET)", {"short", "error"}),
    ],
)
def test_a_text_counts_if_it_is_about_what_differs(
    tmp_path: Path, old: str, new: str, texts: set[str]
) -> None:
    files = {"a/src/main/java/Otter.java": JAVA}
    after = {name: text.replace(old, new) for name, text in files.items()}
    assert after != files
    rows = [
        CitedRow("", "short", "Otter.dive, collect", "Age."),
        CitedRow("", "limit", "Otter", "The limits of an otter."),
        CitedRow("", "depth", "Otter", "The depth is limited by a limit."),
        CitedRow("", "error", "Otter", "DEN_IS_WET means rain."),
        CitedRow("", "other", "Otter", "The age of an otter."),
    ]
    found = changes(
        rows, checkout_of(tmp_path / "old", files), checkout_of(tmp_path / "new", after)
    )
    assert {row.subject for row, *_ in found} == texts


def test_members_of_two_classes_of_one_name_have_their_own_files(tmp_path: Path) -> None:
    paths = [f"{name}/src/main/java/Otter.java" for name in ("a", "b")]
    texts = ("dive", "climb"), ("rest", "climb")
    files = {
        path: "class Otter {\n"
        + "".join(f"    int {name}() {{\n    }}\n" for name in names)
        + "}\n"
        for path, names in zip(paths, texts, strict=True)
    }
    members = {"", "dive", "rest", "climb"}
    found = class_files(checkout_of(tmp_path, files), "Otter", members)
    assert {path: lines.keys() for path, lines in found.items()} in (
        {paths[0]: {"", "climb", "dive"}, paths[1]: {"rest"}},
        {paths[1]: {"", "climb", "rest"}, paths[0]: {"dive"}},
    )
    assert class_files(checkout_of(tmp_path / "none", FILES), "Beaver", {""}) == {}


def test_the_code_of_a_field_is_the_source_of_its_text() -> None:
    fields = {"HeartbeatRequest": {"fields": {"GroupId": "The group.", "Other": "Something."}}}
    written = json.dumps({"name": "Heartbeat", "purpose": "", "messages": fields})
    texts = read_texts(written, "Heartbeat.json", known_releases())
    of_field = [row for row in cited_rows({"Heartbeat": texts}) if row.text]
    assert [(row.text, row.source) for row in of_field] == [
        (
            "The group.",
            "AbstractCoordinator.sendHeartbeatRequest; "
            "GroupMetadataManager.classicGroupHeartbeatToConsumerGroup",
        )
    ]
