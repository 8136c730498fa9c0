"""The HTTP client: rate limits, patience, redirects, and where the token is sent."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import pytest

from tests.cli.posting.apis import TOKEN, Api, Failure, serving
from wirebook.cli.posting.client import ApiClient, ApiError, UnknownOutcomeError
from wirebook.cli.posting.github import GitHub
from wirebook.specs.problems import InputError

NOW = 1_000_000.0


@pytest.fixture
def api() -> Iterator[Api]:
    with serving(Api()) as served:
        yield served


def client(api: Api, waits: list[float], patience: float = 120) -> ApiClient:
    return ApiClient(api.url, GitHub.headers(TOKEN), patience, sleep=waits.append, now=lambda: NOW)


@pytest.mark.parametrize(
    ("status", "headers", "document", "wait"),
    [
        (403, {"Retry-After": "7"}, None, 7),
        (429, {"Retry-After": "7"}, None, 7),
        (429, {"Retry-After": formatdate(NOW + 9, usegmt=True)}, None, 9),
        (429, {"Retry-After": formatdate(NOW - 9, usegmt=True)}, None, 0),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000030"}, None, 31),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "999000"}, None, 1),
        (429, {"RateLimit-Remaining": "0", "RateLimit-Reset": "1000030"}, None, 31),
        (429, {}, None, 60),
        (403, {}, {"message": "You have exceeded a secondary rate limit."}, 60),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_rate_limit_is_waited_for(
    api: Api, status: int, headers: dict[str, str], document: Any, wait: float, method: str
) -> None:
    api.failures.append(Failure(method, status, document, headers))
    waits: list[float] = []
    made = client(api, waits).send(method, api.thread, {"body": "x"} if method == "POST" else None)
    assert waits == [wait]
    assert len(api.requests) == 2
    assert (api.bodies, bool(made)) == ((["x"], True) if method == "POST" else ([], False))


def test_a_server_that_names_when_it_is_back_is_waited_for(api: Api) -> None:
    api.failures.append(Failure("GET", 503, headers={"Retry-After": "7"}))
    waits: list[float] = []
    assert client(api, waits).send("GET", api.thread) == []
    assert waits == [7]
    # It may have carried a post out before it went down.
    api.failures.append(Failure("POST", 503, headers={"Retry-After": "7"}, done=True))
    with pytest.raises(UnknownOutcomeError):
        client(api, waits).send("POST", api.thread, {"body": "x"})
    assert (waits, api.bodies) == ([7], ["x"])


def test_a_rate_limit_that_ends_too_late_is_an_error(api: Api) -> None:
    api.failures.append(Failure("GET", 403, headers={"Retry-After": "3600"}))
    waits: list[float] = []
    with pytest.raises(ApiError, match="the rate limit ends in 3600 s"):
        client(api, waits).send("GET", api.thread)
    assert (waits, len(api.requests)) == ([], 1)


def test_all_waits_share_one_patience(api: Api) -> None:
    api.failures += [Failure("GET", 429, headers={"Retry-After": "40"})] * 3
    waits: list[float] = []
    with pytest.raises(ApiError, match="429"):
        client(api, waits, patience=100).send("GET", api.thread)
    assert waits == [40, 40]


@pytest.mark.parametrize("headers", [{}, {"X-RateLimit-Remaining": "12", "X-RateLimit-Reset": "1000030"}])
def test_another_refusal_is_not_waited_for(api: Api, headers: dict[str, str]) -> None:
    api.failures.append(Failure("GET", 403, {"message": "Forbidden"}, headers))
    waits: list[float] = []
    with pytest.raises(ApiError, match="403 Forbidden: Forbidden"):
        client(api, waits).send("GET", api.thread)
    assert waits == []


def test_a_post_is_never_repeated_blindly(api: Api) -> None:
    api.failures.append(Failure("POST", 200, "<html>", done=True))
    with pytest.raises(UnknownOutcomeError):
        client(api, []).send("POST", api.thread, {"body": "x"})
    assert api.bodies == ["x"]


def test_no_server_is_an_error_after_retries() -> None:
    with serving(Api()) as api:
        pass
    waits: list[float] = []
    with pytest.raises(ApiError, match="refused"):
        client(api, waits).send("GET", api.thread)
    assert waits == [1, 2, 4, 8, 16]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
def test_the_token_follows_no_redirect_to_another_server(api: Api, status: int, method: str) -> None:
    with serving(Api()) as other:
        api.failures.append(Failure(method, status, headers={"Location": f"{other.url}{other.thread}"}))
        with pytest.raises(ApiError, match=str(status)):
            client(api, []).send(method, api.thread, None if method == "GET" else {"body": "x"})
        assert other.requests == []


def test_a_list_that_moved_on_the_same_server_is_read(api: Api) -> None:
    api.comment("here")
    api.failures.append(Failure("GET", 301, headers={"Location": f"{api.url}{api.thread}?per_page=9"}))
    assert [item["body"] for item in client(api, []).listed("/repositories/1/comments")] == ["here"]


def test_a_post_that_moved_is_an_error_and_no_get(api: Api) -> None:
    api.failures.append(Failure("POST", 301, headers={"Location": f"{api.url}{api.thread}"}))
    with pytest.raises(ApiError, match="301"):
        client(api, []).send("POST", api.thread, {"body": "x"})
    assert [method for method, _ in api.requests] == ["POST"]


def test_pages_of_another_server_are_not_read(api: Api) -> None:
    with serving(Api()) as other:
        link = {"Link": f'<{other.url}{other.thread}>; rel="next"'}
        api.failures.append(Failure("GET", 200, [], link))
        with pytest.raises(ApiError, match="another server"):
            list(client(api, []).listed(api.thread))
        assert other.requests == []


def test_pages_in_a_circle_end(api: Api) -> None:
    api.failures += [Failure("GET", 200, [], {"Link": f'<{api.url}{api.thread}>; rel="next"'})] * 5
    with pytest.raises(ApiError, match="no end"):
        list(client(api, []).listed(api.thread))
    assert len(api.requests) == 1


@pytest.mark.parametrize(
    "base",
    ["http://github.example", "ftp://127.0.0.1", "127.0.0.1", "https://", "https://user@github.example", ""],
)
def test_a_token_is_sent_by_tls_or_to_this_machine(base: str) -> None:
    with pytest.raises(InputError):
        ApiClient(base, {})


def test_a_reason_is_one_harmless_line(api: Api) -> None:
    api.failures.append(Failure("GET", 422, {"message": "a\n::error::b\u202ec" + "d" * 999}))
    with pytest.raises(ApiError) as caught:
        client(api, []).send("GET", api.thread)
    assert "a ::error::b\\u202ec" in caught.value.message
    assert len(caught.value.message) < 500


@pytest.mark.parametrize("errors", [7, "a", {"base": ["b"]}, [7, None, {"code": "c"}]])
def test_a_refusal_of_any_form_is_an_error_of_the_api(api: Api, errors: object) -> None:
    api.failures.append(Failure("GET", 422, {"message": "no", "errors": errors}))
    with pytest.raises(ApiError, match=r"422 .*: no"):
        client(api, []).send("GET", api.thread)


def test_the_token_is_not_in_what_a_traceback_may_show() -> None:
    assert "secret" not in repr(ApiClient("https://api.invalid", {"Authorization": "Bearer secret"}))
