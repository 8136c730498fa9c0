"""A profile: what distinguishes the protocols that share a format."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from wirebook.specs.problems import Place
from wirebook.specs.versions import Versions

_NO_CONDITIONS: Mapping[str, str | int] = {}
HALVES = ("request", "response")  # the types of the two halves of an API
FRAME_LENGTH = 4  # the bytes of the length before requests and responses
# By type, the header versions of messages that are not flexible, and of flexible ones.
HEADERS: Mapping[str, tuple[int, int]] = {"request": (1, 2), "response": (0, 1)}


class HeaderRange(NamedTuple):
    """The header version for some versions of a message."""

    versions: Versions
    header: int


class HeaderFields(NamedTuple):
    """The fields of headers that name the message, by role; "" for a role that no field has."""

    api_key: str = ""
    api_version: str = ""
    correlation_id: str = ""
    client_id: str = ""


class Headers(NamedTuple):
    """The fields of headers, and the headers of versions that have others than HEADERS: by the type
    and the API key of the message."""

    fields: HeaderFields = HeaderFields()
    exceptions: Mapping[tuple[str, int | None], tuple[HeaderRange, ...]] = {}

    def exceptions_of(self, message_type: str, api_key: int | None) -> tuple[HeaderRange, ...]:
        """The exceptions of the requests or responses of an API."""
        return self.exceptions.get((message_type, api_key), ())


class NegotiationApi(NamedTuple):
    """The API with which clients query all versions: none of its own is ever deprecated."""

    name: str
    api_key: int


class EmbeddedMessage(NamedTuple):
    """A message of the protocol in a field of type bytes, after its version as INT16.

    `path` leads to the field in the message `carrier`, without indexes. `when` are the values that
    other fields must have, by name: of the struct of the field, or else of the nearest around it.
    """

    carrier: str
    path: str
    message: str
    when: Mapping[str, str | int] = _NO_CONDITIONS


class Link(NamedTuple):
    """A reference to proposals or issues: a text such as "ISSUE-{number}", and their URL.

    In `url`, `{0}` is the whole match and `{1}` the number.
    """

    pattern: str
    url: str

    @property
    def expression(self) -> re.Pattern[str]:
        """The pattern as a regular expression, at the start of a word; its group is the number."""
        before, after = map(re.escape, self.pattern.split("{number}"))
        start = r"\b" if re.match(r"\w|$", before) else ""
        return re.compile(f"{start}{before}([0-9]++){after}")


class SiteProfile(NamedTuple):
    """How a protocol presents itself on its site. Paths begin at the folder of the profile.

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


_HEADERS, _SITE = Headers(), SiteProfile()


@dataclass(frozen=True)
class Profile:
    """A protocol, as far as it differs from others of the format; the defaults are neutral.

    `product` is the name of the software that is released, `client` and `server` are the words for
    the two sides, `level` that for an entry of the registry of protocol levels. `listeners` are the
    words that a request may name (None: any); `entity_types` has the primitive type of each entity
    type, "" for any (None: any word). `tables` are files of facts: "levels", "errors" and "values",
    by path. `embedded` are the messages in fields of type bytes. `family` is the name of the
    built-in profile that it is or extends. `path` is the file that states it.
    """

    name: str = ""
    product: str = ""
    title: str = ""
    client: str = "client"
    server: str = "server"
    level: str = "protocol level"
    listeners: tuple[str, ...] | None = None
    entity_types: Mapping[str, str] | None = None
    headers: Headers = _HEADERS
    negotiation: NegotiationApi | None = None
    tables: Mapping[str, str] = field(default_factory=dict)
    embedded: tuple[EmbeddedMessage, ...] = ()
    links: tuple[Link, ...] = ()
    site: SiteProfile = _SITE
    family: str = ""
    path: str = ""

    @property
    def place(self) -> Place | None:
        """The file that states it, if there is one."""
        return Place(self.path, 1, 1) if self.path else None


# The profile of specs of an unknown protocol.
NEUTRAL = Profile()
