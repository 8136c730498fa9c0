"""Accepted exceptions: waivers.toml, which records why a finding is accepted, and who agreed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from wirebook.rules import catalogue
from wirebook.rules.finding import Finding, Place, sort
from wirebook.specs.printable import visible
from wirebook.specs.problems import Lines, Position
from wirebook.specs.table import Table, parse_toml
from wirebook.specs.versions import MAX_VERSION, VersionsError, VersionSet

NEEDED = {
    "rule": "the name of the rule",
    "message": "the name of the message",
    "reason": "why it is accepted",
    "by": "who agreed",
}
KEYS = ("rule", "message", "field", "versions", "subject", "change", "reason", "by", "expires")
_HEAD = re.compile(r"^[ \t]*(\[\[[ \t]*waiver[ \t]*\]\])", re.MULTILINE)


class Waiver(NamedTuple):
    """An accepted exception.

    It covers the findings of `rule` at `field` of `message` ("" for the message itself) whose
    versions are all in `versions`, and whose discriminator and exact change are `subject` and
    `change`. The wording of a finding does not matter. `expires` is the last day on which it is
    valid.
    """

    rule: str
    message: str
    reason: str
    by: str
    field: str = ""
    versions: VersionSet = VersionSet.NONE
    subject: str = ""
    change: str = ""
    expires: date | None = None
    place: Place | None = None

    def covers(self, finding: Finding) -> bool:
        """Whether this waiver is for that finding, by its identity without the type of the
        message."""
        same = (self.subject, self.change) == (finding.discriminator, finding.change)
        return same and self.is_near(finding)

    def is_near(self, finding: Finding) -> bool:
        """Whether it names the rule, the place and the versions of a finding, if perhaps another
        change."""
        theirs = finding.versions
        return (
            (self.rule, self.message, self.field)
            == (finding.rule, finding.message_name, finding.field)
            and self.versions.covers(theirs)
            and bool(theirs) == bool(self.versions)
        )

    def expired(self, today: date) -> bool:
        """Whether its last day has passed."""
        return self.expires is not None and self.expires < today

    @property
    def words(self) -> str:
        """The reason, who agreed, and until when."""
        until = f", until {self.expires}" if self.expires else ""
        return f"{self.reason} ({self.by}{until})"

    def __str__(self) -> str:
        about = f"{self.message}.{self.field}" if self.field else self.message
        versions = f" {self.versions}" if self.versions else ""
        return visible(f"{self.rule} for {about}{versions}")


def read_waivers(text: str | bytes, path: str) -> list[Waiver]:
    """The waivers of a waivers.toml. Raises InputError, with the line, for invalid ones."""
    values = parse_toml(text, path)
    file = Table(values, path)
    file.known(["waiver"])
    content = text if isinstance(text, str) else text.decode()
    found = [Lines(content).position(match.start(1)) for match in _HEAD.finditer(content)]
    tables = file.inners("waiver")
    # Waivers in an array on one line have none.
    positions = found if len(found) == len(tables) else [Position(1, 1)] * len(tables)
    waivers: dict[tuple[object, ...], Waiver] = {}
    for table, at in zip(tables, positions, strict=True):
        entry = _Entry(table.values, path, position=at)
        waiver = entry.waiver(at)
        same = (
            waiver.rule,
            waiver.message,
            waiver.field,
            waiver.versions,
            waiver.subject,
            waiver.change,
        )
        first = waivers.setdefault(same, waiver)
        if first is not waiver and first.place is not None:
            raise entry.error(f"this is a duplicate of the waiver in line {first.place.line}")
    return list(waivers.values())


def apply(
    findings: Iterable[Finding],
    waivers: Sequence[Waiver],
    today: date,
    checked: Collection[str] | None = None,
) -> list[Finding]:
    """The findings, with covered ones marked as waived, and a finding for each stale or expired
    waiver.

    `checked` are the names of the messages that were judged, by default all: a waiver for another
    one was not checked, so it is not stale. An expired waiver has no effect, and is reported if it
    would match.
    """
    result = list(findings)
    numbers: dict[tuple[str, str, str], list[int]] = {}
    for number, finding in enumerate(result):
        numbers.setdefault((finding.rule, finding.message_name, finding.field), []).append(number)
    reported: list[Finding] = []
    for waiver in waivers:
        places = numbers.get((waiver.rule, waiver.message, waiver.field), ())
        near = [number for number in places if waiver.is_near(result[number])]
        covered = [number for number in near if waiver.covers(result[number])]
        if covered and waiver.expired(today):
            words = f"the waiver of {waiver} expired on {waiver.expires}"
            fix = f"remove it, or fix the finding, or renew the waiver with {waiver.by}"
            reported.append(_finding(waiver, "expired-waiver", words, fix))
        elif covered:
            for number in covered:
                result[number] = result[number].waive(waiver.words)
        elif near:
            words = f"the waiver of {waiver} is for another change than the one that is reported"
            fix = (
                "if that is accepted, too, add the output of check "
                f"--waive={result[near[0]].fingerprint}"
            )
            reported.append(_finding(waiver, "stale-waiver", words, fix))
        elif checked is None or waiver.message in checked:
            words = f"the waiver of {waiver} matches no finding"
            fix = "remove it, or compare with the commit before the change that it accepts"
            reported.append(_finding(waiver, "stale-waiver", words, fix))
    return sort([*result, *reported])


def block(finding: Finding) -> str:
    """The entry of waivers.toml that waives a finding, to be pasted and completed with a reason and
    a name.

    If these stay empty, the check stops: a waiver needs a reason.
    """
    of = finding.identity
    lines = ["[[waiver]]", f"rule = {_quoted(of.rule)}", f"message = {_quoted(of.message_name)}"]
    if of.field:
        lines.append(f"field = {_quoted(of.field)}")
    if of.versions:
        # An open range of a spec ends in a waiver with the highest possible version.
        lines.append(f"versions = {_quoted(of.versions.text.replace('+', f'-{MAX_VERSION}'))}")
    if of.discriminator:
        lines.append(f"subject = {_quoted(of.discriminator)}")
    if of.change:
        lines.append(f"change = {_quoted(of.change)}")
    lines += [
        'reason = ""  # why it is accepted',
        'by = ""  # who agreed',
        "# expires = 2030-12-31",
    ]
    return "\n".join(lines) + "\n"


class _Entry(Table):
    """A table of the file, while it is read."""

    def waiver(self, at: Position) -> Waiver:
        self.known(KEYS)
        texts = {key: self.string(key) for key in KEYS if key != "expires"}
        for key, what in NEEDED.items():
            # A finding on all messages together names no message.
            is_blank = not any(letter.isalnum() for letter in texts[key])
            if is_blank and not (key == "message" and key in self):
                raise self.error(f'a waiver needs "{key}": {what}')
        for key in ("rule", "message", "field", "versions"):
            wild = next((sign for sign in texts[key] if sign in "*?"), None)
            if wild is not None:
                raise self.error(
                    f'"{wild}" in "{key}": a waiver names the one finding that it accepts'
                )
        rule = texts["rule"]
        if catalogue.find(rule) is None:
            near = catalogue.nearest(rule)
            words = f'did you mean "{near[0]}"?' if near else "`wirebook explain` lists them"
            raise self.error(f'there is no rule "{visible(rule)}"; {words}')
        return Waiver(
            rule,
            texts["message"],
            texts["reason"].strip(),
            texts["by"].strip(),
            texts["field"],
            self.versions(texts["versions"]),
            texts["subject"],
            texts["change"],
            self.expires(),
            Place(self.path, *at),
        )

    def string(self, key: str) -> str:
        value = self.values.get(key, "")
        if not isinstance(value, str):
            raise self.error(f'"{key}" must be a string')
        return value

    def versions(self, text: str) -> VersionSet:
        try:
            versions = VersionSet.parse(text) if text.strip() else VersionSet.NONE
        except VersionsError as error:
            raise self.error(visible(str(error))) from None
        if "+" in text:
            raise self.error(f'"{visible(text)}" accepts future versions too: name the last one')
        return versions

    def expires(self) -> date | None:
        value = self.values.get("expires")
        if value is not None and (not isinstance(value, date) or isinstance(value, datetime)):
            raise self.error('"expires" must be a date without quotes, such as 2030-12-31')
        return value


def _finding(waiver: Waiver, name: str, message: str, fix: str) -> Finding:
    rule = catalogue.find(name)
    assert rule is not None
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        category=rule.category,
        message=message,
        fix=fix,
        message_name=waiver.message,
        message_type="",
        field=waiver.field,
        versions=waiver.versions,
        location=waiver.place,
        discriminator=" ".join(filter(None, (waiver.rule, waiver.subject, waiver.change))),
    )


def _quoted(text: str) -> str:
    """A TOML string on one line; invisible characters are escaped."""
    written = (
        f"\\{character}"
        if character in '"\\'
        else character
        if character.isprintable()
        else f"\\U{ord(character):08X}"
        for character in text
    )
    return f'"{"".join(written)}"'
