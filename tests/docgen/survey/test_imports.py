"""A survey of repositories whose specs share structs: a spec is another text where its structs are others."""

from __future__ import annotations

from pathlib import Path

from tests.docgen.survey.plain import dated, judged, released, survey
from tests.repositories import Repo
from tests.shared_structs import COMMON, ENDPOINT, changed, join, ping, structs
from wirebook.docgen.survey.imports import blob_of, read_with_imports
from wirebook.docgen.survey.repositories import Given
from wirebook.docgen.survey.states import layouts_of


def repository(folder: Path) -> Repo:
    """Two releases; the second one changes only the shared struct."""
    repo = Repo(folder)
    repo.write("profile.toml", "[headers]\nrequest = [1, 2]\n")
    repo.write(COMMON, structs(*ENDPOINT))
    for spec in (join("request"), join("response"), ping("request"), ping("response")):
        repo.spec(spec, "messages")
    dated(repo, "one", 1)
    released(repo, "1.0.0", 1)
    repo.write(COMMON, changed(type="int64"))
    dated(repo, "two", 2)
    released(repo, "1.1.0", 2)
    return repo


def test_a_spec_is_another_text_where_a_struct_differs(tmp_path: Path) -> None:
    repo = repository(tmp_path / "up")
    history = read_with_imports(Given("up", str(repo.folder)))
    first = dict(zip(history.files, history.since, strict=True))
    old, new, tip = [
        {history.files[number].path: history.files[number] for number in point.files}
        for point in history.points
    ]
    assert new == tip
    differing = [path for path, file in new.items() if file != old[path]]
    assert differing == [COMMON, "messages/JoinRequest.json", "messages/JoinResponse.json"]
    for path in differing[1:]:
        assert blob_of(new[path].object) == blob_of(old[path].object)
        days = [commit.day for commit in (first[old[path]], first[new[path]]) if commit is not None]
        assert days == ["2020-01-02", "2020-01-03"]


def test_forks_are_compared_by_what_their_specs_import(tmp_path: Path) -> None:
    up, fork = (repository(tmp_path / name) for name in ("up", "fork"))
    given = [Given(repo.folder.name, str(repo.folder)) for repo in (up, fork)]
    _, own = survey(given).repositories
    assert (own.problems, own.layouts.same, own.layouts.other) == (0, 8, 0)
    fork.write(COMMON, changed(type="uuid"))
    dated(fork, "three", 3)
    released(fork, "1.2.0", 3)
    _, own = survey(given).repositories
    assert (own.problems, own.layouts.same, own.layouts.other) == (0, 4, 4)


def test_what_is_missing_is_a_problem_with_its_reason(tmp_path: Path) -> None:
    repo = repository(tmp_path / "up")
    (repo.folder / COMMON).unlink()
    dated(repo, "three", 3)
    released(repo, "1.2.0", 3)
    given = Given("up", str(repo.folder))
    history = read_with_imports(given)
    problems = layouts_of(history, judged([given], [history])).problems
    assert [each.path for each in problems] == ["messages/JoinRequest.json", "messages/JoinResponse.json"]
    assert all(each.problem.endswith('there is no file of structs "Common.json" here') for each in problems)
    assert {len(each.object) for each in problems} == {40}
