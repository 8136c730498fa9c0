"""Replaces names of people and programs by pseudonyms, which only the holder of the key can link to them."""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache
from pathlib import Path

from wirebook.live.fleet.owners import Owners
from wirebook.live.fleet.requests import METRICS, OTHER, LoggedRequest
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_SECRET
from wirebook.specs.problems import InputError

SHORTEST_KEY = 16
_DIGITS = 16


class Pseudonyms:
    """Replaces principals and client ids by HMAC-SHA256 (RFC 2104); owners are looked up first."""

    def __init__(self, key: bytes, owners: Owners) -> None:
        self.key = key
        self.owners = owners
        self._pseudonym = lru_cache(1 << 16)(self._hashed)

    def __reduce__(self) -> tuple[type[Pseudonyms], tuple[bytes, Owners]]:
        return Pseudonyms, (self.key, self.owners)

    def __call__(self, request: LoggedRequest) -> LoggedRequest:
        """Return the request under its pseudonyms, with its owner."""
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
        """Identifies the key without revealing anything about it."""
        return hmac.new(self.key, b"wirebook fleet", hashlib.sha256).hexdigest()[:_DIGITS]


def read_key(path: Path) -> bytes:
    """Read the key from a file, without surrounding space. Raises InputError if it is too short, OSError."""
    key = read_input(path, MAX_SECRET).strip()
    if len(key) < SHORTEST_KEY:
        raise InputError(f"a pseudonymization key must have at least {SHORTEST_KEY} bytes", str(path))
    return key
