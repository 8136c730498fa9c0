"""api-versions-deprecated: a version of the API that negotiates versions is deprecated or removed."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.specs.model import Message
from wirebook.specs.versions import counted


@rule(on=Message, category=Category.POLICY, source="KIP-35", firm=True)
def api_versions_deprecated(message: Message) -> Iterator[Hit]:
    """Never deprecate or remove a version of the API that negotiates versions.

    ## What it does
    Reports, for the API that the profile of the protocol names under `[negotiation]`, any
    `deprecatedVersions`, a `history` entry with `deprecated` or `removed`, and a lowest version above 0. The
    rule does not apply if the profile names no such API.

    ## Why it breaks
    A client sends this request before it knows anything about the server. If the version that it sends is
    removed, it cannot find out which versions the server supports: old clients are cut off by a response
    that they cannot read.

    ## When it is fine
    Never. Configuration cannot lower this rule; only an explicit waiver can accept a finding.

    ## Do instead
    Add a new version and leave the old ones unchanged.

    ## Example
    ```diff
      { "apiKey": 3, "type": "request", "name": "VersionsRequest", "validVersions": "0-2",
    -   "flexibleVersions": "1+", "fields": [] }
    +   "flexibleVersions": "1+", "deprecatedVersions": "0", "fields": [] }
    ```
    """
    profile = message.profile
    if profile.negotiation is None or not message.negotiates_versions:
        return
    name = profile.negotiation.name
    fix = f"keep every version of {name}, from 0 on"
    written = message.written
    if message.deprecated_versions:
        yield Hit(
            f"{message.name} deprecates its {counted(message.deprecated_versions)}: clients rely on "
            f"every version of {name} to find out which versions a {profile.server} supports",
            fix,
            at=written.at("deprecatedVersions"),
            discriminator="deprecatedVersions",
        )
    for entry in message.history:
        for key in ("deprecated", "removed"):
            since = getattr(entry, key)
            if since is not None:
                yield Hit(
                    f"the history of {message.name} says that version {entry.version} is {key} since {since}",
                    fix,
                    at=entry.written.at(key),
                    discriminator=f"{key} {entry.version}",
                )
    if message.valid_versions.lowest > 0 or not message.valid_versions:
        yield Hit(
            f"the versions of {message.name} are {message.valid_versions}: clients that send a lower one "
            "are cut off",
            fix,
            at=written.at("validVersions"),
            discriminator="validVersions",
        )
