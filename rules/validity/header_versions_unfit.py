"""header-versions-unfit: `headerVersions` that go back, or that do not fit the flexible versions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from wirebook.rules.rule import Hit, rule
from wirebook.rules.severity import Category
from wirebook.rules.validity.problems import unusable
from wirebook.specs.model import Message
from wirebook.specs.versions import VersionSet, counted


@rule(on=Message, category=Category.POLICY, source="KIP-482; KIP-1313")
def header_versions_unfit(message: Message) -> Iterator[Hit]:
    """A flexible version has a flexible header, and a later version no older header.

    ## What it does
    Compares `headerVersions` with the `[headers]` of the profile: a flexible version needs a header that is
    at least the one for flexible versions there, and any other version an older one. It also reports a
    version whose header is older than that of the version before.

    ## Why it breaks
    A receiver takes the header from the API key and the version. One that derives it from the flexible
    versions, as clients do, reads a tagged section that is not there, or the tagged section as the body.

    ## When it is fine
    In versions for which the profile states an exception. Nothing is checked if the profile has one header
    for all versions.

    ## Do instead
    Write the header of flexible versions from the first flexible version on.

    ## Example
    ```diff
      { "apiKey": 900, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    -   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1+": "2" }, "fields": [] }
    +   "flexibleVersions": "1+", "headerVersions": { "0": "1", "1": "2", "2+": "1" }, "fields": [] }
    ```
    """
    headers = message.profile.headers
    plain, flexible = (headers.version_of(message.type, None, 0, kind) for kind in (False, True))
    if not message.header_versions or unusable(message) or plain is None or flexible is None:
        return
    at = message.written.at("headerVersions")
    exceptions = headers.exceptions_of(message.type, message.api_key)
    usual = [v for v in message.valid_versions if not any(v in each.versions for each in exceptions)]
    found = {version: header for version in usual if (header := message.header_of(version)) is not None}
    unfit = [v for v in found if (found[v] >= flexible) != (v in message.flexible_versions)]
    if plain < flexible and unfit:
        kind = "flexible" if unfit[0] in message.flexible_versions else "not flexible"
        yield Hit(
            f"{message.name} is {kind} in {counted(VersionSet.of(unfit[:1]))}, which has header "
            f"{found[unfit[0]]}",
            f"write header {flexible} for flexible versions, and {plain} for the others",
            at=at,
            discriminator=f"flexible {VersionSet.of(unfit)}",
        )
    back = [later for earlier, later in pairwise(found) if found[later] < found[earlier]]
    if back and not unfit:
        yield Hit(
            f"version {back[0]} of {message.name} has header {found[back[0]]}, which is older than that of "
            f"version {back[0] - 1}",
            "write the same header as for the version before, or a newer one",
            at=at,
            discriminator=f"older {VersionSet.of(back)}",
        )
