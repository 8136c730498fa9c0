"""What differs between the protocols that are written in one format: a Profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from wirebook.specs.versions import Versions

_NO_TEXTS: Mapping[str, str] = {}


class HeaderException(NamedTuple):
    """Versions of an API whose request or response has another header than its flexibility says."""

    type: str
    api_key: int
    versions: Versions
    header: int


class Headers(NamedTuple):
    """The version of the header before requests and responses, by whether a version is flexible.

    `request` and `response` are (before non-flexible versions, before flexible versions).
    """

    request: tuple[int, int] = (1, 2)
    response: tuple[int, int] = (0, 1)
    exceptions: tuple[HeaderException, ...] = ()

    def exceptions_of(self, message_type: str, api_key: int | None) -> tuple[HeaderException, ...]:
        """The exceptions of the requests or responses of an API."""
        return tuple(each for each in self.exceptions if each[:2] == (message_type, api_key))

    def version_of(self, message_type: str, api_key: int | None, version: int, flexible: bool) -> int | None:
        """The header version before a version of a message; None for messages that have no header."""
        if message_type not in ("request", "response"):
            return None
        for each in self.exceptions_of(message_type, api_key):
            if version in each.versions:
                return each.header
        return (self.request if message_type == "request" else self.response)[flexible]


class NegotiationApi(NamedTuple):
    """The API by which clients learn the versions of all others: no version of it is ever deprecated."""

    name: str
    api_key: int


class Link(NamedTuple):
    """Numbers of proposals and issues: a regular expression, and the address of what it finds.

    In `url`, `{0}` is the whole match and `{1}` the first group.
    """

    pattern: str
    url: str


class SiteProfile(NamedTuple):
    """How a protocol presents itself on its site. Paths begin at the folder of the profile; "" is none.

    `primary` and `accent` are colours of the theme; `home` is the Markdown of the home page, `guides`
    Markdown files or folders of them.
    """

    title: str = ""
    description: str = ""
    logo: str = ""
    favicon: str = ""
    primary: str = ""
    accent: str = ""
    home: str = ""
    guides: tuple[str, ...] = ()


class Profile(NamedTuple):
    """One protocol, as far as it differs from others of the format; the defaults are those of none.

    `product` is the name of the software whose releases are meant, `client` and `server` the words for the
    two sides, `level` that for an entry of the registry of protocol levels. `listeners` are the words that
    a request may name (None: any), `former_listeners` those that no longer exist, with the reason;
    `entity_types` the primitive type of each entity type, "" for any (None: any word). `message_types` are
    types of messages besides those of the format. `frame_length` is the number of bytes of the length
    before a request or response, 0 for none. `tables` are files of facts: "levels", "errors", "servers" and
    "clients", by their paths. `family` is the name of the profile of wirebook's own that it is or extends.
    """

    name: str = ""
    product: str = ""
    title: str = ""
    client: str = "client"
    server: str = "server"
    level: str = "protocol level"
    listeners: tuple[str, ...] | None = None
    former_listeners: Mapping[str, str] = _NO_TEXTS
    entity_types: Mapping[str, str] | None = None
    message_types: tuple[str, ...] = ()
    headers: Headers = Headers()
    frame_length: int = 4
    negotiation: NegotiationApi | None = None
    tables: Mapping[str, str] = _NO_TEXTS
    links: tuple[Link, ...] = ()
    site: SiteProfile = SiteProfile()
    family: str = ""
    path: str = ""

    def negotiates(self, message_type: str, api_key: int | None) -> bool:
        """Whether a message is the request or the response by which versions are negotiated."""
        negotiation = self.negotiation
        return (
            negotiation is not None
            and api_key == negotiation.api_key
            and message_type in ("request", "response")
        )


# The profile of specs of an unknown protocol.
NEUTRAL = Profile()
