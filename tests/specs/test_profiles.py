"""Profiles: what a profile.toml says, what it extends, and what is wrong with one, by key."""

from __future__ import annotations

import re

import pytest

from tests.support import ROOT
from wirebook.specs.kafka import KAFKA
from wirebook.specs.kafka.profile import embedded_profile
from wirebook.specs.problems import InputError
from wirebook.specs.profile import (
    EmbeddedMessage,
    HeaderRange,
    Link,
    NegotiationApi,
    Profile,
)
from wirebook.specs.profiles import KEYS, profile_of
from wirebook.specs.toml import parse_toml
from wirebook.specs.versions import Versions

OTTER = r"""
name = "otter"
product = "Otter"
title = "The Otter protocol"
client = "app"
server = "gateway"
level = "level"
listeners = ["gateway", "edge"]

[entity_types]
tenantId = "uuid"
anything = ""

[[headers.exceptions]]
type = "response"
api_key = 5
versions = "0-2"
header = 9

[negotiation]
name = "Hello"
api_key = 5

[tables]
levels = "levels/registry.json"

[[embedded]]
field = "PutRequest.Items.Content"
message = "ItemData"
when = { Kind = 1, Unit = "kg" }

[[links]]
pattern = "OTR-{number}"
url = "https://issues.example.org/{1}"

[site]
title = "Otter reference"
primary = "#123456"
guides = ["guides"]
"""


def read(text: str, path: str = "protocol/profile.toml") -> Profile:
    return profile_of(parse_toml(text, path), path, embedded_profile)


def test_a_profile_says_all_that_differs() -> None:
    made = read(OTTER)
    assert (made.name, made.product, made.client, made.server, made.level) == (
        "otter", "Otter", "app", "gateway", "level",
    )  # fmt: skip
    assert made.listeners == ("gateway", "edge")
    assert made.entity_types == {"tenantId": "uuid", "anything": ""}
    assert made.headers.exceptions_of("response", 5) == (HeaderRange(Versions(0, 2), 9),)
    assert made.negotiation == NegotiationApi("Hello", 5)
    assert made.tables == {"levels": "protocol/levels/registry.json"}
    assert made.embedded == (
        EmbeddedMessage("PutRequest", "Items.Content", "ItemData", {"Kind": 1, "Unit": "kg"}),
    )
    assert made.links == (Link("OTR-{number}", "https://issues.example.org/{1}"),)
    assert (made.site.title, made.site.primary, made.site.guides) == (
        "Otter reference",
        "#123456",
        ("guides",),
    )
    assert made.path == "protocol/profile.toml"


def test_a_profile_adds_to_the_one_that_it_extends() -> None:
    fork = read('name = "fork"\nextends = "kafka"\n[entity_types]\nstreamId = "int64"\n')
    kafka = embedded_profile(KAFKA)
    assert fork.name == "fork"
    assert fork.entity_types == {**(kafka.entity_types or {}), "streamId": "int64"}
    assert (fork.listeners, fork.negotiation, fork.headers) == (
        kafka.listeners,
        kafka.negotiation,
        kafka.headers,
    )
    assert fork.tables == kafka.tables


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('nmae = "x"', 'there is no key "nmae"; did you mean "name"?'),
        ('name = "Otter"', '"name" must be of the form [a-z]'),
        ("name = 3", '"name" must be a string'),
        ('listeners = "broker"', '"listeners" must be an array, not a string'),
        ('listeners = ["a b"]', '"listeners" must be of the form'),
        ('[entity_types]\na = "strnig"', '"strnig" is not a primitive type'),
        ("[headers]\nflexible = [1, 2]", 'there is no key "flexible"'),
        ('[site]\nprimary = "teal"', '"primary" must be of the form #'),
        ('[site]\naccent = "#00796b; }"', '"accent" must be of the form #'),
        (
            '[[headers.exceptions]]\ntype = "data"\napi_key = 1\nversions = "0+"\nheader = 0',
            '"type" must be of the form request|response',
        ),
        ('[[headers.exceptions]]\ntype = "request"\napi_key = 1\nversions = "+"\nheader = 0', ""),
        ('[headers.fields]\nkey = "Kind"', 'there is no key "key"'),
        ('[negotiation]\nname = "Hello"', '"api_key" is missing'),
        (
            '[[embedded]]\nfield = "Put"\nmessage = "A"',
            '"field" must be of the form',
        ),
        ('[[embedded]]\nfield = "A.b.c-d"\nmessage = "A"', '"field" must be of the form'),
        ('[[embedded]]\nfield = "Put.A"', '"message" is missing'),
        ('[[embedded]]\nfield = "Put.A"\nmessage = "A"\nwhen = 1', '"when" must be a table'),
        (
            '[[embedded]]\nfield = "Put.A"\nmessage = "A"\nwhen = { B = true }',
            '"B" in "when" must be a string or an',
        ),
        ('[tables]\nbrokers = "x"', 'there is no key "brokers"'),
        (
            "[[links]]\npattern = 'KIP-(\\d+)'\nurl = 'https://x'",
            '"pattern" is a text with {number}',
        ),
        ("[[links]]\npattern = '{id}'\nurl = 'https://x'", '"pattern" is a text with {number}'),
        ("[[links]]\npattern = 'a'\nurl = 'https://x/{2}'", '"url" must be of the form'),
        ("[[links]]\npattern = 'a'\nurl = 'https://x/{0.real}'", '"url" must be of the form'),
        (
            "[[links]]\npattern = 'a'\nurl = 'javascript:alert(1)'",
            '"url" must be of the form https?://',
        ),
        ("links = 3", "write each of them as [[links]]"),
        ("site = 3", '"site" must be a table'),
        ("[site]\nguides = 'x'", '"guides" must be an array'),
        ("name = ", "1:8: this is not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_its_key(text: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read(text, "profile.toml")
    assert str(raised.value).startswith("profile.toml:")
    assert said in str(raised.value)


def test_every_example_of_the_page_is_read() -> None:
    page = (ROOT / "site_src" / "profile.md").read_text(encoding="utf-8")
    found = re.findall(r'^```toml title="([^"]+)"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    assert [title for title, _ in found] == ["wirebook.toml"] * 6
    otter, named, held, linked, tables, fork = (read(text) for _, text in found)
    assert (named.headers.fields.api_key, named.headers.fields.client_id) == ("Kind", "")
    assert {"levels", "errors"} <= tables.tables.keys()
    assert (otter.server, otter.negotiation) == ("gateway", NegotiationApi("Hello", 0))
    assert held.embedded[0].when == {"Kind": 1}
    assert linked.links
    assert {"streamId", "nodeId", "topicName"} <= set(fork.entity_types or ())
    for key in KEYS:
        assert f"`{key}`" in page or f"`[{key}]`" in page or f"`[[{key}]]`" in page
