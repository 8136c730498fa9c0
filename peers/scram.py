"""SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802, RFC 7677), for clients.

As in Kafka, names and passwords are used as UTF-8 bytes, without SASLprep, and there is no channel
binding.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable

from wirebook.specs.limits import MAX_ITERATIONS, MAX_SCRAM, MIN_ITERATIONS

HASHES = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
_SHOWN = 200


class ScramError(ValueError):
    """The peer violates SCRAM, requires too much, or does not know the password.

    The text may quote up to 200 characters of the peer's: escape it before printing.
    """


async def authenticate(
    ask: Callable[[bytes], Awaitable[bytes]],
    mechanism: str,
    user: str,
    password: str,
    nonce: str = "",
) -> None:
    """Authenticate; `ask` sends a message and returns the answer.

    Raises ScramError for a malformed message, a nonce that does not extend ours, iterations below
    MIN_ITERATIONS (the password would be easy to guess) or above MAX_ITERATIONS, and a server that
    does not prove that it knows the password.
    """
    digest, own = HASHES[mechanism], nonce or base64.b64encode(secrets.token_bytes(24)).decode()
    first_bare = f"n={user.replace('=', '=3D').replace(',', '=2C')},r={own}"
    challenge = _text(await ask(f"n,,{first_bare}".encode()))
    nonce, salt, count = _attributes(challenge, "rsi")
    if not nonce.startswith(own) or nonce == own:
        raise ScramError("the server's nonce does not begin with ours: it answers another message")
    if not (count.isascii() and count.isdecimal() and len(count) < 20):
        raise ScramError(f'"{count[:_SHOWN]}" is not a number of iterations')
    if not MIN_ITERATIONS <= int(count) <= MAX_ITERATIONS:
        raise ScramError(
            f"the server requires {int(count):,} iterations; "
            f"{MIN_ITERATIONS:,} to {MAX_ITERATIONS:,} are accepted"
        )
    without_proof = f"c={base64.b64encode(b'n,,').decode()},r={nonce}"
    spoken = ",".join((first_bare, challenge, without_proof)).encode()
    salted = hashlib.pbkdf2_hmac(digest, password.encode(), _decoded(salt, "the salt"), int(count))
    client_key = hmac.digest(salted, b"Client Key", digest)
    stored_key = hashlib.new(digest, client_key).digest()
    signature = hmac.digest(stored_key, spoken, digest)
    proof = bytes(one ^ other for one, other in zip(client_key, signature, strict=True))
    final = f"{without_proof},p={base64.b64encode(proof).decode()}"
    outcome = _text(await ask(final.encode()))
    if outcome.startswith("e="):
        raise ScramError(f"the server refuses: {outcome[2:].partition(',')[0][:_SHOWN]}")
    (signed,) = _attributes(outcome, "v")
    expected = hmac.digest(hmac.digest(salted, b"Server Key", digest), spoken, digest)
    if not hmac.compare_digest(_decoded(signed, "the server's signature"), expected):
        raise ScramError("the server does not know the password: its signature is wrong")


def _text(message: bytes) -> str:
    if len(message) > MAX_SCRAM:
        raise ScramError(f"a message of {len(message):,} bytes is not a SCRAM message")
    try:
        return message.decode("utf-8")
    except UnicodeDecodeError:
        raise ScramError("the message is not text") from None


def _attributes(text: str, names: str) -> list[str]:
    """The values of a message that begins with these attributes; extensions are skipped."""
    parts = text.split(",")
    if any(part.startswith("m=") for part in parts):
        raise ScramError("the other side requires an unknown extension")
    if [part[:2] for part in parts[: len(names)]] != [f"{name}=" for name in names]:
        raise ScramError(f'this is not a SCRAM message: "{text[:_SHOWN]}"')
    return [part[2:] for part in parts[: len(names)]]


def _decoded(text: str, what: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ScramError(f"{what} is not base64") from None
