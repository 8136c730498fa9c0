"""A response has the same valid and flexible versions as its request.

## What it does
Compares `validVersions` of a request and its response, `flexibleVersions` within them, and, if both
keep a `history`, the protocol levels at which a version was removed or reintroduced.

## Why it breaks
The version in the request header is also that of the response. If the response lacks it, the server
cannot answer. If only one of the two is flexible, one side reads compact lengths and tags that are
not there.

## When it is fine
A bound above the highest version has no effect, and neither does the way an open range is written.

## Do instead
Give both the same `validVersions` and `flexibleVersions`, in one patch.

## Example
```diff
@@ FooRequest.json @@
- { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-1",
+ { "apiKey": 1, "type": "request", "name": "FooRequest", "validVersions": "0-2",
    "flexibleVersions": "0+", "fields": [] }
@@ FooResponse.json @@
  { "apiKey": 1, "type": "response", "name": "FooResponse", "validVersions": "0-1",
    "flexibleVersions": "0+", "fields": [] }
```
"""

from wirebook.rules.pairs import ApiPair
from wirebook.rules.rule import Category, Hit, Hits, rule
from wirebook.specs.model import HistoryEntry
from wirebook.specs.versions import VersionSet, counted


@rule(
    Category.POLICY,
    "KIP-35; KIP-482",
    follows=(
        "flexible-versions-changed",
        "highest-version-lowered",
        "lowest-version-raised",
        "api-versions-deprecated",
    ),
)
def partner_versions_differ(api: ApiPair) -> Hits:
    request, response = api.request, api.response
    requested, answered = request.valid_versions, response.valid_versions
    flexible, answer = request.flexible_versions, response.flexible_versions
    both = requested & answered
    differing = []
    if requested != answered:
        only = counted((requested - answered) | (answered - requested))
        text = (
            f"{request.name} has the versions {requested} and {response.name} {answered}: only "
            f"one of them has {only}"
        )
        differing.append(("validVersions", text, requested, answered))
    if apart := (flexible & both) - answer | (answer & both) - flexible:
        text = (
            f"in {counted(apart)} only one of {request.name} (flexible {flexible}) and "
            f"{response.name} (flexible {answer}) is flexible"
        )
        differing.append(("flexibleVersions", text, flexible, answer))
    for key, text, one, other in differing:
        yield Hit(
            text,
            f"give both the same {key}",
            key=key,
            discriminator=key,
            change=f"request {one}; response {other}",
        )
    yield from _histories(api)


def _histories(api: ApiPair) -> Hits:
    """The hit on the versions that both removed or reintroduced at different levels."""
    requests = {each.version: _said(each) for each in api.request.history}
    responses = {each.version: (_said(each), each) for each in api.response.history}
    both = sorted(requests.keys() & responses.keys())
    differing = [version for version in both if requests[version] != responses[version][0]]
    if not differing:
        return
    first, *others = differing
    said, entry = responses[first]
    more = f"; the same applies to {counted(others)}" if others else ""
    yield Hit(
        f"by the history of {api.request.name}, version {first} is {requests[first]}; by that of "
        f"{api.response.name} it is {said}{more}",
        "write the same removed and returned in both histories, in one patch",
        at=entry.written.position,
        discriminator=f"history {VersionSet.of(differing)}",
    )


def _said(entry: HistoryEntry) -> str:
    """What an entry says of the end of its version."""
    if entry.removed is None:
        return "not removed"
    returned = f" and reintroduced since {entry.returned}" if entry.returned else ""
    return f"removed since {entry.removed}{returned}"
