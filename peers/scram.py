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

from wirebook.specs.limits import MAX_ITERATIONS, MAX_SCRAM, MIN_ITERATIONS

HASHES = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
_SHOWN = 200


class ScramError(ValueError):
    """The peer violates SCRAM, requires too much, or does not know the password.

    The text may quote up to 200 characters of the peer's: escape it before printing.
    """


class ScramClient:
    """One authentication: send `first`, send `final` of the answer, and `check` the next one."""

    def __init__(self, mechanism: str, user: str, password: str, nonce: str = "") -> None:
        self._digest = HASHES[mechanism]
        self._password = password
        self._nonce = nonce or base64.b64encode(secrets.token_bytes(24)).decode()
        self._first_bare = f"n={user.replace('=', '=3D').replace(',', '=2C')},r={self._nonce}"
        self._server_signature = b""

    def first(self) -> bytes:
        """The first message of the client."""
        return f"n,,{self._first_bare}".encode()

    def final(self, server_first: bytes) -> bytes:
        """The second message, which proves that the client knows the password.

        Raises ScramError for a malformed message, a nonce that does not extend the client's, and
        iterations below MIN_ITERATIONS (the password would be easy to guess) or above
        MAX_ITERATIONS.
        """
        text = _text(server_first)
        nonce, salt, count = _attributes(text, "rsi")
        if not nonce.startswith(self._nonce) or nonce == self._nonce:
            raise ScramError(
                "the server's nonce does not begin with ours: it answers another message"
            )
        if not (count.isascii() and count.isdecimal() and len(count) < 20):
            raise ScramError(f'"{count[:_SHOWN]}" is not a number of iterations')
        if not MIN_ITERATIONS <= int(count) <= MAX_ITERATIONS:
            raise ScramError(
                f"the server requires {int(count):,} iterations; "
                f"{MIN_ITERATIONS:,} to {MAX_ITERATIONS:,} are accepted"
            )
        without_proof = f"c={base64.b64encode(b'n,,').decode()},r={nonce}"
        spoken = ",".join((self._first_bare, text, without_proof)).encode()
        salted = hashlib.pbkdf2_hmac(
            self._digest, self._password.encode(), _decoded(salt, "the salt"), int(count)
        )
        client_key = hmac.digest(salted, b"Client Key", self._digest)
        stored_key = hashlib.new(self._digest, client_key).digest()
        signature = hmac.digest(stored_key, spoken, self._digest)
        proof = bytes(one ^ other for one, other in zip(client_key, signature, strict=True))
        server_key = hmac.digest(salted, b"Server Key", self._digest)
        self._server_signature = hmac.digest(server_key, spoken, self._digest)
        return f"{without_proof},p={base64.b64encode(proof).decode()}".encode()

    def check(self, server_final: bytes) -> None:
        """Verify the server's last message: it knows the password. Raises ScramError."""
        text = _text(server_final)
        if text.startswith("e="):
            raise ScramError(f"the server refuses: {text[2:].partition(',')[0][:_SHOWN]}")
        (signature,) = _attributes(text, "v")
        given = _decoded(signature, "the server's signature")
        if not self._server_signature or not hmac.compare_digest(given, self._server_signature):
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
