"""A profile: what distinguishes the protocols that share a format."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from wirebook.specs.versions import Versions

_NO_CONDITIONS: Mapping[str, str | int] = {}
HALVES = ("request", "response")  # the types of the two halves of an API


class HeaderException(NamedTuple):
    """Versions of an API whose request or response has another header than their flexibility
    implies."""

    type: str
    api_key: int
    versions: Versions
    header: int


_PAIRS: Mapping[str, tuple[int, int]] = {"request": (1, 2), "response": (0, 1)}


class Headers(NamedTuple):
    """The header version of messages, by whether a version is flexible.

    `pairs` are (for non-flexible versions, for flexible versions) by the types of messages that
    have a header.
    """

    pairs: Mapping[str, tuple[int, int]] = _PAIRS
    exceptions: tuple[HeaderException, ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        """The message types that have a header."""
        return tuple(self.pairs)

    def exceptions_of(self, message_type: str, api_key: int | None) -> tuple[HeaderException, ...]:
        """The exceptions of the requests or responses of an API."""
        return tuple(each for each in self.exceptions if each[:2] == (message_type, api_key))

    def version_of(
        self, message_type: str, api_key: int | None, version: int, flexible: bool
    ) -> int | None:
        """The header version of a message at a version; None for messages without a header."""
        pair = self.pairs.get(message_type)
        if pair is None:
            return None
        for each in self.exceptions_of(message_type, api_key):
            if version in each.versions:
                return each.header
        return pair[flexible]


class HeaderFields(NamedTuple):
    """The fields of headers that name the message, by role; "" for a role that no field has."""

    api_key: str = ""
    api_version: str = ""
    correlation_id: str = ""
    client_id: str = ""


# How the names of messages end by type, unless the profile says otherwise.
SUFFIXES: Mapping[str, str] = {"request": "Request", "response": "Response"}


class NegotiationApi(NamedTuple):
    """The API with which clients query the versions of all APIs: no version of it is ever
    deprecated."""

    name: str
    api_key: int


class EmbeddedMessage(NamedTuple):
    """A message of the protocol in a field of type bytes, after its version as INT16.

    `path` leads to the field in the message `carrier`, without indexes. `when` are the values that
    other fields must have, by name: those of the struct of the field, or else of the nearest struct
    around it.
    """

    carrier: str
    path: str
    message: str
    when: Mapping[str, str | int] = _NO_CONDITIONS


class Link(NamedTuple):
    """A reference to proposals or issues: a pattern (`specs/link_pattern.py`), and the URL for its
    matches.

    In `url`, `{0}` is the whole match and `{1}` the first placeholder.
    """

    pattern: str
    url: str


class SiteProfile(NamedTuple):
    """How a protocol presents itself on its site. Paths begin at the folder of the profile; "" is
    none.

    `primary` and `accent` are colours of the theme; `home` is the Markdown of the home page,
    `guides` Markdown files or folders of them.
    """

    title: str = ""
    description: str = ""
    logo: str = ""
    favicon: str = ""
    primary: str = ""
    accent: str = ""
    home: str = ""
    guides: tuple[str, ...] = ()


_HEADERS, _HEADER_FIELDS, _SITE = Headers(), HeaderFields(), SiteProfile()


@dataclass(frozen=True)
class Profile:
    """A protocol, as far as it differs from others of the format; the defaults are neutral.

    `product` is the name of the software that is released, `client` and `server` are the words for
    the two sides, `level` that for an entry of the registry of protocol levels. `listeners` are the
    words that a request may name (None: any), `former_listeners` those that no longer exist, with
    the reason; `entity_types` has the primitive type of each entity type, "" for any (None: any
    word). `message_types` are additional types of messages, and `keyed_types` those of them whose
    messages have an API key. `suffixes` are the endings of the names of messages by type; those of
    a request and its response come after the name of the API. `header_fields` are the fields of the
    headers by role. `frame_length` is the number of bytes of the length before a message that has a
    header, 0 for none. `tables` are files of facts: "levels", "errors" and "values", by path.
    `embedded` are the messages in fields of type bytes. `family` is the name of the built-in
    profile that it is or extends. `path` is the file that states it.
    """

    name: str = ""
    product: str = ""
    title: str = ""
    client: str = "client"
    server: str = "server"
    level: str = "protocol level"
    listeners: tuple[str, ...] | None = None
    former_listeners: Mapping[str, str] = field(default_factory=dict)
    entity_types: Mapping[str, str] | None = None
    message_types: tuple[str, ...] = ()
    keyed_types: tuple[str, ...] = ()
    suffixes: Mapping[str, str] = field(default_factory=lambda: SUFFIXES)
    headers: Headers = _HEADERS
    header_fields: HeaderFields = _HEADER_FIELDS
    frame_length: int = 4
    negotiation: NegotiationApi | None = None
    tables: Mapping[str, str] = field(default_factory=dict)
    embedded: tuple[EmbeddedMessage, ...] = ()
    links: tuple[Link, ...] = ()
    site: SiteProfile = _SITE
    family: str = ""
    path: str = ""

    def frame_length_of(self, message_type: str) -> int:
        """The bytes of the length before messages of a type: those that have a header are in
        frames."""
        return self.frame_length if message_type in self.headers.types else 0

    def api_name(self, name: str, message_type: str) -> str:
        """The API name of a message: `FetchRequest` of type `request` is `Fetch`."""
        suffix = self.suffixes.get(message_type, "") if message_type in HALVES else ""
        return name if name == suffix else name.removesuffix(suffix)

    def negotiates(self, message_type: str, api_key: int | None) -> bool:
        """Whether a message is the request or the response of the API that negotiates versions."""
        negotiation = self.negotiation
        return negotiation is not None and api_key == negotiation.api_key and message_type in HALVES


def header_name(message_type: str) -> str:
    """The name of the spec of the header before messages of a type: RequestHeader,
    PushEventHeader."""
    words = message_type.replace("_", "-").split("-")
    return f"{''.join(word[:1].upper() + word[1:] for word in words)}Header"


# The profile of specs of an unknown protocol.
NEUTRAL = Profile()
