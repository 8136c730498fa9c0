"""The tables of the page on vendors and forks, from the facts that a survey of their repositories found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from markupsafe import Markup

from wirebook.docgen.render.bytes.worked import table
from wirebook.docgen.render.kit.environment import breakable
from wirebook.specs.kafka.brokers import order_of
from wirebook.specs.kafka.vendors import DifferentVersion, Vendor, Vendors, all_vendors

# Forks share everything older; no vendor adopted it later.
FIRST_SHOWN = (3, 0)


@cache
def inserts() -> dict[str, str]:
    """HTML for the placeholders of the page, by name."""
    parts: dict[str, Callable[[Vendors], Markup]] = {
        "vendors-all": _all,
        "vendors-keys": _keys,
        "vendors-different": _different,
        "vendors-messages": _messages,
        "vendors-steps": _steps,
        "vendors-taken": _taken,
    }
    return {name: str(make(all_vendors())) for name, make in parts.items()}


def _all(comparison: Vendors) -> Markup:
    columns = (
        "Name",
        "Source",
        "Release",
        "Read until",
        "Nearest to",
        "Same",
        "Earlier",
        "Other",
        "Own",
        "Missing",
    )
    rows = [
        (
            each.name,
            _source(each),
            Markup("{} ({})").format(each.release, _day(each.day)),
            _day(each.read_until),
            _range(each.nearest),
            *(f"{number:,}" for number in (each.same, each.earlier, each.other, each.own, each.missing)),
        )
        for each in comparison.vendors
    ]
    return table(f"Versions of messages, compared with {comparison.release}", columns, rows)


def _source(vendor: Vendor) -> Markup:
    address = f"https://github.com/{vendor.repository}/tree/{vendor.commit}"
    return Markup('<a href="{}">{}</a> <code>{}</code>').format(
        address, breakable(vendor.repository), vendor.commit[:12]
    )


def _day(text: str) -> Markup:
    """A day, which no line breaks."""
    return Markup("<time>{}</time>").format(text)


def _range(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _keys(comparison: Vendors) -> Markup:
    """A row for each key, a column for each vendor with APIs of its own."""
    vendors = [each for each in comparison.vendors if each.own_apis]
    keys = sorted({api.key for each in vendors for api in each.own_apis})
    rows = []
    for key in keys:
        apis = [[api for api in each.own_apis if api.key == key] for each in vendors]
        cells = [
            Markup("{} <small>{}</small>").format(breakable(some[0].name), some[0].versions) if some else ""
            for some in apis
        ]
        rows.append((key, *cells))
    return table("API keys of vendors", ("Key", *(each.name for each in vendors)), rows)


def _different(comparison: Vendors) -> Markup:
    rows = [
        (each.name, breakable(difference.message), difference.version, _whose(difference))
        for each in comparison.vendors
        for difference in each.different
    ]
    return table("Versions with different bytes", ("Name", "Message", "Version", "Its bytes"), rows)


def _whose(item: DifferentVersion) -> str:
    if item.status == "earlier":
        return "those that Apache Kafka had in this version earlier"
    if item.same_as is not None:
        return f"those of version {item.same_as} at Apache Kafka"
    return "not those of any version at Apache Kafka"


def _messages(comparison: Vendors) -> Markup:
    rows = [
        (each.name, breakable(message.name), message.versions)
        for each in comparison.vendors
        for message in each.own_messages
    ]
    return table("Messages without an API", ("Name", "Message", "Versions"), rows)


def _steps(comparison: Vendors) -> Markup:
    rows = [
        (each.name, step.release, _day(step.day), _range(step.nearest), step.other, step.own, step.missing)
        for each in comparison.vendors
        for step in each.steps
    ]
    columns = ("Name", "Since release", "Day", "Nearest to", "Other", "Own", "Missing")
    return table("Nearest releases", columns, rows)


def _taken(comparison: Vendors) -> Markup:
    """A row for each release of Apache Kafka, a column for each vendor."""
    adopted = [{share.release: share for share in each.taken_over} for each in comparison.vendors]
    releases = [share.release for share in comparison.vendors[0].taken_over]
    rows = []
    for release in releases:
        if order_of(release) < FIRST_SHOWN:
            continue
        cells: list[object] = []
        for items in adopted:
            share = items[release]
            days = "" if share.days is None else f", {share.days:+,} days"
            cells.append(f"{share.taken} of {share.layouts}{days}" if share.taken else "–")
        rows.append((release, *cells))
    return table("Adopted changes", ("Release", *(each.name for each in comparison.vendors)), rows)
