"""A waiver holds for the change that it was written for, and for no other one at the same place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, request, started
from wirebook.cli.main import main


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with one commit, on its main branch."""
    repo = started(tmp_path / "repository")
    monkeypatch.chdir(repo.folder)
    return repo


def of(number: int, **keys: Any) -> dict[str, Any]:
    """The request with some keys of a field changed; None removes a key."""
    spec = request()
    fields = list(spec["fields"])
    fields[number] = {
        key: value for key, value in {**fields[number], **keys}.items() if value is not None
    }
    return {**spec, "fields": fields}


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["check", "--against", "HEAD", *arguments])
    return code, capsys.readouterr().out


def accepted(capsys: pytest.CaptureFixture[str]) -> str:
    """The waivers that `--waive` writes for every finding."""
    blocks = check(capsys, "--waive")[1]
    return blocks.replace('reason = ""', 'reason = "so"').replace('by = ""', 'by = "ada"')


def without(names: tuple[str, ...], text: str) -> str:
    return "".join(line for line in text.splitlines(True) if not line.startswith(names))


def test_another_retyping_of_a_waived_field(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.spec(of(0, type="int64"))
    waiver = accepted(capsys)
    assert 'change = "type: int32 -> int64"\n' in waiver
    repo.write("waivers.toml", waiver)
    assert check(capsys)[0] == 0
    repo.commit("accepted")
    repo.spec(of(0, type="string"))
    code, out = check(capsys)
    assert (code, "error[type-changed]" in out) == (1, True)
    assert "is for another change than the one that is reported" in " ".join(out.split())


def test_a_waiver_without_its_change_accepts_nothing(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.spec(of(0, type="int64"))
    waiver = accepted(capsys)
    repo.write("waivers.toml", without(("change",), waiver))
    code, out = check(capsys)
    assert (code, "warning[stale-waiver]" in out, "--> waivers.toml:1:1" in out) == (1, True, True)


def test_a_waiver_of_a_message_that_does_not_exist_is_stale_in_a_check_of_all(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = '[[waiver]]\nrule = "type-changed"\nmessage = "NoneRequest"\nreason = "x"\nby = "x"\n'
    repo.write("waivers.toml", entry)
    repo.commit("a waiver")
    words = "the waiver of type-changed for NoneRequest matches no finding"
    assert words in check(capsys, "--all")[1]
    # Other checks do not read all messages.
    assert words not in check(capsys)[1]
    assert words not in check(capsys, "--all", f"{FOLDER}/FetchRequest.json")[1]


EDITS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "default": (of(2, default="x"), of(2, default="y")),
    "type": (of(0, type="int64"), of(0, type="string")),
    "array": (of(0, type="[]int32"), of(0, type="[]int64")),
    "struct": (
        of(0, type="S", fields=[{"name": "A", "type": "int8", "versions": "0+"}]),
        of(0, type="S", fields=[{"name": "A", "type": "int16", "versions": "0+"}]),
    ),
    "versions": (of(1, versions="1+"), of(1, versions="2+")),
    "nullable": (of(1, nullableVersions="0+"), of(1, nullableVersions="1+")),
    "tag": (of(2, tag=1), of(2, tag=2)),
    "tagged": (of(2, taggedVersions="2+"), of(2, taggedVersions=None, tag=None)),
    "ignorable": (of(0, ignorable=True, type="int8"), of(0, type="int8")),
    "valid": (request(validVersions="1-2"), request(validVersions="2")),
    "flexible": (request(flexibleVersions="0+"), request(flexibleVersions="2+")),
    "key": (request(apiKey=7), request(apiKey=8)),
    "removed": (
        {**request(), "fields": request()["fields"][1:]},
        {**request(), "fields": request()["fields"][:1]},
    ),
    "added": (
        {
            **request(),
            "fields": [*request()["fields"], {"name": "N", "type": "int8", "versions": "0+"}],
        },
        {
            **request(),
            "fields": [*request()["fields"], {"name": "N", "type": "int16", "versions": "0+"}],
        },
    ),
    "added at another place": (
        {
            **request(),
            "fields": [{"name": "N", "type": "int8", "versions": "0+"}, *request()["fields"]],
        },
        {
            **request(),
            "fields": [*request()["fields"], {"name": "N", "type": "int8", "versions": "0+"}],
        },
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_waiver_of_one_edit_does_not_accept_another_one(
    repo: Repo, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    first, second = EDITS[name]
    repo.spec(first)
    assert check(capsys)[0] == 1
    repo.write("waivers.toml", accepted(capsys))
    code, out = check(capsys)
    assert code == 0, out
    repo.spec(second)
    code, out = check(capsys)
    assert code == 1, out


def test_what_peers_do_not_see_does_not_end_a_waiver(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.spec(of(0, type="int64"))
    repo.write("waivers.toml", accepted(capsys))
    spec = of(0, type="int64", about="Other words.")
    repo.spec({**spec, "fields": [*spec["fields"][:1], *of(1, about="More.")["fields"][1:]]})
    assert check(capsys)[0] == 0


def test_a_moved_field_is_waived_at_its_place(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b, c = ({"name": name, "type": "int8", "versions": "0+"} for name in "ABC")
    tagged = {"name": "T", "type": "int8", "versions": "2+", "taggedVersions": "2+", "tag": 0}
    repo.spec(request(fields=[a, b, c, tagged]))
    repo.commit("three fields")
    repo.spec(request(fields=[b, a, c, tagged]))
    repo.write("waivers.toml", accepted(capsys))
    repo.spec(request(fields=[tagged, b, a, c]))  # the same bytes
    code, out = check(capsys)
    assert code == 0, out
    repo.spec(request(fields=[b, c, a, tagged]))
    assert check(capsys)[0] == 1


def test_an_added_field_is_waived_at_its_place(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    added = {"name": "N", "type": "int8", "versions": "0+"}
    wait, topic, cluster = request()["fields"]
    repo.spec(request(fields=[wait, added, topic, cluster]))
    waiver = accepted(capsys)
    assert 'change = "added: name N, type int8, versions 0+, after MaxWaitMs"\n' in waiver
    repo.write("waivers.toml", waiver)
    # Tagged fields are not among those that are sent in order.
    repo.spec(request(fields=[wait, cluster, added, topic]))
    code, out = check(capsys)
    assert code == 0, out
    repo.spec(request(fields=[wait, topic, added, cluster]))
    assert check(capsys)[0] == 1


def test_texts_of_a_spec_do_not_get_into_a_terminal(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.spec(of(2, default="\x1b[2J\u202e" + "x" * 500))
    waiver = accepted(capsys)
    assert not {"\x1b", "\u202e"} & set(waiver)
    assert max(map(len, waiver.splitlines())) < 250
    repo.write("waivers.toml", waiver)
    code, out = check(capsys)
    assert code == 0, out
    repo.write("waivers.toml", without(("change",), waiver))
    assert not {"\x1b", "\u202e"} & set(check(capsys)[1])


@pytest.mark.parametrize(
    ("rule", "first", "second"),
    [
        ("unknown-type", "varint", "decimal"),
        ("unknown-type", "[][]int32", "[][]int64"),
        ("unknown-type", "Ghost", "Spirit"),
    ],
)
def test_an_unknown_type_is_waived_by_its_name(
    repo: Repo, capsys: pytest.CaptureFixture[str], rule: str, first: str, second: str
) -> None:
    repo.spec(of(0, type=first))
    waiver = accepted(capsys)
    assert f'change = "type: {first}"\n' in waiver
    repo.write("waivers.toml", waiver)
    # The type is reported first, and that it changed once it is accepted.
    repo.write("waivers.toml", waiver + accepted(capsys))
    code, out = check(capsys)
    assert code == 0, out
    repo.commit("accepted")
    repo.spec(of(0, type=second))
    code, out = check(capsys)
    assert (code, f"error[{rule}]" in out, "struct-renamed" in out) == (1, True, False)
    repo.write("waivers.toml", accepted(capsys))
    code, out = check(capsys)
    assert (code, "error[type-changed]" in out, "struct-renamed" in out) == (1, True, False), out
