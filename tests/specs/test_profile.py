"""A profile: headers, exceptions, and the API that negotiates versions."""

from __future__ import annotations

import pytest

from wirebook.specs.profile import NEUTRAL, HeaderException, Headers, NegotiationApi, Profile
from wirebook.specs.versions import Versions

OWN = HeaderException("request", 7, Versions(1, 2), 9)


@pytest.mark.parametrize(
    ("kind", "key", "version", "header"),
    [
        ("request", 7, 0, 1), ("request", 7, 1, 9), ("request", 7, 2, 9), ("request", 7, 3, 1),
        ("request", 8, 1, 1), ("response", 7, 1, 0), ("request", None, 1, 1), ("data", 7, 1, None),
    ],
)  # fmt: skip
def test_an_exception_is_that_of_some_versions_of_one_side(
    kind: str, key: int | None, version: int, header: int | None
) -> None:
    headers = Headers(exceptions=(OWN._replace(api_key=6), OWN))
    assert headers.version_of(kind, key, version, False) == header
    assert headers.exceptions_of("request", 7) == (OWN,)
    assert headers.exceptions_of("response", 7) == ()


def test_one_api_negotiates() -> None:
    profile = Profile(negotiation=NegotiationApi("Hello", 0))
    assert profile.negotiates("request", 0)
    assert profile.negotiates("response", 0)
    assert not profile.negotiates("data", 0)
    assert not profile.negotiates("request", 1)
    assert not profile.negotiates("request", None)


def test_a_neutral_protocol_is_framed_and_headed_as_kafkas() -> None:
    assert (NEUTRAL.frame_length, NEUTRAL.headers.request, NEUTRAL.headers.response) == (4, (1, 2), (0, 1))
    for kind, versions in (("request", (1, 2)), ("response", (0, 1)), ("data", (None, None))):
        found = tuple(NEUTRAL.headers.version_of(kind, 18, 0, flexible) for flexible in (False, True))
        assert found == versions
    assert (NEUTRAL.client, NEUTRAL.server, NEUTRAL.family) == ("client", "server", "")
