"""What a survey reports of small repositories, in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.docgen.survey import plain
from tests.docgen.survey.forks import Truth
from tests.docgen.survey.plain import NAMES, dated, released, specs, survey, upstream
from tests.profiles import examples
from tests.repositories import Repo
from wirebook.docgen.pipeline.commits import read_history
from wirebook.docgen.survey.reading import BRANCH, TIP, read_repository
from wirebook.docgen.survey.records import CellRecord, RepositoryRecord, SurveySummary
from wirebook.docgen.survey.repositories import Given, in_order, parse_given
from wirebook.specs.problems import InputError

# What would change the output of `git log`.
SETTINGS = """
[log]
    showRoot = false
    diffMerges = off
[diff]
    relative = true
    renames = copies
[color]
    ui = always
"""


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The upstream."""
    return upstream(tmp_path_factory.mktemp("survey") / "up")


@pytest.fixture(scope="module")
def forks(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> list[Truth]:
    """Five forks of it."""
    return plain.forks(tmp_path_factory.mktemp("forks"), 5, repo)


@pytest.fixture(scope="module")
def found(repo: Repo, forks: list[Truth]) -> SurveySummary:
    """The survey of all."""
    return survey([Given("up", str(repo.folder)), *plain.given(forks)])


def repository(found: SurveySummary, name: str) -> RepositoryRecord:
    """One repository of a survey."""
    return next(each for each in found.repositories if each.name == name)


def cell(found: SurveySummary, subject: str, name: str) -> CellRecord:
    """What a repository has of an API."""
    api = next(each for each in found.apis if each.subject == subject)
    return next(each for each in api.repositories if each.repository == name)


def fork_of(repo: Repo, folder: Path) -> Repo:
    """A clone to edit."""
    repo.git("clone", "-q", str(repo.folder), str(folder))
    made = Repo.__new__(Repo)
    made.folder = folder
    return made


def test_the_truth_of_the_forks_is_what_is_found(found: SurveySummary, forks: list[Truth]) -> None:
    assert len(forks) == 5
    for truth in forks:
        each = repository(found, truth.name)
        counts = each.layouts
        status = (counts.same, counts.earlier, counts.other, counts.own, counts.missing)
        assert status == (truth.same, 0, truth.other, truth.own, truth.missing), truth
        assert (each.difference.differing, each.nearest) == (truth.differing, ("1.2.0",)), truth
        assert each.problems == truth.broken, truth
        taken = [row for row in found.taken_over if row.repository == truth.name]
        assert {row.release for row in taken} == {"1.0.0", "1.1.0", "1.2.0"}
        assert {row.days for row in taken if row.taken} == {truth.days}, truth


def test_two_apis_of_one_key_collide(found: SurveySummary, forks: list[Truth]) -> None:
    assert [collision.api_key for collision in found.collisions.keys] == [9001]
    meanings = {each.meaning: each.repositories for each in found.collisions.keys[0].meanings}
    assert meanings == {"Made2": ("fork-002",), "Made3": ("fork-003",)}
    assert not [each for each in found.collisions.versions if each.message.startswith("Made")]


def test_a_copy_drifts_by_nothing(found: SurveySummary, forks: list[Truth]) -> None:
    copy = [each for each in found.drift if each.repository == forks[0].name]
    same = [each for each in found.drift if each.repository == "up"]
    assert len(copy) == len(same) == 4
    assert {each.difference.differing for each in copy if each.point.kind != TIP} == {0}
    assert [each.difference for each in copy] == [each.difference for each in same]


def test_the_order_of_repositories_does_not_matter(
    repo: Repo, forks: list[Truth], found: SurveySummary
) -> None:
    names = [Given("up", str(repo.folder)), *plain.given(forks)]
    assert survey(in_order(names[::-1], "up")) == found
    assert in_order(names[::-1], None)[0].name == "fork-004"


@examples(0.1, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_byte_is_found(
    repo: Repo, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(NAMES) - 1))
    kind = data.draw(st.sampled_from(["Request", "Response"]))
    version = data.draw(st.integers(0, 2))
    spec = next(each for each in specs(number, NAMES[number], 2) if each["name"].endswith(kind))
    spec["validVersions"] = f"0-{1 + (5 + number) // 3}"
    spec["fields"] = [*spec["fields"], {"name": "More", "type": "int8", "versions": f"{version}-{version}"}]
    fork = fork_of(repo, tmp_path_factory.mktemp("fork") / "fork")
    fork.spec(spec)
    dated(fork, "one byte more", 60)
    released(fork, "1.2.1", 61)
    made = survey([Given("up", str(repo.folder)), Given("fork", str(fork.folder))])
    each = repository(made, "fork")
    assert (each.layouts.other, each.layouts.own, each.difference.differing) == (1, 0, 1)
    assert cell(made, f"api:{number}", "fork").other == str(version)
    collision = made.collisions.versions
    assert [(item.message, item.version) for item in collision] == [(spec["name"], version)]


def test_a_tag_with_two_meanings_collides(repo: Repo, tmp_path: Path) -> None:
    made = []
    for name, kind in (("one", "string"), ("two", "int32")):
        fork = fork_of(repo, tmp_path / name)
        spec = specs(1, "Fetch", 3)[0]
        tag = {"name": f"Of{name.title()}", "type": kind, "tag": 1, "versions": "1+", "taggedVersions": "1+"}
        spec["validVersions"] = "0-3"
        spec["fields"] = [*spec["fields"], tag]
        fork.spec(spec)
        dated(fork, "a tag", 60)
        made.append(Given(name, str(fork.folder), "main"))
    found = survey([Given("up", str(repo.folder)), *made])
    (collision,) = found.collisions.tags
    assert (collision.message, collision.within, collision.tag) == ("FetchRequest", "", 1)
    assert {each.meaning for each in collision.meanings} == {"OfOne: string", "OfTwo: int32"}


def test_the_spelling_of_a_library_is_no_collision(repo: Repo, tmp_path: Path) -> None:
    made = []
    for name, api, field in (("one", "FetchAcls", "BrokerId"), ("two", "FetchACLs", "BrokerID")):
        fork = fork_of(repo, tmp_path / name)
        spec = specs(1, "Fetch", 3)[0]
        of_struct = f"{api}Request{name.title()}"
        inner = [{"name": "Of", "type": "int8" if name == "one" else "int16", "versions": "1+"}]
        tags = {"taggedVersions": "1+", "versions": "1+"}
        spec |= {"name": f"{api}Request", "validVersions": "0-3"}
        spec["fields"] = [
            *spec["fields"],
            {"name": field, "type": "int32", "tag": 1, **tags},
            {"name": "Brokers", "type": f"[]{of_struct}", "tag": 2, **tags, "fields": inner},
        ]
        for path in sorted(fork.folder.rglob("Fetch*.json")):
            path.unlink()
        fork.spec(spec)
        dated(fork, "a tag", 60)
        made.append(Given(name, str(fork.folder), "main"))
    found = survey(made).collisions
    assert (found.keys, found.tags) == ((), ())
    assert {each.message.casefold() for each in found.versions} == {"fetchaclsrequest"}


def test_a_renamed_api_is_no_collision(repo: Repo, tmp_path: Path) -> None:
    fork = fork_of(repo, tmp_path / "fork")
    for path in sorted(fork.folder.rglob("Fetch*.json")):
        path.write_text(path.read_text().replace('"Fetch', '"Take'))
        path.rename(path.with_name(path.name.replace("Fetch", "Take")))
    dated(fork, "rename", 60)
    released(fork, "1.3.0", 61)
    found = survey([Given("up", str(repo.folder)), Given("fork", str(fork.folder))])
    assert found.collisions.keys == ()
    assert (cell(found, "api:1", "fork").name, repository(found, "fork").difference.differing) == ("Take", 0)


def test_a_message_twice_and_a_broken_one_are_counted(repo: Repo, tmp_path: Path) -> None:
    fork = fork_of(repo, tmp_path / "fork")
    fork.spec(specs(1, "Fetch", 9)[0], "other/message")
    fork.write("other/message/BadRequest.json", '{"name": "<b>')
    dated(fork, "bad specs", 60)
    found = survey([Given("up", str(repo.folder)), Given("fork", str(fork.folder), "main")])
    each = repository(found, "fork")
    problems = {problem.path: problem.problem for problem in each.sample_of_problems}
    assert each.problems == 2
    assert "is about the same message" in problems["other/message/FetchRequest.json"]
    assert "BadRequest.json:1" in problems["other/message/BadRequest.json"]
    assert each.layouts.other == 0


def test_a_release_before_the_first_spec_is_not_compared(tmp_path: Path) -> None:
    made = Repo(tmp_path / "made")
    made.write("README", "x")
    dated(made, "nothing yet", 0)
    released(made, "0.9.0", 1)
    for number, high in enumerate((1, 2)):
        for spec in specs(1, "Fetch", high):
            made.spec(spec)
        dated(made, "specs", 10 + number)
        released(made, f"1.{number}.0", 20 + number)
    found = survey([Given("made", str(made.folder))])
    assert [(each.point.name, each.nearest) for each in found.drift] == [
        ("1.0.0", ("1.0.0",)),
        ("1.1.0", ("1.1.0",)),
        ("HEAD", ("1.1.0",)),
    ]
    assert repository(found, "made").points == 4


def test_branches_are_states_where_no_tag_matches(repo: Repo, tmp_path: Path) -> None:
    fork = fork_of(repo, tmp_path / "fork")
    fork.git("checkout", "-q", "-b", "2.4-li", "1.0.0")
    history = read_repository(Given("fork", str(fork.folder), "2.4-*"))
    assert [(point.kind, point.name) for point in history.points] == [(BRANCH, "2.4-li")]
    assert history.commits == 2
    assert history.newest.name == "2.4-li"


def test_a_commit_of_a_merge_is_the_first_with_what_it_brings(tmp_path: Path) -> None:
    made = Repo(tmp_path / "made")
    made.spec(specs(1, "Fetch", 1)[0])
    dated(made, "first", 0)
    made.git("checkout", "-q", "-b", "side")
    made.spec(specs(1, "Fetch", 2)[0])
    dated(made, "side", 10)
    made.git("checkout", "-q", "main")
    made.write("README", "x")
    dated(made, "main", 20)
    when = f"{1_577_880_000 + 30 * plain.DAY} +0000"
    made.git("merge", "-q", "--no-ff", "-m", "merge", "side", GIT_COMMITTER_DATE=when)
    made.write(".git/config", (made.folder / ".git" / "config").read_text() + SETTINGS)
    history = read_repository(Given("made", str(made.folder / "clients")))
    assert sorted(commit.day for commit in history.since if commit) == ["2020-01-01", "2020-01-31"]
    assert history.commits == 3


def test_days_are_those_of_utc_here_and_in_an_audit(tmp_path: Path) -> None:
    made = Repo(tmp_path / "made")
    made.spec(specs(1, "Fetch", 1)[0])
    # Where the committers are, the days are 2020-01-02 and 2020-01-01.
    first, later = f"{1_577_880_000} +1300", f"{1_577_880_000 + 14 * 3600} -1100"
    made.git("add", "-A")
    made.git("commit", "-q", "-m", "first", GIT_COMMITTER_DATE=first)
    made.git("tag", "-a", "-m", "x", "1.0.0", GIT_COMMITTER_DATE=first)
    made.git("tag", "-a", "-m", "x", "1.1.0", GIT_COMMITTER_DATE=later)
    history = read_repository(Given("made", str(made.folder)))
    days = {point.name: point.day for point in history.points}
    assert days == {"1.0.0": "2020-01-01", "1.1.0": "2020-01-02", "HEAD": "2020-01-01"}
    assert {commit.day for commit in history.since if commit} == {"2020-01-01"}
    steps = read_history(str(made.folder), "*").steps
    assert [(step.kind, step.date) for step in steps] == [
        ("commit", "2020-01-01"),
        ("release", "2020-01-01"),
        ("release", "2020-01-02"),
    ]


@pytest.mark.parametrize(
    ("text", "name", "pattern"),
    [
        ("kafka.git", "kafka", None),
        ("a=b/c", "a", None),
        ("a=b/c@v*", "a", "v*"),
        ("b/c.bundle@[0-9]*", "c", "[0-9]*"),
        ("x@y@2.*", "x@y", "2.*"),
    ],
)
def test_how_a_repository_is_named(text: str, name: str, pattern: str | None) -> None:
    given = parse_given(text)
    assert (given.name, given.pattern) == (name, pattern)


def test_a_path_that_exists_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a=b@c").mkdir()
    given = parse_given(str(tmp_path / "a=b@c"))
    assert (given.name, given.pattern, given.path) == ("a=b@c", None, str(tmp_path / "a=b@c"))


@pytest.mark.parametrize("text", ["", "=x", "a=", "a=b@", "@v*"])
def test_half_a_name_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="write PATH or NAME=PATH"):
        parse_given(text)


def test_names_must_differ_and_the_reference_be_one() -> None:
    two: list[Any] = [Given("a", "x"), Given("a", "y")]
    with pytest.raises(InputError, match='two repositories are called "a"; name them: NAME=PATH'):
        in_order(two, None)
    with pytest.raises(InputError, match='no repository is called "b"; there are a'):
        in_order(two[:1], "b")


def test_what_is_no_whole_repository_is_refused(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="not a git repository"):
        read_repository(Given("x", str(tmp_path / "empty")))
    with pytest.raises(InputError, match="there is no such repository"):
        read_repository(Given("x", str(tmp_path / "nowhere")))
    Repo(tmp_path / "unborn")
    with pytest.raises(InputError, match="it has no commit yet"):
        read_repository(Given("x", str(tmp_path / "unborn")))
    repo.git("clone", "-q", "--depth=1", f"file://{repo.folder}", str(tmp_path / "shallow"))
    with pytest.raises(InputError, match="shallow clone"):
        read_repository(Given("x", str(tmp_path / "shallow")))
    with pytest.raises(InputError, match=r'no tag that names a release and no branch matches "9\.\*"'):
        read_repository(Given("x", str(repo.folder), "9.*"))
    repo.git("-c", "uploadpack.allowFilter=true", "config", "uploadpack.allowFilter", "true")
    for kind in ("blob:none", "tree:0"):
        part = tmp_path / kind.replace(":", "-")
        repo.git("clone", "-q", "--bare", f"--filter={kind}", f"file://{repo.folder}", str(part))
        before = sorted(part.rglob("*"))
        with pytest.raises(InputError, match="partial clone that lacks some texts"):
            read_repository(Given("x", str(part)))
        assert sorted(part.rglob("*")) == before
