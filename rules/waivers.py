"""Accepted exceptions: waivers.toml, which records why a finding is accepted, and who agreed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from wirebook.rules import meta_rules
from wirebook.rules.finding import Finding, Place, sort
from wirebook.specs.printable import is_blank, visible
from wirebook.specs.problems import Lines, Position
from wirebook.specs.reading.toml import Table, hint, parse_toml
from wirebook.specs.versions import MAX_VERSION, VersionsError, VersionSet

NEEDED = {
    "rule": "the name of the rule",
    "message": "the name of the message",
    "reason": "why it is accepted",
    "by": "who agreed",
}
KEYS = ("rule", "message", "field", "versions", "subject", "change", "reason", "by", "expires", "kind")
KINDS = ("breaking-accepted", "spec-correction")
_WILD = "*?"
_HEAD = re.compile(r"^[ \t]*(\[\[[ \t]*waiver[ \t]*\]\])", re.MULTILINE)


class Waiver(NamedTuple):
    """An accepted exception.

    It covers the findings of `rule` at `field` of `message` ("" for the message itself) whose versions are
    all in `versions`, and whose discriminator and exact change are `subject` and `change`. The wording of a
    finding does not matter. `kind` is whether breaking peers is accepted, or whether the spec was wrong and
    the program right. `expires` is the last day on which it is valid.
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
    kind: str = KINDS[0]
    place: Place | None = None

    def covers(self, finding: Finding) -> bool:
        """Whether this waiver is for that finding, by its identity without the type of the message."""
        same = (self.subject, self.change) == (finding.discriminator, finding.change)
        return same and self.is_near(finding)

    def is_near(self, finding: Finding) -> bool:
        """Whether it names the rule, the place and the versions of a finding, if perhaps another change."""
        theirs = finding.versions
        return (
            (self.rule, self.message, self.field) == (finding.rule, finding.message_name, finding.field)
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
        same = (waiver.rule, waiver.message, waiver.field, waiver.versions, waiver.subject, waiver.change)
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
    """The findings, with covered ones marked as waived, and a finding for each stale or expired waiver.

    `checked` are the names of the messages that were judged, by default all: a waiver for another one was not
    checked, so it is not stale. An expired waiver has no effect, and is reported if it would match, even if
    another one accepts the finding.
    """
    result = list(findings)
    numbers: dict[tuple[str, str, str], list[int]] = {}
    for number, finding in enumerate(result):
        numbers.setdefault((finding.rule, finding.message_name, finding.field), []).append(number)
    reported: list[Finding] = []
    # Another waiver may accept what an expired one does no longer.
    for waiver in sorted(waivers, key=lambda each: each.expired(today)):
        near = numbers.get((waiver.rule, waiver.message, waiver.field), ())
        covered = [number for number in near if waiver.covers(result[number])]
        if not covered:
            others = [result[number] for number in near if waiver.is_near(result[number])]
            if others:
                reported.append(_of_another(waiver, others))
            elif checked is None or waiver.message in checked:
                reported.append(_stale(waiver))
        elif waiver.expired(today):
            counts = any(result[number].waived is None for number in covered)
            reported.append(_expired(waiver, counts=counts))
        else:
            for number in covered:
                result[number] = result[number].waive(waiver.words)
    return sort([*result, *reported])


def block(finding: Finding, reason: str = "", by: str = "") -> str:
    """The entry of waivers.toml that waives a finding, to be pasted and completed with a reason and a name.

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
    lines.append(f"reason = {_quoted(reason)}{'' if reason else '  # why it is accepted'}")
    lines.append(f"by = {_quoted(by)}{'' if by else '  # who agreed'}")
    lines.append("# expires = 2030-12-31")
    lines.append(f'# kind = "{KINDS[1]}"  # if the spec was wrong, and no peer breaks')
    return "\n".join(lines) + "\n"


class _Entry(Table):
    """A table of the file, while it is read."""

    def waiver(self, at: Position) -> Waiver:
        self.known(KEYS)
        texts = {key: self.string(key) for key in KEYS if key != "expires"}
        for key, what in NEEDED.items():
            # A finding on all messages together names no message.
            if is_blank(texts[key]) and not (key == "message" and key in self):
                raise self.error(f'a waiver needs "{key}": {what}')
        for key in ("rule", "message", "field", "versions"):
            wild = next((sign for sign in texts[key] if sign in _WILD), None)
            if wild is not None:
                raise self.error(f'"{wild}" in "{key}": a waiver names the one finding that it accepts')
        rule, kind = texts["rule"], texts["kind"] or KINDS[0]
        if meta_rules.find(rule) is None:
            near = meta_rules.nearest(rule)
            words = f'did you mean "{near[0]}"?' if near else "`wirebook explain` lists them"
            raise self.error(f'there is no rule "{visible(rule)}"; {words}')
        if kind not in KINDS:
            raise self.error(f'there is no kind "{visible(kind)}"; {hint(kind, KINDS)}')
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
            kind,
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


def _stale(waiver: Waiver) -> Finding:
    return _finding(
        waiver,
        "stale-waiver",
        f"the waiver of {waiver} matches no finding",
        "remove it, or compare with the commit before the change that it accepts",
    )


def _of_another(waiver: Waiver, others: Sequence[Finding]) -> Finding:
    """What a waiver lacks that names the place of some findings, but not the change of any of them."""
    near = next((finding for finding in others if waiver.subject == finding.discriminator), others[0])
    keys = {"subject": (waiver.subject, near.discriminator), "change": (waiver.change, near.change)}
    missing = [f"{key} = {_quoted(theirs)}" for key, (own, theirs) in keys.items() if theirs and not own]
    if missing:
        stale = _finding(
            waiver,
            "stale-waiver",
            f"the waiver of {waiver} does not name the change that it accepts",
            f"if it is for the change that is reported, add {' and '.join(missing)}",
        )
    else:
        own, theirs = next(pair for pair in keys.values() if pair[0] != pair[1])
        stale = _finding(
            waiver,
            "stale-waiver",
            f'the waiver of {waiver} accepts "{visible(own)}", and the change is "{theirs}"',
            "fix the finding, or add a waiver of its own for it",
        )
    return stale._replace(severity=min(stale.severity, near.severity, key=lambda each: each.rank))


def _expired(waiver: Waiver, *, counts: bool) -> Finding:
    """The finding on a waiver that no longer accepts a finding, which `counts` unless another one does."""
    words = f"the waiver of {waiver} expired on {waiver.expires}"
    if counts:
        message, fix = (
            f"{words}: the finding counts again",
            f"fix the finding, or renew the waiver with {waiver.by}",
        )
    else:
        message, fix = f"{words}; another waiver accepts the finding", "remove it"
    return _finding(waiver, "expired-waiver", message, fix)


def _finding(waiver: Waiver, name: str, message: str, fix: str) -> Finding:
    rule = next(meta_rule for meta_rule in meta_rules.GUARDS if meta_rule.name == name)
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
    written = []
    for character in text:
        code = ord(character)
        if character in '"\\':
            written.append(f"\\{character}")
        elif character == " " or visible(character) == character:
            written.append(character)
        elif 0xD800 <= code <= 0xDFFF:
            written.append("\\uFFFD")
        else:
            written.append(f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}")
    return f'"{"".join(written)}"'
