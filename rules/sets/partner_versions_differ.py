"""A response has the same valid and flexible versions as its request.

## What it does
Compares `validVersions` of the request and the response with one API key, and `flexibleVersions`
within them. If both keep a `history`, also compares the protocol levels at which a version was
removed or reintroduced.

## Why it breaks
The version in the request header is also the version of the response. If the response lacks it, the
server cannot answer. If only one of the two is flexible, one side reads compact lengths and tags
that are not there.

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
from wirebook.rules.rule import Hit, Hits, rule
from wirebook.rules.severity import Category
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
    if requested != answered:
        only = counted((requested - answered) | (answered - requested))
        yield _hit(
            api,
            "validVersions",
            (str(requested), str(answered)),
            f"{request.name} has the versions {requested} and {response.name} {answered}: only "
            f"one of them has {only}",
        )
    both = requested & answered
    flexible, answer = request.flexible_versions, response.flexible_versions
    if apart := (flexible & both) - answer | (answer & both) - flexible:
        yield _hit(
            api,
            "flexibleVersions",
            (str(flexible), str(answer)),
            f"in {counted(apart)} only one of {request.name} (flexible {flexible}) and "
            f"{response.name} (flexible {answer}) is flexible",
        )
    # The levels at which each version was removed and reintroduced.
    requests, responses = (
        {each.version: (each.removed, each.returned) for each in half.history}
        for half in (request, response)
    )
    differing = sorted(v for v in requests.keys() & responses.keys() if requests[v] != responses[v])
    if differing:
        first = differing[0]
        entry = next(entry for entry in response.history if entry.version == first)
        more = (
            f"; the same applies to {counted(VersionSet.of(differing[1:]))}"
            if differing[1:]
            else ""
        )
        yield Hit(
            f"by the history of {request.name}, version {first} is {_said(*requests[first])}; by "
            f"that of {response.name} it is {_said(*responses[first])}{more}",
            "write the same removed and returned in both histories, in one patch",
            at=entry.written.position,
            of=response,
            discriminator=f"history {VersionSet.of(differing)}",
        )


def _hit(api: ApiPair, key: str, values: tuple[str, str], sentence: str) -> Hit:
    """The hit on a key that both have, with its value in the request and in the response."""
    return Hit(
        sentence,
        f"give both the same {key}",
        at=api.response.written.at(key),
        of=api.response,
        discriminator=key,
        change=f"request {values[0]}; response {values[1]}",
    )


def _said(removed: str | None, returned: str | None) -> str:
    if removed is None:
        return "not removed"
    return f"removed since {removed}" + (f" and reintroduced since {returned}" if returned else "")
