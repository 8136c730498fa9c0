"""SCRAM: the examples of the RFCs, both sides against each other, and peers that do not keep to
it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.peers.scram_server import ScramServer
from tests.profiles import examples
from wirebook.peers import scram
from wirebook.peers.scram import ScramClient, ScramError

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


@pytest.mark.parametrize("mechanism", EXAMPLES)
def test_the_examples_of_the_rfcs(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scram.HASHES, "SCRAM-SHA-1", "sha1")
    ours, theirs, salt, proof, signature = EXAMPLES[mechanism]
    client = ScramClient(mechanism, "user", "pencil", ours)
    assert client.first() == f"n,,n=user,r={ours}".encode()
    asked = f"r={ours}{theirs},s={salt},i=4096".encode()
    assert client.final(asked) == f"c=biws,r={ours}{theirs},p={proof}".encode()
    client.check(f"v={signature}".encode())


@examples(0.5)
@given(st.sampled_from(["SCRAM-SHA-256", "SCRAM-SHA-512"]), st.text(min_size=1), st.text())
def test_both_sides_agree_on_any_name_and_password(
    mechanism: str, user: str, password: str
) -> None:
    user, password = (text.encode("utf-8", "ignore").decode() or "x" for text in (user, password))
    server, client = (
        ScramServer(mechanism, {user: password}),
        ScramClient(mechanism, user, password),
    )
    client.check(server.final(client.final(server.first(client.first()))))


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
        ScramClient("SCRAM-SHA-512", "user", "pencil", "abc").final(answer)


@pytest.mark.parametrize("answer", [b"v=AAAA", b"v=", b"e=other-error", b"x=1", b"v=%"])
def test_a_client_wants_proof_of_the_server(answer: bytes) -> None:
    client = ScramClient("SCRAM-SHA-256", "user", "pencil", "abc")
    with pytest.raises(ScramError):
        client.check(b"v=")
    client.final(b"r=abcX,s=AAAA,i=4096")
    with pytest.raises(ScramError):
        client.check(answer)


def test_no_secret_is_shown() -> None:
    assert "pencil" not in repr(ScramClient("SCRAM-SHA-256", "user", "pencil"))
