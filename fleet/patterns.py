"""Applications: clients of one principal and owner whose client ids differ only in what changes by
itself.

The rule, which `pattern_of` implements, replaces these parts of a client id, in this order:

1. `<uuid>`: a UUID, or 32 hexadecimal digits.
2. `<date>`: a day from 1900 to 2099, with or without a time: 2026-10-01, 20261001,
   2026-10-01T10.00.
3. `<ip>`: an IPv4 address, also before a port, or an IPv6 address of at least three groups.
4. `<id>`: the hash of a deployment with the suffix of its pod, anywhere; that suffix after the
   number of a CronJob, or without either, only at the end; words of at least 8 hexadecimal digits;
   and words of at least 6 letters and digits that change between letters and digits at least three
   times.
5. `<n>`: a number, also at the end of a word of three letters or more, or with a T after a date.
   Digits that a `-`, `_`, `.` or space separates from a date are a number, too, although some of
   them may look like a time or another date: 20261001-1200, like 20261001-4711.

Numbers of versions with points (2.0.2) stay, because default client ids contain that of a library.
An entry of the owners file that names an application replaces the rule.
"""

from __future__ import annotations

import re

ANY = "<any>"
"""The end of the common application of all client ids with one beginning."""

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
# Digits without colons may be a time or any number.
_NUMBER = r"[_ .-]\d+(?![0-9a-zA-Z]|[:.,]\d)"
_TIME = (
    rf"(?:(?!{_NUMBER})[T_ .-]?(?:[01]\d|2[0-3])"
    r"(?:(?P<between>[:.-]?)[0-5]\d(?:(?P=between)[0-5]\d(?:[.,]\d{1,9})?)?)?"
    r"(?:Z|\+\d\d:?\d\d|-\d\d:\d\d)?)?"
)
_DAY = r"(?:19|20)\d\d(?P<{0}>[-_.]?)(?:0[1-9]|1[0-2])(?P={0})(?:0[1-9]|[12]\d|3[01])"
_DATE = _DAY.format("apart") + _TIME
_NO_DAY = rf"(?!{_DAY.format('apart_after')}(?!\d))"
_AFTER_DATE = rf"(?P<after>T\d+(?![0-9a-zA-Z])|{_NUMBER})?"
_IP_END = "(?![0-9a-zA-Z.:])"
_IP = (
    rf"\d{{1,3}}(?P<dot>[.-])(?:\d{{1,3}}(?P=dot)){{2}}\d{{1,3}}(?:{_IP_END}|(?=:\d{{1,5}}{_IP_END}))"
    r"|(?:(?:[0-9a-fA-F]{1,4}:){2,7}(?::?[0-9a-fA-F]{1,4})|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4})*::"
    rf"(?:[0-9a-fA-F]{{1,4}}(?::[0-9a-fA-F]{{1,4}})*)?){_IP_END}"
)
# The alphabet of the suffixes that Kubernetes gives to pods has no vowels and no 0, 1 and 3; the
# hash of a deployment is a decimal number of 32 bits, each digit written as one of ten characters
# of that alphabet (SafeEncodeString in k8s.io/apimachinery). The jobs of a CronJob have the minutes
# since 1970 instead, from 21,000,000 in 2009 on: none is a date. Without either before them, five
# letters may be a word, and five digits are a number.
_POD = r"(?P<pod>-(?=[a-z]*\d){0}{{8,10}})-{1}{{5}}|-(?=[a-z]*\d)(?=\d*[a-z]){1}{{5}}"
_HASH, _SUFFIX = "[bcdf4-9]", "[bcdfghjklmnpqrstvwxz2456789]"
_UUIDS = re.compile(rf"(?<![0-9a-zA-Z])(?:{_UUID}|[0-9a-fA-F]{{32}})(?![0-9a-zA-Z])")
_DIGIT = re.compile(r"[\d:]")
_CHANGES = re.compile(
    rf"(?P<date>(?<!\d){_DATE}(?!\d){_AFTER_DATE})"
    rf"|(?P<ip>(?<![0-9a-zA-Z.:])(?:{_IP}))"
    rf"|(?P<cron>-(?:2[1-9]|3\d)\d{{6}}-{_SUFFIX}{{5}}$)"
    rf"|(?P<pods>{_POD.format(_HASH, _SUFFIX)}$)"
    rf"|(?P<version>(?<![0-9a-zA-Z])v?\d+(?:\.{_NO_DAY}\d+)+(?![0-9a-zA-Z]))"
    r"|(?P<word>[0-9a-zA-Z]+)"
)
_HEX = re.compile(r"(?=[0-9]*[a-fA-F])(?=[a-fA-F]*\d)[0-9a-fA-F]+")
_TURN = re.compile(r"(?<=\d)(?=[a-zA-Z])|(?<=[a-zA-Z])(?=\d)")
_NUMBERED = re.compile(r"([a-zA-Z]{3,})\d+")
_BEGINNING = re.compile(r"[^0-9a-zA-Z]*[0-9a-zA-Z]+(?=[^0-9a-zA-Z])[^0-9a-zA-Z<]?")
_LONG, _SHORT, _TURNS = 8, 6, 3
_SHORTEST_UUID = 32


def pattern_of(client_id: str) -> str:
    """The client id with placeholders for what changes by itself; the same for every id of an
    application."""
    text = client_id if len(client_id) < _SHORTEST_UUID else _UUIDS.sub("<uuid>", client_id)
    return _CHANGES.sub(_placeholder, text) if _DIGIT.search(text) else text


def _placeholder(match: re.Match[str]) -> str:
    kind, text = match.lastgroup, match[0]
    if kind == "date":
        return f"<date>{match['after'][0]}<n>" if match["after"] else "<date>"
    if kind == "ip":
        return "<ip>"
    if kind == "cron":
        return "-<n>-<id>"
    if kind == "pods":
        return "-<id>-<id>" if match["pod"] else "-<id>"
    if kind == "version":
        return text
    if text.isdigit():
        return "<n>"
    if len(text) >= _LONG and _HEX.fullmatch(text):
        return "<id>"
    if len(text) >= _SHORT and len(_TURN.findall(text)) >= _TURNS:
        return "<id>"
    return _NUMBERED.sub(r"\1<n>", text) if _NUMBERED.fullmatch(text) else text


def beginning_of(application: str) -> str:
    """The common application of all whose names have the same first word."""
    match = _BEGINNING.match(application)
    return f"{match[0]}{ANY}" if match is not None else ANY
