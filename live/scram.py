"""SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802, RFC 7677), for clients and servers.

As in Kafka, names and passwords are used as UTF-8 bytes, without SASLprep, and there is no channel binding.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from wirebook.specs.limits import MAX_ITERATIONS, MAX_SCRAM, MIN_ITERATIONS

HASHES = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
_NONCE_BYTES = 24


class ScramError(ValueError):
    """The peer violates SCRAM, requires too much, or does not know the password.

    The text may quote up to 200 characters of the peer's: escape it before printing.
    """


@dataclass(frozen=True)
class Credentials:
    """What a server stores instead of a password; it cannot be used to log in elsewhere."""

    salt: bytes
    iterations: int
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)

    @classmethod
    def of(
        cls, mechanism: str, password: str, salt: bytes = b"", iterations: int = MIN_ITERATIONS
    ) -> Credentials:
        """Derive the credentials from a password, with a new salt unless one is given."""
        digest = HASHES[mechanism]
        salt = salt or secrets.token_bytes(16)
        salted = hashlib.pbkdf2_hmac(digest, password.encode(), salt, iterations)
        client_key = hmac.digest(salted, b"Client Key", digest)
        stored_key = hashlib.new(digest, client_key).digest()
        return cls(salt, iterations, stored_key, hmac.digest(salted, b"Server Key", digest))


class ScramClient:
    """One authentication: send `first`, send `final` of the answer, and pass the next answer to `check`."""

    def __init__(self, mechanism: str, user: str, password: str, nonce: str = "") -> None:
        self._digest = HASHES[mechanism]
        self._password = password
        self._nonce = nonce or _new_nonce()
        self._first_bare = f"n={_escaped(user)},r={self._nonce}"
        self._server_signature = b""

    def first(self) -> bytes:
        """The first message of the client."""
        return f"n,,{self._first_bare}".encode()

    def final(self, server_first: bytes) -> bytes:
        """The second message, which proves that the client knows the password.

        Raises ScramError for a malformed message, a nonce that does not extend the client's, and iterations
        below MIN_ITERATIONS (the password would be easy to guess) or above MAX_ITERATIONS.
        """
        text = _text(server_first)
        attributes = _attributes(text, "rsi")
        nonce, salt = attributes["r"], _decoded(attributes["s"], "the salt")
        if not nonce.startswith(self._nonce) or nonce == self._nonce:
            raise ScramError(
                "the server's nonce does not begin with ours, so the answer is not to our message"
            )
        count = attributes["i"]
        if not (count.isascii() and count.isdecimal() and len(count) < 20):
            raise ScramError(f'"{_short(count)}" is not a number of iterations')
        if not MIN_ITERATIONS <= int(count) <= MAX_ITERATIONS:
            raise ScramError(
                f"the server requires {int(count):,} iterations; "
                f"{MIN_ITERATIONS:,} to {MAX_ITERATIONS:,} are accepted"
            )
        without_proof = f"c={_encoded(b'n,,')},r={nonce}"
        spoken = ",".join((self._first_bare, text, without_proof)).encode()
        salted = hashlib.pbkdf2_hmac(self._digest, self._password.encode(), salt, int(count))
        client_key = hmac.digest(salted, b"Client Key", self._digest)
        stored_key = hashlib.new(self._digest, client_key).digest()
        proof = _xor(client_key, hmac.digest(stored_key, spoken, self._digest))
        server_key = hmac.digest(salted, b"Server Key", self._digest)
        self._server_signature = hmac.digest(server_key, spoken, self._digest)
        return f"{without_proof},p={_encoded(proof)}".encode()

    def check(self, server_final: bytes) -> None:
        """Verify the server's last message, which proves that it knows the password. Raises ScramError."""
        text = _text(server_final)
        if text.startswith("e="):
            raise ScramError(f"the server refuses: {_short(text[2:].partition(',')[0])}")
        signature = _decoded(_attributes(text, "v")["v"], "the server's signature")
        if not self._server_signature or not hmac.compare_digest(signature, self._server_signature):
            raise ScramError("the server does not know the password: its signature is wrong")


class ScramServer:
    """One authentication: send the results of `first` and `final`; `user` is then the authenticated user.

    `credentials_of` returns those of a name, or None; an unknown name fails like a wrong password.
    """

    def __init__(
        self,
        mechanism: str,
        credentials_of: Callable[[str], Credentials | None],
        nonce: str = "",
    ) -> None:
        self._mechanism = mechanism
        self._credentials_of = credentials_of
        self._own_nonce = nonce or _new_nonce()
        self._name = ""
        self._header = ""
        self._nonce = ""
        self._credentials: Credentials | None = None
        self._spoken = ""
        self.user = ""

    def first(self, client_first: bytes) -> bytes:
        """Answer the client's first message. Raises ScramError if it is malformed."""
        text = _text(client_first)
        binding, _, rest = text.partition(",")
        authorized, _, bare = rest.partition(",")
        if binding not in ("n", "y") or (authorized and not authorized.startswith("a=")):
            raise ScramError(
                "the first message does not begin with n,, or y,, (there is no channel binding here)"
            )
        attributes = _attributes(bare, "nr")
        self._name = _unescaped(attributes["n"])
        if authorized and _unescaped(authorized[2:]) != self._name:
            raise ScramError("acting as another user is not supported")
        self._header = f"{binding},{authorized},"
        self._nonce = attributes["r"] + self._own_nonce
        credentials = self._credentials_of(self._name)
        # Nobody has this password: an unknown name gets as far as a known one.
        self._credentials = credentials or Credentials.of(self._mechanism, secrets.token_hex())
        salt, iterations = _encoded(self._credentials.salt), self._credentials.iterations
        answer = f"r={self._nonce},s={salt},i={iterations}"
        self._spoken = f"{bare},{answer}"
        return answer.encode()

    def final(self, client_final: bytes) -> bytes:
        """Answer the client's second message. Raises ScramError unless it proves the password."""
        text = _text(client_final)
        attributes = _attributes(text, "crp")
        if self._credentials is None:
            raise ScramError("the second message arrived first")
        binding = _decoded(attributes["c"], "the channel binding")
        if binding != self._header.encode():
            raise ScramError("the channel binding is not that of the first message")
        if attributes["r"] != self._nonce:
            raise ScramError("the nonce is not that of the first messages")
        spoken = f"{self._spoken},{text.rpartition(',p=')[0]}".encode()
        digest = HASHES[self._mechanism]
        signature = hmac.digest(self._credentials.stored_key, spoken, digest)
        proof = _decoded(attributes["p"], "the proof")
        client_key = _xor(proof, signature) if len(proof) == len(signature) else b""
        if not hmac.compare_digest(hashlib.new(digest, client_key).digest(), self._credentials.stored_key):
            raise ScramError("the name or the password is wrong")
        self.user = self._name
        return f"v={_encoded(hmac.digest(self._credentials.server_key, spoken, digest))}".encode()


def _new_nonce() -> str:
    return base64.b64encode(secrets.token_bytes(_NONCE_BYTES)).decode()


def _text(message: bytes) -> str:
    if len(message) > MAX_SCRAM:
        raise ScramError(f"a message of {len(message):,} bytes is not a SCRAM message")
    try:
        return message.decode("utf-8")
    except UnicodeDecodeError:
        raise ScramError("the message is not text") from None


def _attributes(text: str, names: str) -> dict[str, str]:
    """The values of a message that begins with these attributes in this order; extensions are skipped."""
    parts = text.split(",")
    by_name = {part[0]: part[2:] for part in parts if part[1:2] == "="}
    if "m" in by_name:
        raise ScramError("the other side requires an unknown extension")
    # The proof comes last, after the extensions; the others come first.
    leading = names.removesuffix("p")
    in_order = [part[:2] for part in parts[: len(leading)]] == [f"{name}=" for name in leading]
    if not in_order or (names != leading and not parts[-1].startswith("p=")):
        raise ScramError(f'this is not a SCRAM message: "{_short(text)}"')
    values = {part[0]: part[2:] for part in parts[: len(leading)]}
    return values if names == leading else {**values, "p": parts[-1][2:]}


def _escaped(name: str) -> str:
    return name.replace("=", "=3D").replace(",", "=2C")


def _unescaped(name: str) -> str:
    first, *rest = name.split("=")
    if not all(part.startswith(("2C", "3D")) for part in rest):
        raise ScramError("a name writes = and , as =3D and =2C")
    return first + "".join({"2C": ",", "3D": "="}[part[:2]] + part[2:] for part in rest)


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _decoded(text: str, what: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ScramError(f"{what} is not base64") from None


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(left, right, strict=True))


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"
