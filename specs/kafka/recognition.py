"""Recognizes specs of Kafka's protocol without a profile, by those of ApiVersions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from wirebook.specs.problems import InputError
from wirebook.specs.reading.discovery import SpecText
from wirebook.specs.syntax.jsontext import parse_json

API_VERSIONS_KEY = 18
_MARK = b"ApiVersionsRe"  # occurs in both specs: texts without it are not parsed
# The names of these files in every repository of Kafka and its forks, and their folder there.
NAMES = ("ApiVersionsRequest.json", "ApiVersionsResponse.json")
FOLDER = "clients/src/main/resources/common/message"


def in_kafka_folder(paths: Iterable[str]) -> bool:
    """Whether one of the specs is in the folder for specs in Kafka's repository and its forks."""
    return any(f"/{path}".rpartition("/")[0].endswith(f"/{FOLDER}") for path in paths)


def places(paths: Iterable[str]) -> list[str]:
    """Where ApiVersions is if the specs at these paths are Kafka's: in their folders, or in Kafka's own."""
    folders = dict.fromkeys([*(path.rpartition("/")[0] for path in paths), FOLDER])
    return [f"{folder}/{name}" if folder else name for folder in folders for name in NAMES]


def recognized(texts: Iterable[SpecText]) -> bool:
    """Whether specs are Kafka's: one is in Kafka's folder, or is the request or response of ApiVersions."""
    specs = list(texts)
    return in_kafka_folder(text.path for text in specs) or any(is_api_versions(text.text) for text in specs)


def is_api_versions(text: bytes) -> bool:
    """Whether a text is the request or the response of Kafka's ApiVersions, by its name and its key."""
    return _MARK in text and _has_key_and_name(text)


@lru_cache(maxsize=2)
def _has_key_and_name(text: bytes) -> bool:
    # A check asks it of the same two texts for each folder of specs.
    try:
        value = parse_json(text, "").value
    except InputError:
        return False
    return (
        isinstance(value, dict)
        and f"{value.get('name')}.json" in NAMES
        and str(value.get("apiKey")) == str(API_VERSIONS_KEY)
    )


def is_proposal(source: str) -> bool:
    """Whether the source of a rule is Kafka's: a proposal, an issue, or its message format."""
    return source.startswith(("KIP-", "KAFKA-", "Kafka's "))
