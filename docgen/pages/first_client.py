"""The code of the guide "Your first client", by the names of functions and methods."""

from __future__ import annotations

import inspect
import runpy
import textwrap
from functools import cache
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace

from markupsafe import Markup

# Beside mkdocs.yml, so that the site publishes it: in a checkout and in a wheel.
CLIENT = Path(__file__).resolve().parents[2] / "site_src" / "assets" / "first_client.py"


def code(names: str) -> Markup:
    """The source of functions and methods ("murmur2 Client.fetch"), not indented."""
    sources = [inspect.getsource(attrgetter(name)(_program())) for name in names.split()]
    text = "\n\n".join(textwrap.dedent(source).rstrip() for source in sources)
    opening = '<pre class="wb-source" data-search-exclude tabindex="0" aria-label="Python"><code>'
    return Markup(opening + "{}</code></pre>").format(text)


@cache
def _program() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(CLIENT)))
