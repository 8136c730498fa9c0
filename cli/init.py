"""`wirebook init`: starts a repository of specs."""

import argparse
import json
import re
from importlib.metadata import distribution

from wirebook._version import __version__
from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.terminal import print_safely
from wirebook.rules.authoring.init import EXAMPLE, Started, start

# What may be in a command to copy and in YAML. An address with a password or a token stays out of
# files.
_PLAIN = re.compile(r"(https://|ssh://git@)[A-Za-z0-9][A-Za-z0-9._/:+-]*", re.ASCII)
REPOSITORY = "https://github.com/OWNER/wirebook"
FIRST = """\
  rm messages/*; wirebook new request PlaceOrder   # your first message in place of the examples
  wirebook explain format                          # what the format cannot describe
"""
NEXT = """\
  wirebook check                              # the specs on their own, later against each commit
  pip install pre-commit; pre-commit install  # from now on, before each commit
"""
SITE = """\
  pip install '{site}'
  wirebook build                              # the site, with these packages
"""
UNNAMED = "Replace OWNER, in these files and above, with the account whose repository has wirebook."

ARGUMENTS: Arguments = {
    "folder DIR ?": {
        "default": ".",
        "help": "a folder of the repository (default: the current one)",
    },
    "--ci": "also write a job that checks each change in CI",
    "--site": "also write mkdocs.yml and a home page",
}


def run(options: argparse.Namespace) -> int:
    """Write what is missing and list it; returns the exit code. Raises InputError, OSError."""
    started = start(options.folder, requirement(), ci=options.ci, site=options.site)
    print_safely(listing(started, site=options.site))
    return exits.CLEAN


def requirement(extras: str = "") -> str:
    """What pip installs: this version, from the repository, because no package index has it yet.

    That is the repository and the commit from which it is installed (PEP 610), if a file may have
    the address.
    """
    source = json.loads(distribution("wirebook").read_text("direct_url.json") or "{}")
    commit = source.get("vcs_info", {}).get("commit_id")
    if commit and _PLAIN.fullmatch(f"{source['url']}{commit}"):
        return f"wirebook{extras} @ git+{source['url']}@{commit}"
    return f"wirebook{extras} @ git+{REPOSITORY}@{__version__}"


def listing(started: Started, *, site: bool) -> str:
    """What was written and what was left unchanged, one line each, and the next commands to run."""
    width = max(map(len, (*started.written, *started.unchanged)))
    lines = [f"wirebook init: {started.top}"]
    if started.written:
        lines += ["", "Written:"]
    for path, why in started.written.items():
        lines.append(f"  {path:<{width}}  {why}")
    if started.unchanged:
        lines += ["", "Unchanged:"]
    for path, block in started.unchanged.items():
        add = "; add to it:" if block else ""
        lines.append(f"  {path:<{width}}  it already exists{add}")
        lines += [f"      {line}" for line in block.splitlines()]
    needed = requirement("[site]")
    commands = [FIRST] if EXAMPLE.keys() <= started.written.keys() else []
    commands.append(NEXT)
    if site:
        commands.append(SITE.format(site=needed))
    if REPOSITORY in needed:
        commands.append(f"\n{UNNAMED}\n")
    return "\n".join([*lines, "", "Next:", "".join(commands)])
