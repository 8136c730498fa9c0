"""The texts whose cited code differs between two checkouts: two small trees, as folders and revisions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkouts import checkout_of
from tests.repositories import Repo
from tools.changed_sources import (
    Checkout,
    changes,
    cited_rows,
    main,
    unresolved,
)
from wirebook.specs.kafka.citations import Citation, citations
from wirebook.specs.kafka.texts import texts_of
from wirebook.specs.problems import InputError

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
TEST_ONLY = {"den/src/test/java/den/OtterTest.java": "class OtterTest {}\n"}


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
    "source", ["Otter (3.9)", "Otter of 3.4", "Otter (before 4.0)", "Otter of Kafka 3.x"]
)
def test_code_of_another_release_need_not_be_there(source: str) -> None:
    assert [citation.is_current for citation in citations(source)] == [False]


@pytest.mark.parametrize(
    ("named", "begin", "end"),
    [
        (Citation("Otter", "dive"), "public static Map<String, Integer> dive( int depth,", "reason); }"),
        (Citation("Otter", "collect"), "collect(int number) {", "den.stones(number); }"),
        (Citation("Otter", "Bubbles"), "class Bubbles extends Air {", 'log.info("up"); } }'),
        (Citation("Bubbles", "rise"), "void rise(int depth) {", 'log.info("up"); }'),
        (Citation("River", "flow"), "def flow(speed: Int): Unit = {", "otter.dive(speed) } }"),
        (Citation("River", "depth"), "def depth(at: Int): Int = inLock(lock) {", "at + 1 }"),
        (Citation("River", "ends"), "private def ends = true", "private def ends = true"),
    ],
)
def test_a_method_is_found_with_its_block(tmp_path: Path, named: Citation, begin: str, end: str) -> None:
    code = checkout_of(tmp_path, FILES).code(named)
    assert code is not None
    assert (code[: len(begin)], code[-len(end) :]) == (begin, end)


@pytest.mark.parametrize(
    "named",
    [Citation("Heron"), Citation("Otter", "limit"), Citation("Otter", "stones"), Citation("OtterTest")],
)
def test_what_is_only_called_or_tested_is_no_source(tmp_path: Path, named: Citation) -> None:
    assert checkout_of(tmp_path, FILES | TEST_ONLY).code(named) is None


def test_of_several_files_with_a_class_that_of_its_name_is_first(tmp_path: Path) -> None:
    den, own = "a/src/main/java/Den.java", "b/src/main/java/Otter.java"
    checkout = checkout_of(tmp_path, {den: "class Otter {\n}\n", own: "\nclass Otter {\n}\n"})
    assert checkout.places(Citation("Otter")) == [(own, 2), (den, 1)]
    assert checkout.place(Citation("Otter")) == (own, 2)
    assert checkout.places(Citation("Otter", "dive")) == []


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
    before, after = checkout_of(tmp_path / "old", FILES), checkout_of(tmp_path / "new", edited(old, new))
    named = [Citation("Otter"), Citation("Otter", "dive"), Citation("River"), Citation("River", "depth")]
    assert {str(each) for each in named if before.code(each) != after.code(each)} == changed


def test_our_texts_are_listed_with_their_place(tmp_path: Path) -> None:
    heartbeat = texts_of("Heartbeat")
    assert heartbeat is not None
    rows = list(cited_rows({"Heartbeat": heartbeat}))
    names = {str(each): each for row in rows for each in row.citations if each.member}
    some = names["GroupCoordinatorService.heartbeat"]
    java = "class GroupCoordinatorService {\n    int heartbeat() {\n        return 1;\n    }\n}\n"
    files = {"a/src/main/java/GroupCoordinatorService.java": java}
    before = checkout_of(tmp_path / "old", files)
    after = checkout_of(tmp_path / "new", {name: text.replace("1", "2") for name, text in files.items()})
    without = checkout_of(tmp_path / "none", FILES)
    found = [(row.place, citation, how) for row, citation, how in changes(rows, before, after)]
    assert {(citation, how) for _, citation, how in found} == {(some, "changed")}
    assert {place for place, *_ in found} == {"specs/kafka/texts/Heartbeat.json"}
    assert {how for _, citation, how in changes(rows, before, without) if citation == some} == {"removed"}
    assert {how for _, citation, how in changes(rows, without, before) if citation == some} == {"added"}
    assert some not in [citation for _, citation in unresolved(rows, before)]
    assert some in [citation for _, citation in unresolved(rows, without)]


def test_revisions_are_read_like_folders(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit("one")
    folder = checkout_of(tmp_path / "tree", FILES)
    assert Checkout(f"{repo.folder}@HEAD").files == folder.files


def test_bad_input_stops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["one"]) == main(["--check"]) == main(["--chek", "a"]) == 2
    assert "usage: " in capsys.readouterr().err
    assert main([str(tmp_path / "none"), str(tmp_path)]) == 2
    assert "no such folder" in capsys.readouterr().err
    with pytest.raises(InputError, match="no Java or Scala code"):
        _ = checkout_of(tmp_path / "empty", TEST_ONLY).files
