"""`wirebook check --hook`: the refs of pre-commit, the index, or the branch; tests/e2e has the real one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import FOLDER, Repo, api_versions, broken, request, response, started
from tests.rules.check.running import PATH, Run
from wirebook.cli.gate.hook import FROM, PUSHED, PUSHED_TO, TO

ZEROS = "0" * 40
NOTHING = "0 specs differ; both sides are the same, so nothing was compared"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository on the branch topic, two commits after main, of which the first breaks."""
    for name in (FROM, TO, PUSHED, PUSHED_TO):
        monkeypatch.delenv(name, raising=False)
    made = started(tmp_path / "repo")
    made.git("checkout", "-q", "-b", "topic")
    made.spec(broken())
    made.commit("break")
    made.write("notes.txt", "words")
    made.commit("words")
    return made


def test_what_is_staged_counts_before_the_branch(repo: Repo, check: Run) -> None:
    found = check(repo.folder, "--hook")
    assert (found.code, "the merge base of HEAD and refs/heads/main" in found.first) == (1, True)
    repo.write("notes.txt", "more words")
    assert check(repo.folder, "--hook").code == 1
    repo.git("add", "-A")
    # It is no matter for the check: the index is judged with all commits of the branch.
    found = check(repo.folder, "--hook")
    words = "wirebook check: the index against the merge base of HEAD and refs/heads/main ("
    assert (found.code, found.first.startswith(words), found.first.endswith(": 1 spec differs")) == (
        1,
        True,
        True,
    )
    repo.spec(request())
    repo.git("add", "-A")
    assert "the index against HEAD" in check(repo.folder, "--hook").first


def staged_words(repo: Repo) -> None:
    repo.write("notes.txt", "more words")


def staged_mode(repo: Repo) -> None:
    (repo.folder / PATH).chmod(0o755)


def staged_json(repo: Repo) -> None:
    repo.write("package.json", {"name": "y"})


def staged_table(repo: Repo) -> None:
    repo.write(f"{FOLDER}/new.toml", "a = 1\n")


@pytest.mark.parametrize("stage", [staged_words, staged_mode, staged_json, staged_table])
def test_something_else_that_is_staged_hides_no_commit(
    stage: Callable[[Repo], None],
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo.git("config", "core.fileMode", "true")
    stage(repo)
    repo.git("add", "-A")
    assert repo.git("diff", "--cached", "--name-only")
    for variable in ("", str(repo.folder / ".git" / "index")):
        if variable:
            monkeypatch.setenv("GIT_INDEX_FILE", variable)
        found = check(repo.folder, "--hook")
        assert (found.code, "the index against the merge base of HEAD" in found.first) == (1, True)
        # The hint leads to a command that finds the same.
        assert "wirebook check --waive=" in found.out
    # Without the break, one line says what was compared.
    repo.git("revert", "-n", "HEAD~1")
    repo.commit("no break")
    repo.write("more.txt", "words")
    repo.git("add", "-A")
    found = check(repo.folder, "--hook")
    assert (found.code, found.out.count("\n")) == (0, 1)
    assert "the index against the merge base of HEAD and refs/heads/main" in found.first


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (
            "waivers.toml",
            '[[waiver]]\nrule = "type-changed"\nmessage = "FetchRequest"\nreason = "x"\nby = "a"\n',
        ),
        ("wirebook.toml", '[severities]\nfield-renamed = "error"\n'),
        (f"{FOLDER}/profile.toml", 'extends = "kafka"\nname = "x"\n'),
        (f"{FOLDER}/ApiVersionsRequest.json", api_versions("request", validVersions="0-4")),
    ],
)
def test_what_is_staged_and_judged_is_compared_with_head(
    path: str,
    content: object,
    repo: Repo,
    check: Run,
) -> None:
    repo.write(path, content)
    repo.git("add", "-A")
    assert "the index against HEAD" in check(repo.folder, "--hook").first


def test_a_commit_on_the_default_branch_is_compared_with_head(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A break that was accepted does not stop the next commit; CI judges it as before."""
    repo.git("checkout", "-q", "-B", "main", "topic~1")
    repo.write("notes.txt", "more words")
    repo.git("add", "-A")
    assert check(repo.folder, "--hook").code == 1
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo.folder / ".git" / "index"))
    found = check(repo.folder, "--hook")
    assert (found.code, "the index against HEAD" in found.first) == (0, True)


def test_a_commit_in_a_shallow_clone_is_compared_with_head(
    repo: Repo,
    tmp_path: Path,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clone = Repo(tmp_path / "clone")
    clone.git("fetch", "-q", "--depth=1", repo.folder.as_uri(), "topic")
    clone.git("checkout", "-q", "FETCH_HEAD")
    clone.write("notes.txt", "more words")
    clone.git("add", "-A")
    assert check(clone.folder, "--hook").code == 2
    monkeypatch.setenv("GIT_INDEX_FILE", str(clone.folder / ".git" / "index"))
    found = check(clone.folder, "--hook")
    assert (found.code, "the index against HEAD" in found.first) == (0, True)


def test_several_merge_bases_count_for_the_index(repo: Repo, check: Run) -> None:
    for name in ("left", "right"):
        repo.git("checkout", "-q", "-b", name, "topic~2")
        repo.write(f"{name}.txt", name)
        repo.commit(name)
    repo.git("checkout", "-q", "-B", "main", "left")
    repo.git("merge", "-q", "-m", "m", "right")
    repo.git("checkout", "-q", "-B", "topic", "right")
    repo.git("merge", "-q", "-m", "n", "left")
    repo.spec(broken())
    repo.commit("break")
    repo.write("notes.txt", "more words")
    repo.git("add", "-A")
    found = check(repo.folder, "--hook")
    assert (found.code, found.out.count("the index against")) == (1, 2)


def test_where_nothing_can_differ_one_line_says_so(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo.git("checkout", "-q", "-b", "new", "main")
    for first, last in (("", ""), ("HEAD", "HEAD"), ("HEAD", "new")):
        monkeypatch.setenv(FROM, first)
        monkeypatch.setenv(TO, last)
        found = check(repo.folder, "--hook")
        assert (found.code, found.out.count("\n"), NOTHING in found.out, found.err) == (0, 1, True, "")
    # A warning is shown, too.
    fields = [item if "tag" in item else {**item, "name": f"{item['name']}s"} for item in request()["fields"]]
    repo.spec(request(fields=fields))
    repo.commit("other names")
    monkeypatch.setenv(FROM, "HEAD~1")
    monkeypatch.setenv(TO, "HEAD")
    found = check(repo.folder, "--hook")
    assert (found.code, "warning[field-renamed]" in found.out) == (0, True)


@pytest.mark.parametrize("first", ["main", "topic~2", "HEAD~2", "refs/heads/main"])
@pytest.mark.parametrize("last", ["HEAD", "topic", "refs/heads/topic"])
def test_the_refs_of_pre_commit(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
    first: str,
    last: str,
) -> None:
    monkeypatch.setenv(FROM, first)
    monkeypatch.setenv(TO, last)
    repo.spec(request())
    repo.git("add", "-A")  # what is staged is not pushed
    found = check(repo.folder, "--hook")
    base = repo.git("rev-parse", "main")[:12]
    assert (found.code, f"({base}; PRE_COMMIT_FROM_REF)" in found.first) == (1, True)
    # The option for the index means the index, whatever the variables say.
    assert check(repo.folder, "--staged").first.startswith("wirebook check: the index against HEAD")


@pytest.mark.parametrize("first", [None, "", ZEROS])
@pytest.mark.parametrize("branch", ["topic", "main"])
def test_a_new_branch_is_compared_with_the_default_branch(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
    first: str | None,
    branch: str,
) -> None:
    if first is not None:
        monkeypatch.setenv(FROM, first)
    repo.git("checkout", "-q", branch)
    monkeypatch.setenv(TO, repo.git("rev-parse", "topic"))
    found = check(repo.folder, "--hook")
    assert (found.code, "refs/heads/main" in found.first) == (1, True)


def test_a_new_branch_has_not_the_upstream_of_the_branch_that_is_checked_out(
    repo: Repo, check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.git("checkout", "-q", "-b", "next", "--track", "topic")
    repo.write("notes.txt", "more words")
    repo.commit("on next")
    monkeypatch.setenv(FROM, ZEROS)
    monkeypatch.setenv(TO, repo.git("rev-parse", "topic"))
    monkeypatch.setenv(PUSHED_TO, "refs/heads/topic")
    outcome = check(repo.folder, "--hook")
    assert (outcome.code, "refs/heads/main" in outcome.first) == (1, True), outcome.out


def test_a_new_branch_has_its_own_upstream_while_another_is_checked_out(
    repo: Repo, check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fix for a maintenance branch that already has what the default branch lacks."""
    repo.git("branch", "-q", "maintained", "topic")
    repo.git("checkout", "-q", "-b", "fix", "--track", "maintained")
    repo.write("notes.txt", "more words")
    repo.commit("on fix")
    repo.git("checkout", "-q", "main")
    monkeypatch.setenv(FROM, ZEROS)
    monkeypatch.setenv(TO, repo.git("rev-parse", "fix"))
    for name in (PUSHED, PUSHED_TO):
        monkeypatch.setenv(name, "refs/heads/fix")
    outcome = check(repo.folder, "--hook")
    assert (outcome.code, "refs/heads/maintained (" in outcome.first) == (0, True), outcome.out


@pytest.mark.parametrize("names_commit", [True, False])
@pytest.mark.parametrize("is_ahead", [True, False])
def test_the_first_push_of_the_default_branch_while_another_is_checked_out(
    repo: Repo, check: Run, monkeypatch: pytest.MonkeyPatch, names_commit: bool, is_ahead: bool
) -> None:
    """pre-commit names no commits if the push has the first one of all."""
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--ff-only", "topic~1")
    repo.git("checkout", "-q", "topic" if is_ahead else "main")
    repo.git("checkout", "-q", "-b", "next")
    if names_commit:
        monkeypatch.setenv(FROM, ZEROS)
        monkeypatch.setenv(TO, repo.git("rev-parse", "main"))
    monkeypatch.setenv(PUSHED, "refs/heads/main")
    monkeypatch.setenv(PUSHED_TO, "refs/heads/main")
    outcome = check(repo.folder, "--hook")
    commit, parent = (repo.git("rev-parse", name)[:12] for name in ("main", "main^"))
    sides = f"refs/heads/main ({commit}) against the first parent of refs/heads/main ({parent}; "
    assert (outcome.code, sides in outcome.first) == (1, True), outcome.out + outcome.err


def test_the_first_push_of_a_branch_with_the_commit_of_the_default_branch_has_nothing_new(
    repo: Repo, check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.git("branch", "-q", "-f", "main", "topic~1")
    repo.git("branch", "-q", "equal", "main")
    for name in (PUSHED, PUSHED_TO):
        monkeypatch.setenv(name, "refs/heads/equal")
    outcome = check(repo.folder, "--hook")
    sides = "against refs/heads/equal, which is its merge base with refs/heads/main ("
    assert (outcome.code, sides in outcome.first) == (0, True), outcome.out + outcome.err


def test_a_pushed_branch_has_not_the_upstream_of_a_branch_with_the_same_commit(
    repo: Repo, check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.git("checkout", "-q", "-b", "next", "--track", "topic")
    for name in (PUSHED, PUSHED_TO):
        monkeypatch.setenv(name, "refs/heads/topic")
    outcome = check(repo.folder, "--hook")
    assert (outcome.code, "refs/heads/topic and refs/heads/main (" in outcome.first) == (1, True), outcome.out


def test_a_deleted_branch(repo: Repo, check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FROM, repo.git("rev-parse", "topic"))
    monkeypatch.setenv(TO, ZEROS)
    outcome = check(repo.folder, "--hook")
    words = "wirebook check: the push deletes a branch, so nothing was compared\n"
    assert (outcome.code, outcome.out) == (0, words)
    target = repo.folder / "report.json"
    assert check(repo.folder, "--hook", "--format", "json", "--output", str(target)).code == 0
    document = json.loads(target.read_text(encoding="utf-8"))
    assert (document["compared"], document["findings"]) == (
        "the push deletes a branch, so nothing was compared",
        [],
    )


@pytest.mark.parametrize(
    ("pushed_to", "code"),
    [("refs/heads/main", 1), ("refs/heads/develop", 1), ("refs/heads/topic", 0), ("", 0)],
)
def test_a_forced_push(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
    pushed_to: str,
    code: int,
) -> None:
    """What others have of a default branch is not dropped."""
    repo.git("update-ref", "refs/remotes/origin/develop", "main")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
    monkeypatch.setenv(FROM, "topic")
    monkeypatch.setenv(TO, "main")
    monkeypatch.setenv(PUSHED_TO, pushed_to)
    assert check(repo.folder, "--hook").code == code


def third(kind: str) -> list[dict[str, Any]]:
    """Both halves with a version 3, which has a field of a type."""
    field = {"name": "More", "type": kind, "versions": "3+", "about": "More."}
    return [
        request(validVersions="0-3", fields=[*request()["fields"], field]),
        response(validVersions="0-3"),
    ]


class Push:
    """Pushes of the branch topic, two commits after main, which then gets version 3."""

    def __init__(self, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = repo
        self.monkeypatch = monkeypatch
        repo.git("checkout", "-q", "-B", "topic", "main")
        self.words("first")
        self.before = self.words("second")
        repo.git("checkout", "-q", "main")
        self.target = self.specs("int32")
        repo.git("checkout", "-q", "topic")

    def words(self, name: str) -> str:
        self.repo.write(f"{name}.txt", name)
        return self.repo.commit(name)

    def specs(self, kind: str) -> str:
        for spec in third(kind):
            self.repo.spec(spec)
        return self.repo.commit(kind)

    def sides(self, first: str, branch: str = "topic", name: str = "") -> None:
        """Set what pre-commit sets for a push of HEAD."""
        self.monkeypatch.setenv(FROM, first)
        self.monkeypatch.setenv(TO, self.repo.git("rev-parse", "HEAD"))
        self.monkeypatch.setenv(PUSHED, name or f"refs/heads/{branch}")
        self.monkeypatch.setenv(PUSHED_TO, f"refs/heads/{branch}")


@pytest.fixture
def push(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Push:
    return Push(repo, monkeypatch)


def base_words(commit: str, detected: str = "a usual default branch") -> str:
    return f"against its merge base with refs/heads/main ({commit[:12]}; {detected})"


@pytest.mark.parametrize("name", ["refs/heads/topic", "HEAD"])
@pytest.mark.parametrize(("kind", "code"), [("int32", 0), ("int64", 1)])
def test_a_forced_push_after_a_rebase_is_compared_with_the_new_base(
    push: Push, check: Run, name: str, kind: str, code: int
) -> None:
    """What the target got meanwhile is no change of the branch, and the branch may break it."""
    push.repo.git("rebase", "-q", "main")
    push.specs(kind)
    push.words("third")
    push.sides(push.before, name=name)
    outcome = check(push.repo.folder, "--hook")
    assert (outcome.code, base_words(push.target) in outcome.first) == (code, True), outcome.out
    assert outcome.first.count("against") == 1
    assert not code or "wirebook check --against refs/heads/main..." in outcome.out


def test_a_push_of_a_merged_target_is_compared_with_it_as_well(push: Push, check: Run) -> None:
    """A merge that drops what the target has changes nothing since the last push."""
    push.repo.git("merge", "-q", "--no-ff", "-s", "ours", "-m", "drop", "main")
    push.sides(push.before)
    outcome = check(push.repo.folder, "--hook")
    assert (outcome.code, base_words(push.target) in outcome.first) == (1, True), outcome.out
    assert f"its merge base with {push.before} ({push.before[:12]}; {FROM})" in outcome.first
    # No later push brings commits of the target.
    merge = push.repo.git("rev-parse", "HEAD")
    push.words("third")
    push.sides(merge)
    assert "refs/heads/main" not in check(push.repo.folder, "--hook").first


def test_a_new_branch_that_merged_its_target_is_compared_with_that(push: Push, check: Run) -> None:
    """pre-commit names the commit where the branch began: what the target did since is not its change."""
    start = push.repo.git("rev-parse", "main~1")
    push.repo.git("checkout", "-q", "main")
    push.repo.spec(broken())
    accepted = push.repo.commit("accepted break")
    push.repo.git("checkout", "-q", "topic")
    push.repo.git("merge", "-q", "-m", "merge", "main")
    push.sides(start)
    outcome = check(push.repo.folder, "--hook")
    assert (outcome.code, base_words(accepted) in outcome.first) == (0, True), outcome.out


def test_what_a_push_brings_from_an_unpublished_branch_is_judged(push: Push, check: Run) -> None:
    push.repo.git("checkout", "-q", "-b", "work", "main~1")
    push.repo.spec(broken())
    push.repo.commit("break")
    push.repo.git("checkout", "-q", "topic")
    push.repo.git("branch", "-q", "-u", "work")
    push.repo.git("rebase", "-q", "work")
    push.words("third")
    push.sides(push.before)
    outcome = check(push.repo.folder, "--hook")
    assert (outcome.code, "refs/heads/work" in outcome.first) == (1, False), outcome.out


@pytest.mark.parametrize("ahead", [0, 1])
def test_a_push_of_commits_of_the_target_is_compared_with_the_branch_before(
    push: Push, check: Run, ahead: int
) -> None:
    """A branch that follows the default branch, such as that of an environment."""
    push.repo.git("checkout", "-q", "main")
    push.repo.spec(broken())
    push.repo.commit("break")
    for _ in range(ahead):
        push.words("more")
    push.repo.git("checkout", "-q", "-B", "production", f"main~{ahead}")
    push.sides(push.target, "production")
    outcome = check(push.repo.folder, "--hook")
    words = f"against its merge base with {push.target} ({push.target[:12]}; {FROM})"
    assert (outcome.code, words in outcome.first) == (1, True), outcome.out


def test_a_rebased_branch_has_the_target_of_the_settings(push: Push, check: Run) -> None:
    push.repo.git("branch", "-q", "stable", "main")
    push.repo.git("checkout", "-q", "-B", "main", "main~1")
    push.repo.write("wirebook.toml", 'branch = "stable"\n')
    settings = push.repo.commit("settings")
    push.repo.git("checkout", "-q", "stable")
    push.repo.git("merge", "-q", "-m", "merge", settings)
    push.target = push.repo.git("rev-parse", "HEAD")
    push.repo.git("checkout", "-q", "topic")
    push.repo.git("rebase", "-q", "stable")
    push.specs("int64")
    push.sides(push.before)
    outcome = check(push.repo.folder, "--hook")
    words = f"against its merge base with refs/heads/stable ({push.target[:12]}; wirebook.toml:1)"
    assert (outcome.code, words in outcome.first) == (1, True), outcome.out


def test_a_push_whose_target_is_unknown_is_compared_with_the_branch_before(push: Push, check: Run) -> None:
    push.repo.git("rebase", "-q", "main")
    push.repo.git("branch", "-q", "-m", "main", "unusual")
    push.sides(push.before)
    outcome = check(push.repo.folder, "--hook")
    base = push.repo.git("merge-base", push.before, "HEAD")
    assert (outcome.code, f"({base[:12]}; {FROM})" in outcome.first) == (0, True), outcome.out


@pytest.mark.parametrize("named", ["stable", "origin/stable", "refs/heads/stable"])
def test_a_forced_push_to_the_branch_of_the_settings(
    named: str,
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the branch loses is judged; the old side names the branch."""
    repo.git("checkout", "-q", "-B", "stable", "main")
    repo.write("wirebook.toml", f'branch = "{named}"\n')
    repo.spec(request(validVersions="0-3"))
    before = repo.commit("another version")
    repo.git("checkout", "-q", "-B", "rewritten", "main")
    repo.write("wirebook.toml", "")
    after = repo.commit("without it")
    monkeypatch.setenv(FROM, before)
    monkeypatch.setenv(TO, after)
    for pushed_to, code in (("refs/heads/stable", 1), ("refs/heads/topic", 0)):
        monkeypatch.setenv(PUSHED_TO, pushed_to)
        assert check(repo.folder, "--hook").code == code


def test_a_forced_push_that_drops_settings_which_cannot_be_read(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The commits of the push are judged by the settings where they begin."""
    repo.git("checkout", "-q", "-B", "rewritten", "main")
    repo.write("wirebook.toml", "branch = [")
    monkeypatch.setenv(FROM, repo.commit("broken settings"))
    repo.git("reset", "-q", "--hard", "main")
    repo.write("notes.txt", "more words")
    monkeypatch.setenv(TO, repo.commit("another commit"))
    for pushed_to, code in (("refs/heads/rewritten", 0), ("refs/heads/main", 2)):
        monkeypatch.setenv(PUSHED_TO, pushed_to)
        assert check(repo.folder, "--hook").code == code


def test_a_forced_push_to_the_branch_of_the_command_line(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo.git("checkout", "-q", "-B", "stable", "main")
    repo.spec(request(validVersions="0-3"))
    monkeypatch.setenv(FROM, repo.commit("another version"))
    monkeypatch.setenv(TO, "main")
    monkeypatch.setenv(PUSHED_TO, "refs/heads/stable")
    assert [check(repo.folder, "--hook", *names).code for names in ((), ("--branch", "stable"))] == [0, 1]


@pytest.mark.parametrize(
    ("first", "last"),
    [("main", None), ("main..topic", "HEAD"), ("none", "HEAD"), ("main", "-x"), ("./a", "b")],
)
def test_variables_that_name_no_refs(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
    first: str,
    last: str | None,
) -> None:
    monkeypatch.setenv(FROM, first)
    if last is not None:
        monkeypatch.setenv(TO, last)
    found = check(repo.folder, "--hook")
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    "given",
    [["--against", "main"], ["--staged"], ["--old", "a", "--new", "b"]],
)
def test_the_hook_decides_what_to_compare(repo: Repo, check: Run, given: list[str]) -> None:
    found = check(repo.folder, "--hook", *given)
    assert (found.code, f"omit {given[0]}" in found.err) == (2, True)


@pytest.mark.parametrize("shape", ["worktree", "submodule", "sparse", "sha256", "partial"])
def test_repositories_of_other_shapes(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    shape: str,
) -> None:
    other = Repo.__new__(Repo)
    other.folder = tmp_path / shape
    url = f"file://{repo.folder}"
    if shape == "worktree":
        repo.git("worktree", "add", "-q", "-b", "other", str(other.folder))
    elif shape == "sha256":
        other.folder.mkdir()
        other.git("init", "-q", "-b", "main", "--object-format=sha256")
        other.spec(request())
        other.commit("first")
        other.git("checkout", "-q", "-b", "topic")
        other.spec(broken())
        other.commit("break")
    elif shape == "submodule":
        above = Repo(tmp_path / "above")
        above.git(
            "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "-b", "topic", url, "sub"
        )
        other.folder = above.folder / "sub"
        other.git("branch", "-q", "main", "origin/main")
    else:
        repo.git("config", "uploadpack.allowFilter", "true")
        option = "--sparse" if shape == "sparse" else "--filter=blob:none"
        repo.git("clone", "-q", option, "-b", "topic", url, str(other.folder))
        other.git("branch", "-q", "main", "origin/main")
    monkeypatch.setenv(FROM, "main")
    monkeypatch.setenv(TO, "HEAD")
    found = check(other.folder, "--hook")
    if shape == "partial":
        assert (found.code, found.err.count("\n")) == (2, 1)
        assert "this is a partial clone that lacks some texts" in found.err
    else:
        assert (found.code, "type-changed" in found.out) == (1, True), found.err


def test_a_bare_repository_has_no_index(
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.folder), str(bare))
    found = check(bare, "--hook")
    assert (found.code, "a bare repository has no index" in found.err) == (2, True)
    monkeypatch.setenv(FROM, "main")
    monkeypatch.setenv(TO, "topic")
    assert check(bare, "--hook").code == 1


@pytest.mark.parametrize("name", ["0", "000"])
def test_a_branch_whose_name_is_a_zero_is_not_a_deleted_one(
    name: str,
    repo: Repo,
    check: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo.git("branch", name, "topic")
    monkeypatch.setenv(FROM, "main")
    monkeypatch.setenv(TO, name)
    assert check(repo.folder, "--hook").code == 1


def test_a_shallow_clone_may_lack_the_best_merge_base(repo: Repo, check: Run, tmp_path: Path) -> None:
    """Without the commits after it, an older common commit looks like the merge base."""
    repo.git("checkout", "-q", "-b", "old", "main")
    older = repo.git("rev-parse", "HEAD").strip()
    repo.git("checkout", "-q", "main")
    for number in range(2):
        repo.write("notes.txt", f"main {number}")
        repo.commit(f"main {number}")
    repo.git("checkout", "-q", "-b", "change")
    repo.spec(broken())
    repo.commit("break")
    for number in range(7):
        repo.write("other.txt", str(number))
        repo.commit(f"change {number}")
    tree = repo.git("rev-parse", "HEAD^{tree}").strip()
    merge = repo.git("commit-tree", "-p", "HEAD", "-p", older, "-m", "merge", tree).strip()
    repo.git("reset", "-q", "--hard", merge)
    assert check(repo.folder, "--against", "main...").code == 1
    clone = tmp_path / "clone"
    source = f"file://{repo.folder}"
    repo.git("clone", "-q", "--depth", "4", "--no-single-branch", "-b", "change", source, str(clone))
    found = check(clone, "--against", "refs/remotes/origin/main...")
    assert (found.code, "git fetch --unshallow" in found.err) == (2, True)
