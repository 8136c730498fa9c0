"""Names a request's application and owner, and replaces names of people and programs by pseudonyms."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from wirebook.fleet.applications.owners import NOBODY, Owners
from wirebook.fleet.applications.patterns import forms_of, pattern_of
from wirebook.fleet.requests import METRICS, LoggedRequest, Origin, Row
from wirebook.specs.files import read_input
from wirebook.specs.limits import MAX_SECRET
from wirebook.specs.problems import InputError

SHORTEST_KEY = 16
_DIGITS = 16
_CACHED = 1 << 14


class Names(NamedTuple):
    """What distinguishes an application."""

    application: str
    principal: str
    owner: str


NAMELESS = Names(METRICS, "", NOBODY)
"""The names of requests that metrics count: no client, so nobody owns them, whatever the owners file says."""


class Naming:
    """From a request of a log to the row that it counts in, and its client id.

    With a key, principals, applications and client ids become their HMAC-SHA256 (RFC 2104), which only the
    holder of the key can link to them; owners and applications are looked up first.
    """

    def __init__(self, owners: Owners | None = None, key: bytes = b"") -> None:
        self.owners = owners or Owners()
        self.key = key
        self._assigned = lru_cache(_CACHED)(self._looked_up)
        self._pseudonym = lru_cache(_CACHED)(self._hashed)

    def __reduce__(self) -> tuple[type[Naming], tuple[Owners, bytes]]:
        return type(self), (self.owners, self.key)

    def __call__(self, request: LoggedRequest) -> tuple[Row, str]:
        """The row of a request, and its client id, which may be a pseudonym."""
        is_counter = request.origin is Origin.METRICS
        names = NAMELESS if is_counter else self.names(request.principal, request.client_id)
        return row_of(request, names), self.client_id(request.client_id)

    def client_id(self, client_id: str) -> str:
        """A client id, or its pseudonym."""
        return self._pseudonym("client", client_id) if self.key else client_id

    def encoded_ids(self, client_ids: Iterable[bytes]) -> Iterable[bytes]:
        """Client ids in UTF-8, or their pseudonyms."""
        if not self.key:
            return client_ids
        return (self.client_id(client_id.decode()).encode() for client_id in client_ids)

    def hidden(self, names: Names, client_id: str) -> Names:
        """Names of other tables, and one of their client ids, as they are kept: no pseudonyms yet."""
        return self._hidden(reassigned(self.owners, names, client_id))

    def _hidden(self, names: Names) -> Names:
        if not self.key:
            return names
        application = self._pseudonym("application", names.application)
        return Names(application, self._pseudonym("principal", names.principal), names.owner)

    def names(self, principal: str, client_id: str) -> Names:
        """The application, principal and owner of a client, as they are kept."""
        # Client ids may be as many as requests; applications are few.
        owner, application = self._assigned(principal, client_id) if self.owners else (NOBODY, "")
        return self._hidden(Names(application or pattern_of(client_id), principal, owner))

    def forms(self, client_ids: str) -> list[str]:
        """A form of each client id, where each is a line: those of one principal with one form have the same
        names.
        """
        return client_ids.split("\n") if self.owners else forms_of(client_ids)

    def _looked_up(self, principal: str, client_id: str) -> tuple[str, str]:
        """The owner and the application that the owners file names for a client."""
        return self.owners.owner(principal, client_id), self.owners.application(principal, client_id)

    def _hashed(self, kind: str, name: str) -> str:
        if not name or name == METRICS:
            return name
        text = f"{kind}\0{name}".encode("utf-8", "backslashreplace")
        return f"{kind}-{hmac.new(self.key, text, hashlib.sha256).hexdigest()[:_DIGITS]}"

    @property
    def fingerprint(self) -> str:
        """Identifies the key without revealing anything about it; "" without a key."""
        if not self.key:
            return ""
        return hmac.new(self.key, b"wirebook fleet", hashlib.sha256).hexdigest()[:_DIGITS]


def reassigned(owners: Owners, names: Names, client_id: str) -> Names:
    """Names of the tables as the owners file names them by one of their client ids.

    The file may have changed since: it treated all of their client ids alike.
    """
    return Names(
        owners.application(names.principal, client_id) or names.application,
        names.principal,
        owners.owner(names.principal, client_id) or names.owner,
    )


def row_of(request: LoggedRequest, names: Names) -> Row:
    """The row that a request counts in under some names."""
    values = request._asdict() | names._asdict()
    return Row(*(values[name] for name in Row._fields))


def read_key(path: Path) -> bytes:
    """Read the key from a file, without surrounding space. Raises InputError if it is too short, OSError."""
    key = read_input(path, MAX_SECRET).strip()
    if len(key) < SHORTEST_KEY:
        raise InputError(f"a pseudonymization key must have at least {SHORTEST_KEY} bytes", str(path))
    return key
