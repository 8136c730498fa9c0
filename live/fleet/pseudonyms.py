"""Names of people and programs replaced by pseudonyms, which only the holder of a key can match with them."""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache
from pathlib import Path

from wirebook.live.fleet.owners import Owners
from wirebook.live.fleet.requests import METRICS, OTHER, Request
from wirebook.specs.files import read_input
from wirebook.specs.problems import InputError

SHORTEST_KEY = 16
_DIGITS = 16


class Pseudonyms:
    """Replaces principals and client ids by HMAC-SHA256 (RFC 2104); the owner is looked up before."""

    def __init__(self, key: bytes, owners: Owners) -> None:
        self.key = key
        self.owners = owners
        self._pseudonym = lru_cache(1 << 16)(self._hashed)

    def __reduce__(self) -> tuple[type[Pseudonyms], tuple[bytes, Owners]]:
        return Pseudonyms, (self.key, self.owners)

    def __call__(self, request: Request) -> Request:
        """The request under its pseudonyms, with its owner."""
        return request._replace(
            principal=self._pseudonym("principal", request.principal),
            client_id=self._pseudonym("client", request.client_id),
            owner=self.owners.owner(request.principal, request.client_id),
        )

    def _hashed(self, kind: str, name: str) -> str:
        if not name or name in (OTHER, METRICS):
            return name
        text = f"{kind}\0{name}".encode("utf-8", "backslashreplace")
        return f"{kind}-{hmac.new(self.key, text, hashlib.sha256).hexdigest()[:_DIGITS]}"

    @property
    def fingerprint(self) -> str:
        """What tells this key from others, and reveals nothing of it."""
        return hmac.new(self.key, b"wirebook fleet", hashlib.sha256).hexdigest()[:_DIGITS]


def read_key(path: Path) -> bytes:
    """The key in a file, without space around it. Raises InputError for one that is too short; OSError."""
    key = read_input(path, 1 << 16).strip()
    if len(key) < SHORTEST_KEY:
        raise InputError(f"a pseudonymization key must have at least {SHORTEST_KEY} bytes", str(path))
    return key
