"""`wirebook audit`: the rules applied to a whole history."""

import argparse

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.site_options import QUIET, SPARK, need
from wirebook.docgen.progress import progress
from wirebook.specs.printable import number_of

ARGUMENTS: Arguments = {
    "repository REPO": "a git repository, bare or not",
    "--releases GLOB": {"required": True, "help": "the tags that are releases"},
    "--commits REV": {"default": "HEAD", "help": "the newest commit to judge"},
    "--output DIR": {"default": "build/audit", "help": "default: %(default)s"},
    **QUIET,
    **SPARK,
}


def run(options: argparse.Namespace) -> int:
    """Judge the history and print a short summary; findings do not make the command fail."""
    need("audit", "pyarrow", "jinja2")
    from wirebook.docgen.pipeline.audit import audit

    with progress(options.quiet) as stages:
        summary = audit(
            options.repository,
            options.releases,
            options.output,
            options.commits,
            master=options.master,
            conf=dict(options.conf),
            progress=stages,
        )
    if not options.quiet:
        for steps, counts in (
            (number_of(summary.commits, "commit"), summary.findings.commits),
            (number_of(summary.releases, "release"), summary.findings.releases),
        ):
            worse = f"{number_of(counts.error, 'error')}, {number_of(counts.warning, 'warning')}"
            print(f"{steps}: {worse}, {counts.info} for information")
        print(f"The findings are in {options.output}: index.html, findings.jsonl and summary.json")
    return exits.CLEAN
