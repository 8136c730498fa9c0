"""A profile: what distinguishes the protocols that share a format."""

from collections.abc import Mapping
from typing import NamedTuple

from wirebook.specs.versions import Versions

_NO_TEXTS: Mapping[str, str] = {}


class HeaderException(NamedTuple):
    """Versions of an API whose request or response has another header than their flexibility implies."""

    type: str
    api_key: int
    versions: Versions
    header: int


class Headers(NamedTuple):
    """The header version of requests and responses, by whether a version is flexible.

    `request` and `response` are (for non-flexible versions, for flexible versions).
    """

    request: tuple[int, int] = (1, 2)
    response: tuple[int, int] = (0, 1)
    exceptions: tuple[HeaderException, ...] = ()

    def exceptions_of(self, message_type: str, api_key: int | None) -> tuple[HeaderException, ...]:
        """The exceptions of the requests or responses of an API."""
        return tuple(each for each in self.exceptions if each[:2] == (message_type, api_key))

    def version_of(self, message_type: str, api_key: int | None, version: int, flexible: bool) -> int | None:
        """The header version of a message at a version; None for messages without a header."""
        if message_type not in ("request", "response"):
            return None
        for each in self.exceptions_of(message_type, api_key):
            if version in each.versions:
                return each.header
        return (self.request if message_type == "request" else self.response)[flexible]


class NegotiationApi(NamedTuple):
    """The API with which clients query the versions of all APIs: no version of it is ever deprecated."""

    name: str
    api_key: int


class Link(NamedTuple):
    """A reference to proposals or issues: a pattern (`specs/link_pattern.py`), and the URL for its matches.

    In `url`, `{0}` is the whole match and `{1}` the first placeholder.
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
    """A protocol, as far as it differs from others of the format; the defaults are neutral.

    `product` is the name of the software that is released, `client` and `server` are the words for the two
    sides, `level` that for an entry of the registry of protocol levels. `listeners` are the words that a
    request may name (None: any), `former_listeners` those that no longer exist, with the reason;
    `entity_types` has the primitive type of each entity type, "" for any (None: any word). `message_types`
    are additional types of messages. `frame_length` is the number of bytes of the length before a request or
    response, 0 for none. `tables` are files of facts: "levels", "errors", "values", "servers" and "clients",
    by path. `family` is the name of the built-in profile that it is or extends.
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
        """Whether a message is the request or the response of the API that negotiates versions."""
        negotiation = self.negotiation
        return (
            negotiation is not None
            and api_key == negotiation.api_key
            and message_type in ("request", "response")
        )


# The profile of specs of an unknown protocol.
NEUTRAL = Profile()
