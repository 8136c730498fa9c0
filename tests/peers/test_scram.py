"""SCRAM: the examples of the RFCs, both sides against each other, and peers that do not keep to
it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.peers.scram_server import ScramServer
from tests.profiles import examples
from wirebook.peers import scram
from wirebook.peers.scram import ScramError, authenticate

# RFC 5802, section 5 (with SHA-1), and RFC 7677, section 3.
EXAMPLES = {
    "SCRAM-SHA-1": (
        "fyko+d2lbbFgONRv9qkxdawL",
        "3rfcNHYJY1ZVvWVs7j",
        "QSXCR+Q6sek8bf92",
        "v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
        "rmF9pqV8S7suAoZWja4dJRkFsKQ=",
    ),
    "SCRAM-SHA-256": (
        "rOprNGfwEbeRWgbNEkqO",
        "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0",
        "W22ZaJ0SNY7soEsUEjb6gQ==",
        "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
        "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
    ),
}


def spoken(
    answers: list[bytes | Callable[[bytes], bytes]],
    mechanism: str,
    user: str = "user",
    password: str = "pencil",
    nonce: str = "abc",
) -> list[bytes]:
    """What a client says to a server with these answers."""
    messages: list[bytes] = []

    async def ask(message: bytes) -> bytes:
        messages.append(message)
        answer = answers[len(messages) - 1]
        return answer if isinstance(answer, bytes) else answer(message)

    asyncio.run(authenticate(ask, mechanism, user, password, nonce))
    return messages


@pytest.mark.parametrize("mechanism", EXAMPLES)
def test_the_examples_of_the_rfcs(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scram.HASHES, "SCRAM-SHA-1", "sha1")
    ours, theirs, salt, proof, signature = EXAMPLES[mechanism]
    asked = f"r={ours}{theirs},s={salt},i=4096".encode()
    assert spoken([asked, f"v={signature}".encode()], mechanism, nonce=ours) == [
        f"n,,n=user,r={ours}".encode(),
        f"c=biws,r={ours}{theirs},p={proof}".encode(),
    ]


@examples(0.5)
@given(st.sampled_from(["SCRAM-SHA-256", "SCRAM-SHA-512"]), st.text(min_size=1), st.text())
def test_both_sides_agree_on_any_name_and_password(
    mechanism: str, user: str, password: str
) -> None:
    user, password = (text.encode("utf-8", "ignore").decode() or "x" for text in (user, password))
    server = ScramServer(mechanism, {user: password})
    assert len(spoken([server.first, server.final], mechanism, user, password, "")) == 2


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"r=abcX,s=AAAA,i=2147483648", "2,147,483,648 iterations"),
        (b"r=abcX,s=AAAA,i=" + b"9" * 400, "not a number of iterations"),
        (b"r=abcX,s=AAAA,i=1", "requires 1 iterations"),
        (b"r=abcX,s=AAAA,i=-5", "not a number of iterations"),
        ("r=abcX,s=AAAA,i=٤٠٩٦".encode(), "not a number of iterations"),
        (b"r=abc,s=AAAA,i=4096", "does not begin with ours"),
        (b"r=other,s=AAAA,i=4096", "does not begin with ours"),
        (b"r=abcX,s=*,i=4096", "the salt is not base64"),
        (b"m=new,r=abcX,s=AAAA,i=4096", "extension"),
        (b"s=AAAA,r=abcX,i=4096", "not a SCRAM message"),
        (b"", "not a SCRAM message"),
        (b"\xff", "not text"),
        (b"r=abcX," * 9999, "bytes is not a SCRAM message"),
    ],
)
def test_a_client_refuses_what_no_honest_server_says(answer: bytes, words: str) -> None:
    with pytest.raises(ScramError, match=words):
        spoken([answer], "SCRAM-SHA-512")


@pytest.mark.parametrize("answer", [b"v=AAAA", b"v=", b"e=other-error", b"x=1", b"v=%"])
def test_a_client_wants_proof_of_the_server(answer: bytes) -> None:
    with pytest.raises(ScramError):
        spoken([b"r=abcX,s=AAAA,i=4096", answer], "SCRAM-SHA-256")
