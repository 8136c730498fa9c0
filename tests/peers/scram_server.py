"""The server's side of SCRAM (RFC 5802), for the broker of the tests."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping

from wirebook.peers.scram import HASHES

ITERATIONS = 4096


class RefusedError(Exception):
    """The name or the password is wrong."""


class ScramServer:
    """One authentication: send the results of `first` and `final`."""

    def __init__(self, mechanism: str, users: Mapping[str, str]) -> None:
        self.digest = HASHES[mechanism]
        self.users = users
        self.name = self.spoken = ""

    def first(self, client_first: bytes) -> bytes:
        """Answer the client's first message."""
        bare = client_first.decode().removeprefix("n,,")
        name, _, nonce = bare.removeprefix("n=").partition(",r=")
        self.name = name.replace("=2C", ",").replace("=3D", "=")
        answer = f"r={nonce}server,s={base64.b64encode(b'salt').decode()},i={ITERATIONS}"
        self.spoken = f"{bare},{answer}"
        return answer.encode()

    def final(self, client_final: bytes) -> bytes:
        """Answer the client's second message. Raises RefusedError unless it proves the password."""
        without_proof, _, proof = client_final.decode().partition(",p=")
        spoken = f"{self.spoken},{without_proof}".encode()
        password = self.users.get(self.name)
        salted = hashlib.pbkdf2_hmac(self.digest, (password or "").encode(), b"salt", ITERATIONS)
        key = hmac.digest(salted, b"Client Key", self.digest)
        signature = hmac.digest(hashlib.new(self.digest, key).digest(), spoken, self.digest)
        proved = bytes(one ^ other for one, other in zip(key, signature, strict=True))
        if password is None or proved != base64.b64decode(proof):
            raise RefusedError("the name or the password is wrong")
        server = hmac.digest(salted, b"Server Key", self.digest)
        return b"v=" + base64.b64encode(hmac.digest(server, spoken, self.digest))
