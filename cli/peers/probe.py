"""`wirebook probe`: the versions of live brokers, compared with the releases."""

from __future__ import annotations

import argparse
import getpass
import os
import ssl
import sys
from collections.abc import Mapping

from wirebook.cli import exits
from wirebook.cli.peers.own_specs import check_kafka, declare_kafka_only
from wirebook.cli.terminal import coloured, emit
from wirebook.live.probe.login import PLAINTEXT
from wirebook.live.probe.probe import addresses
from wirebook.live.probe.request import ProbeRequest, probe
from wirebook.live.probe.session import Login, Settings
from wirebook.live.probe.text import text
from wirebook.live.probe.tls import trust
from wirebook.specs.limits import MAX_PROBE_SECONDS, PROBE_SECONDS
from wirebook.specs.printable import quiet, to_json, visible
from wirebook.specs.problems import InputError

PASSWORD = "WIREBOOK_PASSWORD"
MECHANISMS = ("plain", "scram-sha-256", "scram-sha-512")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    declare_kafka_only(parser)
    parser.add_argument(
        "brokers", metavar="HOST:PORT", nargs="+", help="addresses of brokers, separated by commas or spaces"
    )
    parser.add_argument("--tls", action="store_true", help="use TLS")
    parser.add_argument(
        "--ca", metavar="FILE", help="trust only the authorities in this PEM file (with --tls)"
    )
    parser.add_argument("--cert", metavar="FILE", help="a client certificate in PEM format (with --tls)")
    parser.add_argument("--key", metavar="FILE", help="its key, unless --cert contains it")
    parser.add_argument(
        "--insecure", action="store_true", help="accept any certificate; do not use this with a real password"
    )
    parser.add_argument(
        "--sasl", metavar="MECHANISM", type=str.lower, choices=MECHANISMS, help="log in: %(choices)s"
    )
    parser.add_argument(
        "--allow-plaintext",
        action="store_true",
        help="send the password of --sasl plain without TLS, for everyone on the network to read",
    )
    parser.add_argument("--user", metavar="NAME", help="the user name")
    parser.add_argument(
        "--password-file",
        metavar="FILE",
        help=f"a file whose first line is the password; default: the variable {PASSWORD}, or a prompt",
    )
    # --password must not abbreviate --password-file: an error would then show the password as a file name.
    parser.add_argument("--password", nargs="?", action=_NoPassword, help=argparse.SUPPRESS)
    parser.add_argument(
        "--timeout",
        metavar="S",
        type=float,
        default=PROBE_SECONDS,
        help=f"seconds for each broker (default: {PROBE_SECONDS:g})",
    )
    parser.add_argument(
        "--format",
        choices=("table", "json", "ranges"),
        default="table",
        help="ranges are JSON for negotiate --broker FILE",
    )


class _NoPassword(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        parser.error(
            "a password on the command line is visible to other users and in the shell history: use "
            f"--password-file or set {PASSWORD}"
        )


def run(options: argparse.Namespace) -> int:
    """Print the answers of the brokers.

    Returns 0 if all answer and are alike, 1 if they answer and differ, 2 if one does not answer. Raises
    InputError, OSError.
    """
    check_kafka(options)
    request = probe_request(options)
    report = probe(request)
    if options.format == "table":
        emit("\n".join(text(report, colour=coloured(sys.stdout, os.environ))) + "\n")
    elif options.format == "json":
        emit(to_json(report.to_json()))
    else:
        emit(to_json(report.ranges()))
        for broker in report.brokers:
            if broker.answer.failure is not None:
                failed = f"{broker.answer.address}: {broker.answer.failure.message}"
                print(f"wirebook: {quiet(visible(failed))}", file=sys.stderr)
    if report.failed:
        return exits.UNUSABLE
    return exits.CLEAN if report.alike else exits.FINDINGS


def probe_request(options: argparse.Namespace) -> ProbeRequest:
    """The request described by the options; prompts for a missing password. Raises InputError, OSError."""
    if not 0 < options.timeout <= MAX_PROBE_SECONDS:
        raise InputError(f"--timeout must be a number of seconds above 0 and at most {MAX_PROBE_SECONDS:g}")
    brokers = tuple(addresses(options.brokers))
    settings = Settings(options.timeout, _tls(options), _login(options), options.allow_plaintext)
    if settings.login is not None:
        _warn(plaintext=settings.tls is None, unverified=options.insecure)
    return ProbeRequest(brokers, settings)


def _tls(options: argparse.Namespace) -> ssl.SSLContext | None:
    if not options.tls:
        for name in ("ca", "cert", "key", "insecure"):
            if getattr(options, name):
                raise InputError(f"--{name} needs --tls")
        return None
    if options.key and not options.cert:
        raise InputError("--key needs --cert")
    if options.ca and options.insecure:
        raise InputError("--ca and --insecure contradict each other: choose one")
    return trust(options.ca or "", options.cert or "", options.key or "", options.insecure)


def _login(options: argparse.Namespace) -> Login | None:
    if options.sasl is None:
        for name in ("user", "password_file"):
            if getattr(options, name) is not None:
                raise InputError(f"--{name.replace('_', '-')} needs --sasl")
        return None
    if not options.user:
        raise InputError("--sasl needs --user")
    if options.sasl == "plain" and not options.tls and not options.allow_plaintext:
        raise InputError(PLAINTEXT)
    password = _password(options.password_file, options.user, os.environ)
    if "\0" in password or "\0" in options.user:
        raise InputError("a user name or password cannot contain a zero byte")
    try:
        f"{options.user}{password}".encode()
    except UnicodeEncodeError:
        raise InputError("the user name or password is not UTF-8") from None
    return Login(options.sasl.upper(), options.user, password)


def _password(path: str | None, user: str, environ: Mapping[str, str]) -> str:
    """Read the password from a file, the environment or a prompt. No output or error contains it."""
    if path is not None:
        try:
            with open(path, "rb") as file:
                line = file.readline(65536)
            return line.decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError:
            raise InputError("the password in the file is not UTF-8", path) from None
    if PASSWORD in environ:
        return environ[PASSWORD]
    if not sys.stdin.isatty():
        raise InputError(f"no password: use --password-file, set {PASSWORD}, or run this in a terminal")
    try:
        return getpass.getpass(f"Password of {user}: ")
    except EOFError:
        raise InputError("no password was given") from None


def _warn(*, plaintext: bool, unverified: bool) -> None:
    if plaintext:
        print("wirebook: without --tls, anyone on the network can read the login", file=sys.stderr)
    if unverified:
        print("wirebook: with --insecure, anyone on the network can impersonate the broker", file=sys.stderr)
