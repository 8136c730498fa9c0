"""The texts whose cited code differs between two checkouts: two small trees."""

from __future__ import annotations

import json
import re
from itertools import takewhile
from pathlib import Path

import pytest

from tests.checkouts import checkout_of
from tools.changed_sources import citing, code_lines, listed
from tools.kafka_code import printed
from tools.kafka_origins import class_files
from wirebook.specs.kafka.origins import Citation, citations
from wirebook.specs.kafka.releases import known_releases
from wirebook.specs.kafka.texts import read_texts

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
    differing = {each for each in named if code_lines(before, each) != code_lines(after, each)}
    assert set(map(str, differing)) == changed


def test_a_citation_is_listed_with_its_texts_and_what_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    java = """\
class GroupCoordinatorService {
    int heartbeat() {
        // In words.
        return Errors.NOT_COORDINATOR;
    }
}
"""
    path = "a/src/main/java/GroupCoordinatorService.java"
    edited = java.replace("NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE")
    old = f"{tmp_path / 'old'}@HEAD"
    for name, text in (("old", java), ("new", edited), ("said", java.replace("words", "prose"))):
        checkout_of(tmp_path / name, {path: text})
    lines = list(listed(old, str(tmp_path / "new")))
    start = lines.index("GroupCoordinatorService.heartbeat") + 1
    texts = list(takewhile(lambda line: line.startswith("  "), lines[start:]))
    place = re.compile(r"  specs/kafka/(?:texts|flows)/[\w-]+\.json:(?!1$)\d+")
    assert texts
    assert all(map(place.fullmatch, texts))
    assert lines[start + len(texts) + 1 :][:5] == [
        " int heartbeat() {",
        "-return Errors.NOT_COORDINATOR;",
        "+return Errors.COORDINATOR_NOT_AVAILABLE;",
        " }",
        lines[-1],
    ]
    assert list(listed(old, str(tmp_path / "said"))) == ["0 texts cite code that differs"]
    assert printed(listed(old, str(tmp_path / "none"))) == 2
    assert capsys.readouterr().err == f"{tmp_path / 'none'}: no such folder\n"


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
    (of_field,) = (text for text in citing(texts) if text.words)
    assert (of_field.words, of_field.source) == (
        "The group.",
        "AbstractCoordinator.sendHeartbeatRequest; "
        "GroupMetadataManager.classicGroupHeartbeatToConsumerGroup",
    )
