"""The address of the published site, to which findings and generated files link.

`mkdocs.yml` and the check read the same setting, WIREBOOK_SITE_URL; both use it with a "/" at its
end, so that a path can follow.
"""

from __future__ import annotations

import os

from wirebook.specs.problems import InputError

_VARIABLE = "WIREBOOK_SITE_URL"


def as_folder(address: str) -> str:
    """An address that a path can follow: with one "/" at its end; "" stays empty."""
    return f"{address.rstrip('/')}/" if address else ""


def site_address() -> str:
    """The address of the site with the pages of the rules, as a folder; "" if none is set.

    Raises InputError if it is not the address of a site.
    """
    address = os.environ.get(_VARIABLE, "").strip()
    is_address = (
        address.startswith(("https://", "http://")) and address.isprintable() and " " not in address
    )
    if address and not is_address:
        raise InputError(f'"{address}" is not the address of a site (https://...)', _VARIABLE)
    return as_folder(address)
