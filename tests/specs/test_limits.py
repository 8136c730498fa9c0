"""The page about limits states each limit with its value, and nothing else."""

from __future__ import annotations

import re
from string import Formatter

from tests.support import ROOT
from wirebook.specs import limits

# The second cell of each row, in order. A name stands for its value, in the unit after the colon.
ROWS = """
{MAX_TEXT:MiB}
{MAX_TOTAL:GiB}, {MAX_FILES} files
{MAX_FOLDERS}
{MAX_ZIP_DIRECTORY:MiB}; {MAX_TAR_HEADER:MiB}
{MAX_SETTINGS:MiB}; keys of {MAX_KEY_PARTS} parts
{MAX_GLOBS}
{MAX_EXTENDED}
{MAX_LINK_PATTERN} characters
{GIT_SECONDS} seconds
{MAX_LINKS}; {MAX_LINK_CHAIN}; {MAX_LINKED_FOLDERS}
{MAX_LINK_STEPS}
{MAX_INT16}
{MAX_NESTING}
{MAX_NUMBER} characters
{MAX_STRUCT_DEPTH}
{MAX_LAID_OUT}
{MAX_VERSIONS}
{MAX_EMPTY}
{MAX_UNPACKED:MiB}
{MAX_FRAME:MiB}
{MAX_APIS}
{MAX_NOTES}
{PROBE_SECONDS} seconds; `--timeout` gives up to {MAX_PROBE_SECONDS}
{MIN_ITERATIONS} to {MAX_ITERATIONS}
{MAX_SCRAM} bytes
{MAX_USERS}
{MAX_RANGES:MiB}; {MAX_MARKED}
{MAX_LINE:MiB}
{MAX_PREFIX} characters
{MAX_NAME} characters
{MAX_APPLICATIONS}
""".strip().splitlines()
UNITS = {"K": 10, "M": 20, "G": 30}


def stated(row: str) -> str:
    """A row with the values of its limits."""
    cell = ""
    for text, name, unit, _ in Formatter().parse(row):
        cell += text
        if name is None:
            continue
        value = getattr(limits, name)
        number = value / 2 ** UNITS[unit[0]] if unit else value
        assert number == int(number), name
        cell += f"{int(number):,}" + (f" {unit}" if unit else "")
    return cell


def public() -> list[str]:
    """The limits of the module."""
    return sorted(name for name, value in vars(limits).items() if name.isupper() and not name.startswith("_"))


def test_the_page_states_every_limit() -> None:
    page = (ROOT / "site_src" / "limits.md").read_text(encoding="utf-8")
    cells = [cell for cell in re.findall(r"^\| .* \| (.*) \|$", page, re.MULTILINE) if cell != "limit"]
    assert cells == [stated(row) for row in ROWS]
    assert sorted(name for row in ROWS for _, name, _, _ in Formatter().parse(row) if name) == public()


def test_every_limit_has_a_unit_and_a_reason() -> None:
    text = (ROOT / "specs" / "limits.py").read_text(encoding="utf-8")
    explained = re.findall(r"^([A-Z][A-Z0-9_]+) = .+  # .{10,}$", text, re.MULTILINE)
    assert sorted(explained) == public()


def test_every_limit_is_used() -> None:
    folders = ("specs", "rules", "live", "docgen", "fleet", "cli")
    texts = [path.read_text(encoding="utf-8") for folder in folders for path in (ROOT / folder).rglob("*.py")]
    words = {
        word for text in texts if '"""All limits on input' not in text for word in re.findall(r"\w+", text)
    }
    assert [name for name in public() if name not in words] == []


def test_the_scripts_of_the_site_have_the_same_limits() -> None:
    script = (ROOT / "docgen/site/theme/assets/codec.js").read_text(encoding="utf-8")
    assert f"MAX_STRING = {limits.MAX_INT16}, MAX_EMPTY = {limits.MAX_EMPTY}," in script
