"""The command line: `wirebook …`."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from docgen import check_options, exits
from specs.problems import InputError

SCHEMAS = {
    "message": "specs/schema/message.json",
    "api-versions": "specs/schema/api_versions.json",
    "layout": "specs/schema/layout.json",
    "findings": "rules/schema/findings.json",
    "rules": "rules/schema/rules.json",
    "errors": "specs/schema/errors.json",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code (0 done, 1 findings, 2 unusable input or usage)."""
    options = _parser().parse_args(arguments)
    short = arguments is None and options.command == "check"
    if short:
        # A check is over before there is anything to collect, and looking for it is a tenth of its time.
        gc.disable()
    try:
        code = _run(options)
        sys.stdout.flush()
    except InputError as error:
        print(f"wirebook: {_one_line(str(error))}", file=sys.stderr)
        return exits.UNUSABLE
    except BrokenPipeError:
        _drop_output()
        return exits.UNUSABLE
    except KeyboardInterrupt:
        print("wirebook: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"wirebook: {_one_line(f'{where}{error.strerror or error}')}", file=sys.stderr)
        _drop_output()
        return exits.UNUSABLE
    return code


def _drop_output() -> None:
    """Send away what could not be written: the interpreter must not complain again when it flushes."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _one_line(text: str) -> str:
    from specs.printable import visible

    return visible(" ".join(text.split()))


class _Help(argparse.HelpFormatter):
    """Knows the width of the terminal without the module that argparse asks, for each option, to find it."""

    def __init__(self, prog: str) -> None:
        try:
            width = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (OSError, ValueError):
            width = 80
        super().__init__(prog, width=max(width - 2, 20))


class _Parser(argparse.ArgumentParser):
    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **given})

    def error(self, message: str) -> NoReturn:
        self.exit(exits.UNUSABLE, f"wirebook: {message}\nTry: {self.prog} --help\n")


def _version() -> str:
    """The installed version, by the name of its record: importlib.metadata takes long to start."""
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.startswith("wirebook-") and name.endswith(".dist-info"):
                return name.removeprefix("wirebook-").removesuffix(".dist-info")
    return "0 (not installed)"


class _ShowVersion(argparse.Action):
    def __call__(self, *_: object, **__: object) -> None:
        print(f"wirebook {_version()}")
        raise SystemExit(exits.CLEAN)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="wirebook",
        description="The protocol book for message protocols written as versioned JSON specs.",
        epilog="A SOURCE is a directory, a file, a git ref, REPO@REF, REPO@REF:SUBDIR, or an archive "
        "(.jar .zip .whl .tar.gz). Without one, the specs that come with wirebook are read.",
    )
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="print the version and leave")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)

    def add(name: str, text: str, example: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog=f"Example: {example}",
        )

    check_options.add_arguments(
        add("check", "judge changed specs: does the change break anybody?", "wirebook check --staged")
    )

    show = add("show", "a page of the book in the terminal", "wirebook show Fetch --version 12 --format bnf")
    show.add_argument("api", metavar="API", help="an API (Fetch, or its key 1) or a message (FetchRequest)")
    show.add_argument("--version", type=int, metavar="N", help="by default the newest stable one")
    show.add_argument("--source", metavar="SOURCE", help="where the specs are")
    show.add_argument("--format", choices=("table", "bnf", "json"), default="table")

    export = add(
        "export", "JSON Lines: one layout for each message and version", "wirebook export HEAD --api Fetch"
    )
    export.add_argument("source", metavar="SOURCE", nargs="?", help="where the specs are")
    export.add_argument("--api", metavar="NAME", help="only this API or message")
    export.add_argument("--version", type=int, metavar="N", help="only this version")

    schema = add("schema", "print a JSON Schema of what wirebook reads or writes", "wirebook schema message")
    schema.add_argument("name", metavar="NAME", nargs="?", help="one of: " + ", ".join(SCHEMAS))

    from docgen import audit

    audit.declare(
        add(
            "audit",
            "the rules over every commit and release of a history, on Spark",
            "wirebook audit kafka.git --releases '[0-9]*' --output audit",
        )
    )

    rules = add("rules", "the rules that a check goes by", "wirebook rules --format json")
    rules.add_argument("--format", choices=("table", "json"), default="table")

    explain = add("explain", "one rule: what it finds, why, and what to do", "wirebook explain tag-reused")
    explain.add_argument("rule", metavar="RULE", help="the name of a rule, as a finding shows it")

    completion = add("completion", "the completion script of a shell", 'eval "$(wirebook completion bash)"')
    completion.add_argument(
        "shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish"
    )

    build = add(
        "build",
        "the Spark pipeline, then the site",
        "wirebook build --history kafka.git --releases '[0-9]*' --site-dir site",
    )
    serve = add("serve", "build, then serve with live reload", "wirebook serve --port 8000")
    for command in (build, serve):
        command.add_argument("source", metavar="SOURCE", nargs="?", help="where the specs are")
        command.add_argument("--history", metavar="REPO", help="a git repository whose releases are shown")
        command.add_argument("--releases", metavar="GLOB", help="which tags of it are releases")
        command.add_argument("--master", metavar="URL", default="local[*]", help="the Spark master")
        command.add_argument("--catalog", metavar="DIR", type=Path, help="where the tables are left")
    build.add_argument("--site-dir", metavar="DIR", type=Path, default=Path("site"), help="default: site")
    serve.add_argument("--port", type=int, default=8000, metavar="N", help="default: 8000")
    return parser


def _run(options: argparse.Namespace) -> int:
    match options.command:
        case "check":
            from docgen.check import run_check

            return run_check(options, _version())
        case "audit":
            from docgen import audit

            return audit.run(options)
        case "show":
            from docgen.show import run_show

            return run_show(options)
        case "export":
            from docgen.show import run_export

            return run_export(options)
        case "schema":
            return _schema(options.name)
        case "rules":
            return _rules(options.format)
        case "explain":
            return _explain(options.rule)
        case "completion":
            return _completion(options.shell)
        case _:
            return _build(options)


def _schema(name: str | None) -> int:
    if name is None:
        print("\n".join(SCHEMAS))
        return exits.CLEAN
    if name not in SCHEMAS:
        raise InputError(f'there is no schema "{name}"; there are {", ".join(SCHEMAS)}')
    path = Path(__file__).resolve().parent.parent / SCHEMAS[name]
    print(path.read_text(encoding="utf-8"), end="")
    return exits.CLEAN


def _rules(form: str) -> int:
    import shutil

    from docgen.explain import table, to_json
    from rules.guards import all_rules

    width = shutil.get_terminal_size((100, 24)).columns
    print(to_json(all_rules()) if form == "json" else table(all_rules(), width), end="")
    return exits.CLEAN


def _explain(name: str) -> int:
    import shutil

    from docgen.colour import wanted
    from docgen.explain import explanation, named

    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    print(explanation(named(name), width, wanted(sys.stdout, os.environ)), end="")
    return exits.CLEAN


def _completion(shell: str) -> int:
    from docgen.completion import script
    from rules.guards import all_rules

    words = {("explain", "rule"): [rule.name for rule in all_rules()], ("schema", "name"): list(SCHEMAS)}
    print(script(shell, _parser(), words), end="")
    return exits.CLEAN


def _build(options: argparse.Namespace) -> int:
    if (options.history is None) != (options.releases is None):
        raise InputError(
            "--history and --releases belong together: the repository, and which tags are releases"
        )
    try:
        from docgen.pipeline.run import build_catalog
        from docgen.site import build_site, check_target, serve_site
    except ModuleNotFoundError as error:
        raise InputError(
            f"building needs the package {error.name}: install wirebook[site,spark], or run make site"
        ) from None
    catalog = options.catalog or Path("build") / "catalog"
    if options.command == "build":
        check_target(options.site_dir)

    def pipeline() -> None:
        build_catalog(catalog, options.source, options.history, options.releases, options.master)

    pipeline()
    if options.command == "serve":
        from specs.registry import embedded_source

        source = embedded_source() if options.source is None else Path(options.source)
        serve_site(catalog, options.port, source if source.is_dir() else None, pipeline)
        return exits.CLEAN
    build_site(catalog, options.site_dir)
    print(f"The site is in {options.site_dir}: open {options.site_dir / 'index.html'}")
    return exits.CLEAN


if __name__ == "__main__":
    raise SystemExit(main())
