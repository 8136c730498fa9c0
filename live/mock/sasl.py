"""The server side of SASL in a mock broker: its users, and one conversation in PLAIN or SCRAM."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from wirebook.live.scram import HASHES, Credentials, ScramError, ScramServer
from wirebook.specs.limits import MAX_USERS
from wirebook.specs.problems import InputError, Position

MECHANISMS = ("PLAIN", *HASHES)


class Users:
    """The known users with their passwords, which are never printed."""

    def __init__(self, passwords: Mapping[str, str]) -> None:
        self._passwords = dict(passwords)
        # SCRAM credentials are expensive, so they are computed on first use; unknown names are not stored.
        self._computed = cache(self._compute)

    @classmethod
    def read(cls, path: Path) -> Users:
        """Read users from lines NAME:PASSWORD of a file, skipping empty lines and those that begin with #.

        Raises InputError with the number of an invalid line, and OSError.
        """
        passwords: dict[str, str] = {}
        try:
            lines = path.read_text(encoding="utf-8-sig").split("\n")
        except UnicodeDecodeError:
            raise InputError("this is not UTF-8", str(path)) from None
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            name, colon, password = line.partition(":")
            # The error does not show the line, because it may contain a password.
            if not colon or not name or "\0" in line:
                raise InputError("write a user as NAME:PASSWORD", str(path), Position(number, 1))
            if name in passwords:
                raise InputError("this name appears twice", str(path), Position(number, 1))
            passwords[name] = password
            if len(passwords) > MAX_USERS:
                raise InputError(f"more than {MAX_USERS:,} users", str(path))
        if not passwords:
            raise InputError("there are no users in it; write one NAME:PASSWORD per line", str(path))
        return cls(passwords)

    def credentials(self, mechanism: str, name: str) -> Credentials | None:
        """The SCRAM credentials of a user; None if the name is unknown."""
        return self._computed(mechanism, name) if name in self._passwords else None

    def _compute(self, mechanism: str, name: str) -> Credentials:
        return Credentials.of(mechanism, self._passwords[name])

    def has(self, name: str, password: str) -> bool:
        """Whether a user has this password."""
        own = self._passwords.get(name)
        return hmac.compare_digest((own or "").encode(), password.encode()) and own is not None


class SaslLogin:
    """A login; `user` is the authenticated user, empty until the client proves its identity."""

    def __init__(self, mechanism: str, users: Users) -> None:
        self.mechanism = mechanism
        self.user = ""
        self._users = users
        self._begun = False
        self._scram = (
            ScramServer(mechanism, lambda name: users.credentials(mechanism, name))
            if mechanism in HASHES
            else None
        )

    def token(self, token: bytes) -> bytes:
        """Answer a token of the client. Raises ScramError if it is invalid, also for PLAIN."""
        if self._scram is None:
            return self._plain(token)
        if not self._begun:
            self._begun = True
            return self._scram.first(token)
        answer = self._scram.final(token)
        self.user = self._scram.user
        return answer

    def _plain(self, token: bytes) -> bytes:
        """RFC 4616: the authorization identity, the user name and the password, separated by zero bytes."""
        try:
            acted_for, name, password = token.decode("utf-8").split("\0")
        except ValueError:
            raise ScramError("a PLAIN token is a name and a password, separated by zero bytes") from None
        if acted_for not in ("", name) or not self._users.has(name, password):
            raise ScramError("the name or the password is wrong")
        self.user = name
        return b""
