"""The site of a protocol that is not Kafka's."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.docgen.sites import BUILT, WITHOUT_SPARK
from tests.e2e.environments import ENVIRONMENT
from tests.repositories import Repo

PROFILE = r"""
name = "otter"
product = "Otter"
title = "The Otter protocol"
client = "agent"
server = "gateway"
listeners = ["gateway"]

[entity_types]
denId = "uuid"

[[links]]
pattern = "OTTER-{number}"
url = "https://otter.example.org/issues/{1}?found={0}&x=\"1\""

[site]
title = "Otter <reference>"
description = "How agents and gateways talk"
logo = "docs/logo.svg"
favicon = "docs/logo.svg"
primary = "#0a5c36"
accent = "#009485"
guides = ["docs/guide"]
"""


LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="10"/></svg>'


# What is Kafka's, in words.
WORDS = re.compile(
    r"kafka|KIP-|broker|ApiVersions|FetchRequest|topic[ _]?(?:name|id)|list-offsets|00 12 00 04|coordinator"
    r"|zookeeper|(?<![<\x22/])\bgenerators?\b|\brecords?\b|(?<!\.)\bmetadata\b",
    re.IGNORECASE,
)


# Strings of a script, without lists of words that are split, which nobody reads.
_WORD_LISTS = re.compile(r'new (?:Set|Map)\(.*?\.split\(" "\)', re.DOTALL)
_COMMENTS = re.compile(r"/\*.*?\*/", re.DOTALL)
_STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"')
# A type of the format, and an answer that leads to the page negotiate/: nobody reads these on other
# sites.
_UNREAD = {'"RECORDS"', '" with broker "', '" with a broker"', '"broker="', '"&broker="'}


def words_of_kafka(script: str) -> list[str]:
    """The strings of a script that have a word of Kafka's."""
    bare = _COMMENTS.sub("", _WORD_LISTS.sub("", script))
    strings = [text for text in _STRINGS.findall(bare) if text not in _UNREAD]
    return [text for text in strings if WORDS.search(text) or re.search(r"\bKIP\b", text)]


def text_field(name: str, about: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "string", "versions": "0+", "about": about, **more}


def specs(newest: int) -> dict[str, dict[str, Any]]:
    """The three messages of a release, whose newest version of Hello is `newest`."""
    valid = {
        "validVersions": f"0-{newest}" if newest else "0",
        "flexibleVersions": "1+" if newest else "none",
    }
    fields = [
        text_field("Name", "Who it is, see OTTER-7 and <b>."),
        text_field("Host", "Where it runs."),
    ]
    if newest:
        tagged = {"versions": "1+", "taggedVersions": "1+", "tag": 0}
        fields.append(text_field("Mood", "How the otter feels.", **tagged))
    hello: dict[str, Any] = {
        "apiKey": 18,
        "type": "request",
        "listeners": ["gateway"],
        "name": "HelloRequest",
    }
    answer: dict[str, Any] = {"apiKey": 18, "type": "response", "name": "HelloResponse"}
    code = {
        "name": "ErrorCode",
        "type": "int16",
        "versions": "0+",
        "about": "Zero if all went well.",
    }
    den = {
        "name": "Id",
        "type": "uuid",
        "entityType": "denId",
        "versions": "0+",
        "about": "Which den it is.",
    }
    return {
        "HelloRequest": hello
        | valid
        | {"fields": fields}
        | ({"deprecatedVersions": "0"} if newest else {}),
        "HelloResponse": answer | valid | {"fields": [code]},
        "Den": {
            "type": "data",
            "name": "Den",
            "validVersions": "0",
            "flexibleVersions": "0+",
            "fields": [den],
        },
    }


def otter(folder: Path) -> Repo:
    """The repository of the protocol, with the releases v1.0 and v1.1."""
    repository = Repo(folder)
    repository.write("wirebook.toml", PROFILE)
    repository.write("docs/logo.svg", LOGO)
    repository.write(
        "docs/guide/pairing.md", "# How otters pair\n\nFirst [Hello](../api/hello/index.md#v1).\n"
    )
    for newest, tag in enumerate(("v1.0", "v1.1")):
        for name, spec in specs(newest).items():
            repository.write(f"protocol/{name}.json", json.dumps(spec, indent=2))
        repository.commit(f"Release {tag}")
        repository.git("tag", tag)
    return repository


def build(
    folder: Path, *arguments: str, program: str = WITHOUT_SPARK, **environment: str
) -> subprocess.CompletedProcess[str]:
    """`wirebook build` in a folder."""
    return subprocess.run(
        [sys.executable, "-m", program, "build", *arguments],
        cwd=folder,
        env={**ENVIRONMENT, **BUILT, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
