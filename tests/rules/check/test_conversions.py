"""A spec that git checks out or exports as another text is not judged by its blob.

Each attack commits a blob whose checkout or archive has another type; real git confirms that it does.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.repositories import Repo, started
from tests.shared_structs import structs
from wirebook.cli.main import main

SPEC = "proto/message/AValue.json"
JAPANESE = '"about":"a\u00a5" /* " , "type":"int64" // */ , "type":"int32"\n'
IDENT = '"about":"$Id:","type":"int32"//$","type":"int64"\n'
FORMAT = '"about":"$Format:%x22,%x22type%x22:%x22int64%x22//$","type":"int32"\n'
RANGE = ("--against", "refs/remotes/origin/main...")


def spec(keys: str = '"about":"a","type":"int32"') -> str:
    """A spec with a field X; `keys` are those of the field, the rest of their last line included."""
    head = '{"type":"data","name":"AValue","validVersions":"0","flexibleVersions":"none","fields":[\n'
    return head + '{"name":"X","versions":"0",' + keys + "}]}"


class Attacked(Repo):
    """A repository whose branch may commit a blob that no checkout has as it is."""

    def blob(self, text: str, path: str = SPEC) -> None:
        """Commit a text as it is, whatever the attributes make of it, and check it out anew."""
        raw = self.folder / "raw"
        raw.write_bytes(text.encode())
        name = self.git("hash-object", "-w", "--no-filters", "raw").strip()
        raw.unlink()
        self.git("add", "-A")
        self.git("update-index", "--add", "--cacheinfo", f"100644,{name},{path}")
        self.git("commit", "-qm", "attack")
        (self.folder / path).unlink(missing_ok=True)
        self.git("--literal-pathspecs", "checkout", "-q", "--", path)

    def checked_out(self, path: str = SPEC) -> str:
        """What a build reads from a checkout."""
        return (self.folder / path).read_bytes().decode("utf-8", "replace")

    def exported(self, path: str = SPEC) -> str:
        """What a build reads from an archive."""
        command = ["git", "-C", str(self.folder), "archive", "--format=tar", "HEAD"]
        archive = subprocess.run(command, capture_output=True, check=True).stdout
        done = subprocess.run(["tar", "-xOf", "-", path], input=archive, capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Attacked:
    """A repository with a spec on its default branch, in another branch."""
    plain = started(tmp_path / "repository")
    monkeypatch.chdir(plain.folder)
    opened = Attacked(plain.folder)
    opened.write(SPEC, spec())
    based(opened)
    opened.git("checkout", "-q", "-b", "change")
    return opened


def based(repo: Repo) -> None:
    """Make what is in the working tree the default branch of the remote."""
    repo.git("add", "-A")
    repo.git("commit", "-qm", "base", "--allow-empty")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["check", *(arguments or RANGE)])
    done = capsys.readouterr()
    return code, " ".join((done.out + done.err).split())


@pytest.mark.share(3)
@pytest.mark.parametrize(
    ("attributes", "line"),
    [
        ("\ufeff*.json working-tree-encoding=SHIFT_JISX0213\n", 1),
        ('"*.json" working-tree-encoding=SHIFT_JISX0213 x="\n', 1),
        ("* a\n[attr]a working-tree-encoding=SHIFT_JISX0213\n", 2),
        ("*.json a\n[attr]a b\n[attr]b working-tree-encoding=SHIFT_JISX0213\n", 3),
        ("*.png binary\n\n*.js\\on working-tree-encoding=SHIFT_JISX0213\n", 3),
        ("*.js[[:alpha:]]n working-tree-encoding=SHIFT_JISX0213\n", 1),
        ("*.jso[^x] working-tree-encoding=SHIFT_JISX0213\n", 1),
        ("*.js?? working-tree-encoding=SHIFT_JISX0213\n", 1),
        ('"\\052.json" working-tree-encoding=SHIFT_JISX0213\n', 1),
        ("proto/**/*.json working-tree-encoding=SHIFT_JISX0213\n", 1),
        ("/proto/message/A*.json\tworking-tree-encoding=SHIFT_JISX0213\n", 1),
        ("*.json -working-tree-encoding\n*.json working-tree-encoding=SHIFT_JISX0213\n", 2),
        ("*.json working-tree-encoding=UTF-8\n  *.json working-tree-encoding=SHIFT_JISX0213\r\n", 2),
    ],
)
def test_an_encoding_makes_another_spec(
    attributes: str, line: int, repo: Attacked, capsys: pytest.CaptureFixture[str]
) -> None:
    (repo.folder / ".gitattributes").write_bytes(attributes.encode())
    repo.blob(spec(JAPANESE))
    assert "\u00a5" not in repo.checked_out()
    code, out = checked(capsys)
    assert code == 2
    assert f"{SPEC}: git checks out this spec in another encoding" in out
    assert f"working-tree-encoding=SHIFT_JISX0213 (.gitattributes:{line})" in out
    assert "this change sets the git attribute working-tree-encoding of " in out
    assert "to SHIFT_JISX0213; before: nothing" in out


def test_identifiers_are_expanded(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("proto/.gitattributes", "# specs\n*.json ident\n")
    repo.blob(spec(IDENT))
    assert '$","type":"int64"' in repo.checked_out()
    assert "int32" not in repo.checked_out()
    code, out = checked(capsys)
    assert code == 2
    assert "expands $Id$ in this spec" in out
    assert "ident (proto/.gitattributes:2)" in out


def test_formats_are_expanded_in_archives(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(".gitattributes", "*.json export-subst\n")
    repo.blob(spec(FORMAT))
    assert '"type":"int64"' in repo.exported()
    for arguments in (RANGE, ("--against", "refs/remotes/origin/main")):
        code, out = checked(capsys, *arguments)
        assert code == 2
        assert "git archive expands $Format:$ in this spec" in out
        assert "export-subst (.gitattributes:1)" in out
    repo.git("reset", "-q", "--soft", "refs/remotes/origin/main")
    assert checked(capsys, "--staged")[0] == 2


@pytest.mark.parametrize(
    ("attributes", "path"),
    [
        ("*.json export-ignore\n", SPEC),
        ("proto export-ignore\n", SPEC),
        ("/proto/ export-ignore\n", SPEC),
        ("message export-ignore\n", SPEC),
        ("moved/ export-ignore\n", "moved/message/AValue.json"),
    ],
)
def test_a_spec_leaves_the_archives(
    attributes: str, path: str, repo: Attacked, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repo.exported() != ""
    repo.write(".gitattributes", attributes)
    if path != SPEC:
        (repo.folder / path).parent.mkdir(parents=True)
        repo.git("--literal-pathspecs", "mv", "--", SPEC, path)
    repo.commit("attack")
    assert repo.exported(path) == ""
    code, out = checked(capsys)
    assert code == 2
    assert f"{path}: git archive leaves this spec out: export-ignore (.gitattributes:1)" in out


def test_a_spec_that_archives_never_had_may_change(
    repo: Attacked, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(".gitattributes", "proto export-ignore\n")
    based(repo)
    repo.write(SPEC, spec('"about":"b","type":"int32"'))
    repo.commit("text")
    assert checked(capsys)[0] == 0


def test_text_and_attribute_come_in_two_changes(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.blob(spec(IDENT))
    assert checked(capsys)[0] == 0
    based(repo)
    repo.write(".gitattributes", "*.json ident\n")
    repo.commit("attribute")
    repo.git("rm", "-q", "--cached", SPEC)
    repo.git("reset", "-q", "--hard")
    code, out = checked(capsys)
    assert code == 2
    assert f"{SPEC}: git expands $Id$ in this spec" in out


@pytest.mark.parametrize(
    "attribute", ["ident", "export-subst", "filter=x", "working-tree-encoding=ISO-8859-1"]
)
def test_the_attribute_comes_first(
    attribute: str, repo: Attacked, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(".gitattributes", f"*.json {attribute}\n")
    based(repo)
    repo.blob(spec('"about":"$Id$ $Format:%H$","type":"int32"'))
    code, out = checked(capsys)
    assert (code, f"{attribute} (.gitattributes:1)" in out) == (2, True)
    assert "this change sets the git attribute" not in out


def test_the_value_of_an_attribute_changes(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(".gitattributes", "*.json working-tree-encoding=ISO-8859-1\n")
    based(repo)
    repo.write(".gitattributes", "*.json working-tree-encoding=SHIFT_JISX0213\n")
    repo.blob(spec())
    code, out = checked(capsys)
    assert code == 2
    assert "to SHIFT_JISX0213; before: ISO-8859-1" in out
    assert "in the old side, git checks out this spec in another encoding" in out


def test_the_old_side_is_converted(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(".gitattributes", "*.json ident\n")
    repo.blob(spec(IDENT))
    based(repo)
    repo.blob(spec())
    code, out = checked(capsys)
    assert code == 2
    assert f"{SPEC}: in the old side, git expands $Id$ in this spec" in out


@pytest.mark.share(4)
@pytest.mark.parametrize("arguments", [RANGE, ("--staged",), ("--against", "refs/remotes/origin/main")])
@pytest.mark.parametrize(
    "folder", ["line\nend", "0:m", ":/\nx", "caf\u00e9", " space ", "-dash", "*", ":(top)x", "[x]"]
)
def test_attributes_in_a_folder_with_a_hard_name(
    arguments: tuple[str, ...], folder: str, repo: Attacked, capsys: pytest.CaptureFixture[str]
) -> None:
    path = f"{folder}/message/AValue.json"
    (repo.folder / folder / "message").mkdir(parents=True)
    repo.git("--literal-pathspecs", "mv", "--", SPEC, path)
    based(repo)
    repo.write(f"{folder}/.gitattributes", "*.json export-subst\n")
    repo.blob(spec(FORMAT), path)
    if arguments == ("--staged",):
        repo.git("reset", "-q", "--soft", "refs/remotes/origin/main")
    code, out = checked(capsys, *arguments)
    assert code == 2
    assert "git archive expands $Format:$" in out


def test_a_name_that_is_not_utf_8(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    path = "proto/message/\udcffValue.json"
    repo.git("--literal-pathspecs", "mv", "--", SPEC, path)
    based(repo)
    (repo.folder / ".gitattributes").write_bytes(b"[\xff]Value.json export-subst\n")
    repo.blob(spec(FORMAT), path)
    code, out = checked(capsys)
    assert code == 2
    assert "proto/message/\\xffValue.json: git archive expands $Format:$" in out


def test_patterns_apply_where_systems_ignore_case(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(".gitattributes", "*.JSON ident\n")
    repo.blob(spec(IDENT))
    assert "int32" in repo.checked_out()
    assert checked(capsys)[0] == 2


def test_what_links_lead_to_is_converted(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("test/AValue.json", spec())
    repo.git("rm", "-q", SPEC)
    (repo.folder / "proto/message").mkdir(parents=True)
    (repo.folder / SPEC).symlink_to("../../test/AValue.json")
    based(repo)
    repo.write("test/.gitattributes", "*.json export-subst\n")
    repo.blob(spec(FORMAT), "test/AValue.json")
    code, out = checked(capsys)
    assert code == 2
    assert "export-subst (test/.gitattributes:1)" in out


def test_attributes_behind_a_link_come_later(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("test/AValue.json", spec(IDENT))
    repo.git("rm", "-q", SPEC)
    (repo.folder / "proto/message").mkdir(parents=True)
    (repo.folder / SPEC).symlink_to("../../test/AValue.json")
    based(repo)
    repo.write("test/.gitattributes", "*.json ident\n")
    repo.commit("attack")
    code, out = checked(capsys)
    assert (code, "ident (test/.gitattributes:1)" in out) == (2, True)
    repo.git("reset", "-q", "--soft", "refs/remotes/origin/main")
    assert checked(capsys, "--staged")[0] == 2


def test_attributes_of_the_clone_and_of_the_user(
    repo: Attacked,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    repo.blob(spec(IDENT))
    assert checked(capsys)[0] == 0
    own = tmp_path / "own"
    own.write_text("*.json ident\n")
    settings = tmp_path / "settings"
    settings.write_text(f"[core]\n attributesFile = {own}\n")
    with monkeypatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", str(settings))
        code, out = checked(capsys)
        assert (code, "ident (the attributes file of your git configuration)" in out) == (2, True)
    (repo.folder / ".git/info").mkdir(exist_ok=True)
    (repo.folder / ".git/info/attributes").write_text("*.json ident\n")
    code, out = checked(capsys)
    assert (code, "ident (info/attributes of this repository)" in out) == (2, True)


def test_a_bare_repository(repo: Attacked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write(".gitattributes", "*.json ident\n")
    repo.blob(spec(IDENT))
    # HEAD of the bare repository has no such attribute.
    repo.git("branch", "honest", "refs/remotes/origin/main")
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.folder), str(bare))
    subprocess.run(["git", "--git-dir", str(bare), "symbolic-ref", "HEAD", "refs/heads/honest"], check=True)
    monkeypatch.chdir(bare)
    assert main(["check", "--against", "refs/heads/honest..refs/heads/change"]) == 2


@pytest.mark.parametrize("ref", ["change", "change:proto"])
def test_a_source_of_another_repository(
    ref: str, repo: Attacked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(".gitattributes", "*.json ident\n")
    repo.blob(spec(IDENT))
    path = SPEC if ref == "change" else SPEC.removeprefix("proto/")
    old = ref.replace("change", "refs/remotes/origin/main")
    code, out = checked(capsys, "--old", f"{repo.folder}@{old}", "--new", f"{repo.folder}@{ref}")
    assert (code, f"{path}: git expands $Id$" in out) == (2, True)


def test_honest_attributes_are_nothing_to_the_check(
    repo: Attacked, capsys: pytest.CaptureFixture[str]
) -> None:
    honest = (
        "* text=auto eol=lf\n*.json text eol=crlf diff=json -filter working-tree-encoding=UTF-8 ident\n"
        "*.json export-subst linguist-language=JSON merge=union whitespace=cr-at-eol\n"
        "*.png binary filter=lfs\n"
    )
    repo.write(".gitattributes", honest)
    repo.write(SPEC, spec('"about":"b","type":"int32"'))
    repo.commit("honest")
    for arguments in (RANGE, ("--against", "refs/remotes/origin/main")):
        code, out = checked(capsys, *arguments)
        assert (code, "cannot be checked" in out) == (0, False)
    repo.write(SPEC, spec('"about":"b","type":"int64"'))
    repo.commit("break")
    assert checked(capsys)[0] == 1


def test_many_specs_and_lines(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"N{number}Value" for number in range(12)]
    for name in names:
        repo.write(f"proto/message/{name}.json", spec().replace("AValue", name))
    based(repo)
    lines = "".join(f"# {name}\n{name}.json filter=x\n" for name in names)
    repo.write(".gitattributes", f"{lines}N11*.json filter=y\n")
    repo.commit("attack")
    code, out = checked(capsys)
    assert code == 2
    assert "proto/message/N0Value.json: git checks out what a filter makes of this spec" in out
    assert "filter=x (.gitattributes:2)" in out
    assert "filter=y (.gitattributes:25)" in out
    assert "and 8 more to x; before: nothing" in out


def test_the_text_of_a_link_has_attributes(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.blob(spec(IDENT))
    based(repo)
    (repo.folder / ".gitattributes").symlink_to("*.json ident")
    repo.commit("attack")
    code, out = checked(capsys)
    assert (code, "ident (.gitattributes:1)" in out) == (2, True)


@pytest.mark.parametrize(
    ("attributes", "assignment"),
    [
        (
            "*.json working-tree-encoding=SHIFT_JISX0213\n*.JSON working-tree-encoding=UTF-8\n",
            "working-tree-encoding=SHIFT_JISX0213",
        ),
        (
            "*.JSON working-tree-encoding=SHIFT_JISX0213\n*.json working-tree-encoding=UTF-8\n",
            None,
        ),
        ("*.json filter=x\n*.JSON filter\n", "filter=x"),
    ],
)
def test_a_pattern_in_other_letters_hides_nothing(
    attributes: str, assignment: str | None, repo: Attacked, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(".gitattributes", attributes)
    repo.blob(spec(JAPANESE) if "SHIFT" in attributes else spec())
    if assignment is None:
        # The last line counts, whether or not the system ignores case.
        assert checked(capsys)[0] == 0
        return
    repo.write(SPEC, spec('"about":"c","type":"int32"'))
    repo.blob(spec('"about":"c","type":"int32"'))
    code, out = checked(capsys)
    assert (code, assignment in out) == (2, True)


def test_two_folders_that_are_printed_alike(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    raw = os.fsdecode(b"a\xe9")
    for folder, text in ((r"a\xe9", "*.json ident\n"), (raw, "*.json -ident\n")):
        (repo.folder / "proto" / folder).mkdir()
        (repo.folder / "proto" / folder / ".gitattributes").write_text(text)
    path = r"proto/a\xe9/AValue.json"
    repo.git("mv", SPEC, path)
    repo.blob(spec(IDENT), path)
    code, out = checked(capsys)
    assert (code, "expands $Id$" in out) == (2, True)


def test_tables_are_converted(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("proto/errors.json", '{"errors": [{"code": 1, "name": "A"}]}\n')
    based(repo)
    repo.write(".gitattributes", "errors.json ident\n")
    repo.write("proto/errors.json", '{"errors": [{"code": 1, "name": "A", "about": "$Id$"}]}\n')
    repo.commit("attack")
    code, out = checked(capsys)
    assert (code, "proto/errors.json: git expands $Id$" in out) == (2, True)


def test_an_edited_spec_leaves_the_archives_under_another_name(
    repo: Attacked, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.git("mv", SPEC, "proto/message/Other.json")
    repo.write("proto/message/Other.json", spec('"about":"b","type":"int32"'))
    repo.write(".gitattributes", "Other.json export-ignore\n")
    repo.commit("attack")
    code, out = checked(capsys)
    assert (code, "git archive leaves this spec out" in out) == (2, True)


def test_identifiers_in_a_working_tree(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(".gitattributes", "*.json ident\n")
    repo.write(SPEC, spec(IDENT))
    assert checked(capsys, "--against", "HEAD")[0] == 2


@pytest.mark.long
def test_lines_are_searched_within_a_budget(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(150):
        repo.write(f"d{number}/message/N{number}Value.json", spec().replace("AValue", f"N{number}Value"))
        repo.write(f"d{number}/.gitattributes", "*.json filter=x\n")
    repo.commit("attack")
    code, out = checked(capsys)
    assert code == 2
    assert "filter=x (d0/.gitattributes:1)" in out
    assert "filter=x (a file of attributes in its folder or above)" in out


@pytest.mark.parametrize(
    ("folder_mode", "file_mode"),
    [
        ("40000", "0100644"),
        ("0040000", "100644"),
        ("40755", "100644"),
        ("40777", "100600"),
        ("40000", "100000"),
    ],
)
def test_a_mode_that_git_does_not_write(
    folder_mode: str, file_mode: str, repo: Attacked, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(SPEC, spec('"about":"a","type":"int64"'))
    repo.commit("break")
    blob = repo.git("rev-parse", f"HEAD:{SPEC}").strip()
    inner = f"{file_mode} AValue.json\0".encode() + bytes.fromhex(blob)
    for name in ("message", "proto"):
        inner = f"{folder_mode} {name}\0".encode() + bytes.fromhex(_object(repo, inner))
    commit = repo.git(
        "commit-tree", _object(repo, inner), "-p", "refs/remotes/origin/main", "-m", "x"
    ).strip()
    assert checked(capsys, "--against", f"refs/remotes/origin/main..{commit}")[0] == 1


def _object(repo: Attacked, data: bytes) -> str:
    """Write a tree that git mktree would refuse."""
    command = ["git", "-C", str(repo.folder), "hash-object", "-t", "tree", "-w", "--literally", "--stdin"]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode().strip()


def ebcdic(text: str) -> str:
    """The blob that is a text in EBCDIC's bytes after its checkout: no JSON at all."""
    return text.encode().decode("cp037")


def test_a_spec_in_disguise(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    """No byte of the blob looks like a spec, and nothing in its path does."""
    repo.write("proto/specs/a.json", spec())
    (repo.folder / SPEC).unlink()
    based(repo)
    other = "proto/specs/b.json"
    repo.write(".gitattributes", "# one\nb.json working-tree-encoding=IBM037\n")
    repo.blob(ebcdic(spec('"about":"a","type":"int64"')), other)
    assert '"validVersions"' in repo.checked_out(other)
    code, out = checked(capsys)
    assert code == 2
    assert f"{other}: git checks out this file in another encoding, and it may be a spec then" in out
    assert "working-tree-encoding=IBM037 (.gitattributes:2)" in out
    # Whoever merges it anyway hides no later edit, and neither does another attribute.
    based(repo)
    repo.blob(ebcdic(spec('"about":"a","type":"string"')), other)
    assert checked(capsys)[0] == 2


def test_an_identifier_hides_the_end_of_a_struct(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    """git replaces what is between two dollar signs, quotes and braces too."""
    text = spec('"about":"a","type":"int64"').replace("AValue", "Bees").replace("{", "", 1)
    hidden = '{"x":{"k":"$Id: ","j":{"y":" $"},' + text + "}"
    repo.write(".gitattributes", "*.json ident\n")
    repo.blob(hidden, "bees.json")
    keys = json.JSONDecoder().raw_decode(repo.checked_out("bees.json"))[0]
    assert ("validVersions" in keys, "validVersions" in json.loads(hidden)) == (True, False)
    code, out = checked(capsys)
    assert (code, "bees.json: git expands $Id$ in this file" in out) == (2, True)


def test_pointers_among_specs_and_elsewhere(repo: Attacked, capsys: pytest.CaptureFixture[str]) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    repo.write(".gitattributes", "data.json filter=lfs\n")
    based(repo)
    repo.write("data/data.json", pointer)
    repo.commit("a pointer where no spec is")
    assert checked(capsys)[0] == 0
    repo.write("proto/more/data.json", pointer)
    repo.commit("a pointer below the folder of specs")
    code, out = checked(capsys)
    assert (code, "proto/more/data.json: git checks out what a filter makes of this file" in out) == (2, True)
    assert "data/data.json" not in out
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.write("wirebook.toml", 'paths = ["proto", "data"]\n')
    based(repo)
    repo.write("data/data.json", pointer.replace("00", "01"))
    repo.commit("a pointer where the configuration says that specs are")
    assert checked(capsys)[0] == 2
    assert checked(capsys, "--against", "refs/remotes/origin/main")[0] == 0


@pytest.mark.parametrize(
    ("attribute", "keys"), [("ident", IDENT), ("working-tree-encoding=SHIFT_JISX0213", JAPANESE)]
)
@pytest.mark.parametrize("paths", [[], ["proto/message/*.json"]], ids=["everywhere", "without the structs"])
def test_a_file_of_structs_is_converted(
    attribute: str, keys: str, paths: list[str], repo: Attacked, capsys: pytest.CaptureFixture[str]
) -> None:
    """A spec that git checks out as it is imports a file that git does not check out as it is."""
    shared = "proto/message/shared/S.json"
    repo.write(SPEC, spec('"type":"S"').replace('"fields"', '"imports":["shared/S.json"],"fields"'))
    repo.write(shared, structs({"name": "Q", "versions": "0+", "type": "int32"}, name="S"))
    if paths:
        repo.write("wirebook.toml", f"paths = {json.dumps(paths)}\n")
    based(repo)
    repo.write(".gitattributes", f"S.json {attribute}\n")
    head = '{"type":"structs","commonStructs":[{"name":"S","versions":"0+","fields":[\n'
    repo.blob(f'{head}{{"name":"Q","versions":"0+",{keys}}}]}}]}}', shared)
    assert "int64" in repo.checked_out(shared).split("Q")[1].split("//")[0]
    sources = ("--old", "git:refs/remotes/origin/main", "--new", "git:HEAD")
    for arguments in (RANGE, ("--staged", "--against", "refs/remotes/origin/main"), sources):
        code, out = checked(capsys, *arguments)
        assert (code, f"{attribute} (.gitattributes:1)" in out) == (2, True), out
        assert f"{shared}: git " in out
    # The text comes first, and the attribute in a change of its own.
    repo.git("rm", "-q", "--cached", ".gitattributes")
    repo.git("commit", "-q", "--amend", "-m", "the text")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("add", ".gitattributes")
    repo.git("commit", "-q", "-m", "the attribute")
    code, out = checked(capsys)
    assert (code, f"{shared}: git " in out, "0 specs differ" in out) == (2, True, True), out
