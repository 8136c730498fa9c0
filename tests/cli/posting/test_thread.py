"""The one comment of ours, on GitHub and on GitLab: never twice, and nobody else's."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.posting.apis import NUMBER, PROJECT, REPOSITORY, TOKEN, Api, Failure, serving
from tests.profiles import examples
from wirebook.cli.posting.client import ApiClient, ApiError
from wirebook.cli.posting.github import GitHub
from wirebook.cli.posting.gitlab import GitLab
from wirebook.cli.posting.thread import Outcome, Thread, keep
from wirebook.docgen.render.review.markdown import MARK

BODY = f"{MARK}\n### a report\n"
OTHER = f"{MARK}\n### an older report\n"


@pytest.fixture(params=["github", "gitlab"])
def api(request: pytest.FixtureRequest) -> Iterator[Api]:
    gitlab = request.param == "gitlab"
    with serving(Api(gitlab=gitlab, account="the-bot" if gitlab else "github-actions[bot]")) as served:
        yield served


def thread(api: Api, author: str | None = None, waits: list[float] | None = None) -> Thread:
    def sleep(seconds: float) -> None:
        if waits is not None:
            waits.append(seconds)

    headers = (GitLab if api.gitlab else GitHub).headers(TOKEN)
    client = ApiClient(api.url, headers, sleep=sleep, now=lambda: 1_000_000.0)
    if api.gitlab:
        return GitLab(client, PROJECT, NUMBER, author)
    return GitHub(client, REPOSITORY, NUMBER, author)


def edits(api: Api) -> str:
    return "PUT" if api.gitlab else "PATCH"


def test_a_comment_is_posted_edited_kept_and_removed(api: Api) -> None:
    api.comment("a question", "a-human", "User")
    assert keep(thread(api), MARK, OTHER) is Outcome.POSTED
    assert keep(thread(api), MARK, BODY) is Outcome.EDITED
    assert api.bodies == ["a question", BODY.strip()]
    before = len(api.requests)
    assert keep(thread(api), MARK, BODY) is Outcome.KEPT
    assert {method for method, _ in api.requests[before:]} == {"GET"}
    assert keep(thread(api), MARK, None) is Outcome.REMOVED
    assert keep(thread(api), MARK, None) is Outcome.NOTHING
    assert api.bodies == ["a question"]


def test_line_ends_that_the_server_changes_are_no_change(api: Api) -> None:
    api.comment(OTHER.replace("\n", "\r\n"))
    assert keep(thread(api), MARK, OTHER) is Outcome.KEPT


def test_a_line_that_would_be_a_quick_action_of_gitlab_is_no_change(api: Api) -> None:
    body = f"{MARK}\n/close is a field\n"
    assert keep(thread(api), MARK, body) is Outcome.POSTED
    assert keep(thread(api), MARK, body) is Outcome.KEPT
    assert edits(api) not in api.methods
    assert ("\n/close" in api.bodies[0]) == (not api.gitlab)


def test_the_comment_is_seen_on_any_page(api: Api) -> None:
    for number in range(250):
        api.comment(f"comment {number}", "a-human", "User")
    api.comment(OTHER)
    assert keep(thread(api), MARK, BODY) is Outcome.EDITED
    assert api.methods == ["GET", "GET", "GET", edits(api)]
    assert api.bodies.count(BODY.strip()) == 1


def test_comments_of_others_with_our_mark_stay(api: Api) -> None:
    theirs = [
        (OTHER, "a-human", "User"),
        (f"> {OTHER}", "a-human", "User"),
        (OTHER, "another[bot]", "Bot"),
        (f"A quotation: {OTHER}", api.account, "Bot"),
    ]
    for body, author, kind in theirs:
        api.comment(body, author, kind)
    assert keep(thread(api), MARK, BODY) is Outcome.POSTED
    assert keep(thread(api), MARK, None) is Outcome.REMOVED
    assert api.bodies == [body.strip() for body, _, _ in theirs]


def test_comments_without_an_author_or_a_text_are_nobodys(api: Api) -> None:
    api.comments += [{"id": 900, "body": BODY, "user": None, "author": None}, {"id": 901, "body": None}]
    assert keep(thread(api), MARK, BODY) is Outcome.POSTED
    assert len(api.comments) == 3


def test_of_several_comments_the_oldest_stays(api: Api) -> None:
    first = api.comment(OTHER)
    api.comment("words", "a-human", "User")
    api.comment(OTHER)
    api.comment(BODY)
    assert keep(thread(api), MARK, BODY) is Outcome.EDITED
    assert api.bodies == [BODY.strip(), "words"]
    assert api.comments[0]["id"] == first


@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_a_list_that_is_refused_is_an_error_and_not_an_empty_list(api: Api, status: int) -> None:
    api.failures.append(Failure("GET", status, {"message": "no\x1b[31m way"}, path=str(NUMBER)))
    with pytest.raises(ApiError, match=r"no\\u001b\[31m way") as caught:
        keep(thread(api), MARK, BODY)
    assert caught.value.status == status
    assert "POST" not in api.methods


@pytest.mark.parametrize("status", [500, 502, 503, 504, 0])
def test_a_list_that_fails_for_a_while_is_read_again(api: Api, status: int) -> None:
    api.comment(OTHER)
    api.failures += [Failure("GET", status, "<html>Bad Gateway</html>", path=str(NUMBER))] * 3
    waits: list[float] = []
    assert keep(thread(api, waits=waits), MARK, BODY) is Outcome.EDITED
    assert waits == [1, 2, 4]
    assert api.bodies == [BODY.strip()]


def test_a_list_that_keeps_failing_is_an_error(api: Api) -> None:
    api.failures += [Failure("GET", 502, path=str(NUMBER))] * 20
    with pytest.raises(ApiError, match="502 Bad Gateway"):
        keep(thread(api), MARK, BODY)
    assert api.methods == ["GET"] * 6
    assert api.bodies == []


@pytest.mark.parametrize("page", ['{"message": "hello"}', "<html>", "[1]", ""])
def test_a_page_that_is_no_list_is_an_error(api: Api, page: str) -> None:
    api.failures += [Failure("GET", 200, page, path=str(NUMBER))] * 10
    with pytest.raises(ApiError):
        keep(thread(api), MARK, BODY)
    assert "POST" not in api.methods


def test_a_second_page_that_fails_posts_nothing(api: Api) -> None:
    for _ in range(100):
        api.comment("words", "a-human", "User")
    api.comment(OTHER)
    api.failures.append(Failure("GET", 403, {"message": "no"}, path="page=2"))
    with pytest.raises(ApiError):
        keep(thread(api), MARK, BODY)
    assert api.methods == ["GET", "GET"]


@pytest.mark.parametrize("status", [502, 504, 0])
@pytest.mark.parametrize("done", [True, False])
def test_a_post_whose_answer_is_lost_leaves_one_comment(api: Api, status: int, done: bool) -> None:
    api.failures += [Failure("POST", status, done=done)]
    keep(thread(api), MARK, BODY)
    assert api.bodies == [BODY.strip()]
    assert api.methods.count("POST") == (1 if done else 2)


def test_a_post_that_keeps_failing_is_an_error(api: Api) -> None:
    api.failures += [Failure("POST", 502)] * 20
    with pytest.raises(ApiError, match="502"):
        keep(thread(api), MARK, BODY)
    assert api.bodies == []
    # Before each post is a look at what is there.
    assert api.methods[:6] == ["GET", "POST"] * 3


@pytest.mark.parametrize("status", [502, 0])
@pytest.mark.parametrize("done", [True, False])
def test_edits_and_removals_are_repeated(api: Api, status: int, done: bool) -> None:
    api.comment(OTHER)
    api.failures += [Failure(edits(api), status, done=done), Failure("DELETE", status, done=done)]
    assert keep(thread(api), MARK, BODY) is Outcome.EDITED
    assert api.bodies == [BODY.strip()]
    assert keep(thread(api), MARK, None) is Outcome.REMOVED
    assert api.bodies == []


def test_a_comment_that_is_deleted_meanwhile_is_posted_again(api: Api) -> None:
    api.comment(OTHER)
    real = api.answer

    def answer(method: str, target: str, document: object) -> tuple[int, object, dict[str, str]]:
        made = real(method, target, document)
        if method == "GET" and api.thread in target and "POST" not in api.methods:
            api.comments.clear()  # between our list and our edit
        return made

    api.answer = answer  # type: ignore[method-assign]
    assert keep(thread(api), MARK, BODY) is Outcome.POSTED
    assert api.bodies == [BODY.strip()]


@pytest.mark.parametrize("status", [403, 422])
def test_a_post_that_is_refused_is_an_error_with_the_reason(api: Api, status: int) -> None:
    api.failures.append(Failure("POST", status, {"message": "Validation Failed", "errors": ["too long"]}))
    with pytest.raises(ApiError, match="Validation Failed; too long") as caught:
        keep(thread(api), MARK, BODY)
    assert api.methods.count("POST") == 1
    assert ("needs the" in caught.value.message) == (status == 403)


def test_two_runs_at_once_leave_one_comment(api: Api) -> None:
    both = threading.Barrier(2, timeout=120)
    listed: set[int] = set()

    class Meeting(ApiClient):
        """Lists, then waits until the other run has listed too."""

        def send(self, method: str, path: str, document: object = None) -> object:
            if method == "POST" and id(self) not in listed:
                listed.add(id(self))
                both.wait()
            return super().send(method, path, document)

    def run(body: str) -> None:
        made = thread(api)
        made.client = Meeting(api.url, made.client.headers, sleep=lambda _: None)
        keep(made, MARK, body)

    runs = [threading.Thread(target=run, args=(body,)) for body in (BODY, OTHER)]
    for item in runs:
        item.start()
    for item in runs:
        item.join()
    assert api.methods.count("POST") == 2
    assert len(api.comments) == 1
    assert api.bodies[0] in (BODY.strip(), OTHER.strip())


def test_the_account_is_that_of_the_token() -> None:
    with serving(Api(account="a-machine-user", account_known=True)) as api:
        api.comment(OTHER, "github-actions[bot]")
        assert keep(thread(api), MARK, BODY) is Outcome.POSTED
        assert keep(thread(api), MARK, BODY) is Outcome.KEPT
        assert len(api.comments) == 2


def test_a_rate_limit_is_no_answer_to_whose_token_it_is() -> None:
    with serving(Api(account="a-machine-user", account_known=True)) as api:
        api.comment(OTHER)
        api.failures.append(Failure("GET", 403, headers={"Retry-After": "9999"}, path="/user"))
        with pytest.raises(ApiError, match="rate limit"):
            keep(thread(api), MARK, BODY)
        assert api.methods == []


def test_an_app_of_its_own_never_leaves_two_comments() -> None:
    with serving(Api(account="our-app[bot]")) as api:
        for body in (OTHER, BODY, BODY):
            keep(thread(api), MARK, body)
            assert api.bodies == [body.strip()]
        keep(thread(api, "our-app[bot]"), MARK, None)
        assert api.bodies == []


def test_gitlab_carries_out_no_line_of_a_report() -> None:
    with serving(Api(gitlab=True, account="the-bot")) as api:
        keep(thread(api), MARK, f"{BODY}/close\n  /Approve\n/1\na /b\n")
        assert api.bodies[0].splitlines()[2:] == ["&#47;close", "  &#47;Approve", "/1", "a /b"]


def test_gitlab_writes_notes_that_are_none_of_ours() -> None:
    with serving(Api(gitlab=True, account="the-bot")) as api:
        api.comment(BODY, system=True)
        assert keep(thread(api), MARK, BODY) is Outcome.POSTED
        assert len(api.comments) == 2


GATEWAY = (500, 502, 503, 504)
FAILURES = st.builds(
    Failure,
    method=st.sampled_from(["GET", "POST", "PATCH", "DELETE"]),
    status=st.sampled_from([0, 200, 401, 403, 404, 422, 429, 500, 502, 503, 504]),
    document=st.sampled_from([None, "<html>", {"message": "no"}, "[]x"]),
    headers=st.sampled_from([{}, {"Retry-After": "1"}, {"Retry-After": "500"}]),
    path=st.sampled_from(["", "/issues/"]),
    done=st.booleans(),
).filter(
    # A server does what it says: a success is carried out, and a refusal is not; what it does not find to
    # delete is not there.
    lambda failure: (
        (failure.done if failure.status == 200 else not failure.done or failure.status in (0, *GATEWAY))
        and (failure.method, failure.status) != ("DELETE", 404)
    )
)
RUNS = st.lists(
    st.tuples(st.sampled_from([None, BODY, OTHER, f"{MARK}\nwords"]), st.lists(FAILURES, max_size=8)),
    min_size=1,
    max_size=4,
)


@given(RUNS)
@examples(0.5)
def test_whatever_fails_there_is_at_most_one_comment(runs: list[tuple[str | None, list[Failure]]]) -> None:
    with serving(Api()) as api:
        api.comment(OTHER, "a-human", "User")
        for body, failures in runs:
            api.failures[:] = failures
            try:
                keep(thread(api), MARK, body)
            except ApiError:
                assert len(api.bodies) <= 2
            else:
                assert api.bodies[1:] == ([] if body is None else [body.strip()])
            assert api.bodies[0] == OTHER.strip()
