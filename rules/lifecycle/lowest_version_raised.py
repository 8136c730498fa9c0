"""lowest-version-raised: versions at the lower end are no longer valid."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category, Severity
from wirebook.rules.lifecycle.api_versions_deprecated import is_api_versions
from wirebook.rules.pairs.kinds import MessagePair
from wirebook.rules.rule import Hit, rule
from wirebook.specs.versions import VersionSet, counted


@rule(on=MessagePair, category=Category.POLICY, source="KIP-35; KIP-896; KAFKA-19444")
def lowest_version_raised(pair: MessagePair) -> Iterator[Hit]:
    """Support for a version ends with a mark first, and never without a word.

    ## What it does
    Reports versions that leave `validVersions` at the lower end, or altogether. In a book that keeps a
    history this is always an error, since there `removed` ends a version and its definition stays. In other
    specs it is a warning that names the releases whose clients may be cut off, and an error where the
    version was never marked as deprecated. Marks stand in requests: for a response it is a warning. Of
    ApiVersions, `api-versions-deprecated` tells.

    ## Why it breaks
    A client that speaks no newer version gets its connection closed. JoinGroup 0 and 1 went so in Kafka
    4.0.0, cut clients off, and were back in 4.0.1.

    ## When it is fine
    After a release that says it is deprecated, when the clients that need it are known to be gone.

    ## Do instead
    Mark first (`deprecatedVersions`, or `deprecated` in the history), release, and remove later.

    ## Example
    ```diff
    - { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    + { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "1-2",
        "flexibleVersions": "none", "fields": [] }
    ```
    """
    old, new = pair.old, pair.new
    cut = frozenset(v for v in old.valid_versions if v not in new.valid_versions)
    if new.valid_versions:
        cut = frozenset(v for v in cut if v < new.valid_versions.lowest)
    cut &= pair.released.keys()
    if not cut or old.type != new.type or is_api_versions(new):
        return
    response = new.type == "response"
    marks = [old.deprecated_versions, *(released.deprecated_versions for released in pair.released_messages)]
    marked = {version for versions in marks for version in versions}
    unmarked = cut - marked
    shown = VersionSet.of(cut)
    since = ", ".join(sorted({pair.released[v] for v in cut if pair.released[v]}))
    who = (
        f"clients that speak no newer one (they came with {since})"
        if since
        else "clients that speak no newer one"
    )
    if old.history:
        yield Hit(
            f"validVersions of {new.name} loses {counted(shown)}: in the book a version ends by `removed`",
            "keep validVersions and write removed in the history",
            cut,
            new.written.at("validVersions"),
            old.written.at("validVersions"),
        )
        return
    never = (
        f", and no release marked {counted(VersionSet.of(unmarked))} as deprecated"
        if unmarked and not response
        else ""
    )
    yield Hit(
        f"{new.name} no longer has {counted(shown)}: {who} are cut off{never}",
        "mark the versions as deprecated in a release before they go",
        cut,
        new.written.at("validVersions"),
        old.written.at("validVersions"),
        severity=Severity.ERROR if unmarked and not response else Severity.WARNING,
    )
