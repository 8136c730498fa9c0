"""api-versions-deprecated: ApiVersions, by which clients learn all other versions, loses one."""

from __future__ import annotations

from collections.abc import Iterator

from wirebook.rules.finding import Category
from wirebook.rules.rule import Hit, rule
from wirebook.specs.model import Message
from wirebook.specs.versions import counted
from wirebook.specs.wire.layout import API_VERSIONS_KEY


def is_api_versions(message: Message) -> bool:
    """Whether a message is the request or the response of ApiVersions."""
    return message.api_key == API_VERSIONS_KEY and message.type in ("request", "response")


@rule(on=Message, category=Category.POLICY, source="KIP-35", firm=True)
def api_versions_deprecated(message: Message) -> Iterator[Hit]:
    """No version of ApiVersions (API key 18) is ever deprecated or removed.

    ## What it does
    Reports, for API key 18, any `deprecatedVersions`, a `history` entry with `deprecated` or `removed`, and
    a lowest version above 0.

    ## Why it breaks
    A client asks for ApiVersions before it knows anything of the broker. If the version it asks in may go
    away, it cannot find out which others it has, and old clients are cut off without a word they
    understand. KIP-35 promises that this API stays.

    ## When it is fine
    Never. Configuration cannot lower this rule; only an explicit waiver can accept a finding.

    ## Do instead
    Add a new version beside the old ones and leave those as they are.

    ## Example
    ```diff
      { "apiKey": 18, "type": "request", "name": "ApiVersionsRequest", "validVersions": "0-2",
    -   "flexibleVersions": "1+", "fields": [] }
    +   "flexibleVersions": "1+", "deprecatedVersions": "0", "fields": [] }
    ```
    """
    if not is_api_versions(message):
        return
    fix = "keep every version of ApiVersions, from 0 on, as it is"
    written = message.written
    if message.deprecated_versions:
        yield Hit(
            f"{message.name} deprecates its {counted(message.deprecated_versions)}: clients rely on "
            "every version of ApiVersions to find out what a broker speaks",
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
            f"the versions of {message.name} are {message.valid_versions}: clients that ask in a lower one "
            "are cut off",
            fix,
            at=written.at("validVersions"),
            discriminator="validVersions",
        )
