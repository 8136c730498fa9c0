"""What the guide "Your first client" shows: parts of the client's file, and the bytes that it sent."""

from __future__ import annotations

import ast
import textwrap
from functools import cache
from itertools import count
from pathlib import Path

from markupsafe import Markup

from wirebook.docgen.render.kit.environment import render
from wirebook.docgen.render.pages.flows import shown_message
from wirebook.specs.kafka.flows import all_flows

# Beside mkdocs.yml, so that the site publishes it: in a checkout and in a wheel.
CLIENT = Path(__file__).resolve().parents[3] / "site_src" / "assets" / "first_client.py"
FLOW = "client-session"
# Which functions and classes a part of the page shows, as names in the file; "Class.method" is a method.
_CODE = {
    "forms": ("fields", "encode", "Reader.decode"),
    "connection": ("Connection.send", "Connection.call"),
    "versions": ("Connection.negotiate",),
    "login": ("Connection.authenticate", "Connection.token"),
    "leaders": ("Client.call", "Client.leaders"),
    "partition": ("murmur2", "Client.produce"),
    "batch": ("write_batch", "varint", "crc_table", "crc32c"),
    "fetch": ("Client.first_offset", "Client.fetch", "read_batches"),
    "join": ("Member.find", "Member.join", "Member.assign", "Member.committed"),
    "group": ("Member.consume", "Member.heartbeat", "Member.commit", "Member.leave"),
}


def inserts() -> dict[str, str]:
    """HTML for the placeholders of the page, by name."""
    code = {f"first-client-code-{name}": str(_code(names)) for name, names in _CODE.items()}
    flow = next(flow for flow in all_flows() if flow.name == FLOW)
    exchanges = {}
    numbers = count(1)
    for step in flow.steps:
        messages = [shown_message(message, next(numbers)) for message in step.messages]
        html = render("first_client_bytes.html.jinja", messages=messages)
        exchanges[f"first-client-bytes-{step.id.removeprefix('step-')}"] = str(html)
    exchanges["first-client-bytes-1"] += '<script src="../assets/bytes.js" defer></script>'
    return {**code, **exchanges}


def _code(names: tuple[str, ...]) -> Markup:
    """The source of some functions and methods, without the indentation of methods."""
    parts = [textwrap.dedent(source_of(name)) for name in names]
    opening = Markup('<pre class="wb-source" data-search-exclude tabindex="0" aria-label="Python"><code>')
    return opening + "\n\n".join(parts) + Markup("</code></pre>")


def source_of(name: str) -> str:
    """The lines of a function or method of the client."""
    text, places = _client()
    first, last = places[name]
    return "\n".join(text.split("\n")[first - 1 : last])


@cache
def _client() -> tuple[str, dict[str, tuple[int, int]]]:
    """The text of the client, and the first and last line of each of its functions and methods."""
    text = CLIENT.read_text(encoding="utf-8")
    places = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            places[node.name] = node.lineno, node.end_lineno or node.lineno
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    lines = method.lineno, method.end_lineno or method.lineno
                    places[f"{node.name}.{method.name}"] = lines
    return text, places
