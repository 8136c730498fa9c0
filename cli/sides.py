"""The options that select the sides of a comparison, for all commands that compare."""

import argparse

from wirebook.cli.arguments import Arguments
from wirebook.rules.check.request import CheckRequest

SIDES: Arguments = {
    "files FILES *": "check only these files or folders",
    "--against SOURCE": "the base, or a range A..B or A...B (default: detected)",
    "--staged": "check the index, against where HEAD left the target branch",
    "--old SOURCE": "the base, with --new; needs no git",
    "--new SOURCE": "the head, with --old",
    "--released GLOB *": "the tags of releases (repeatable)",
    "--config FILE": "the settings (default: the wirebook.toml of each project)",
}


def check_request(options: argparse.Namespace, *, everything: bool = False) -> CheckRequest:
    """The request described by the options of `SIDES`."""
    return CheckRequest(
        files=tuple(options.files),
        against=options.against,
        staged=options.staged,
        old=options.old,
        new=options.new,
        released=tuple(options.released or ()),
        config=options.config,
        everything=everything,
    )
