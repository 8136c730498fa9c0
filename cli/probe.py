"""`wirebook probe`: the versions of live brokers, compared with the releases."""

import argparse
import getpass
import os
import ssl
import sys

from wirebook.cli import exits
from wirebook.cli.arguments import Arguments
from wirebook.cli.terminal import emit
from wirebook.peers.probe import Access, Login, addresses, probe
from wirebook.peers.probe_report import probe_json, probe_text
from wirebook.peers.tls import trust
from wirebook.specs.limits import MAX_PROBE_SECONDS, PROBE_SECONDS
from wirebook.specs.printable import to_json
from wirebook.specs.problems import InputError

PASSWORD = "WIREBOOK_PASSWORD"
PLAINTEXT = (
    "PLAIN sends the password in plain text on this unencrypted connection: use --tls, or "
    "--allow-plaintext if everyone on the network may read it"
)
# Options, each with one that it needs.
NEEDED = (
    ("ca", "tls"), ("cert", "tls"), ("key", "tls"), ("insecure", "tls"), ("key", "cert"),
    ("user", "sasl"), ("password_file", "sasl"), ("sasl", "user"),
)  # fmt: skip


class _NoPassword(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        seen = "a password on the command line is visible to other users and in the shell history"
        parser.error(f"{seen}: use --password-file or set {PASSWORD}")


ARGUMENTS: Arguments = {
    "brokers HOST:PORT +": "addresses, separated by commas or spaces",
    "--tls": "use TLS",
    "--ca PEM": "trust only the authorities in this file (with --tls)",
    "--cert PEM": "a client certificate (with --tls)",
    "--key PEM": "its key, unless --cert contains it",
    "--insecure": "accept any certificate; do not use this with a real password",
    "--sasl MECHANISM": {
        "type": str.lower,
        "choices": ("plain", "scram-sha-256", "scram-sha-512"),
        "help": "log in: %(choices)s",
    },
    "--allow-plaintext": "send the password of --sasl plain without TLS, for everyone on the "
    "network to read",
    "--user NAME": "the user name",
    "--password-file FILE": f"a file whose first line is the password; default: the variable "
    f"{PASSWORD}, or a prompt",
    # --password must not abbreviate --password-file: an error would then show the password as a
    # file name.
    "--password": {"nargs": "?", "action": _NoPassword, "help": argparse.SUPPRESS},
    "--timeout S": {
        "default": PROBE_SECONDS,
        "help": f"seconds for each connection and each answer (default: {PROBE_SECONDS:g})",
    },
    "--format text|json": "negotiate --broker FILE reads JSON, too",
}


def run(options: argparse.Namespace) -> int:
    """Print the answers of the brokers.

    Returns 0 if all answer and are alike, 1 if they answer and differ, 2 if one does not answer.
    Raises InputError, OSError.
    """
    if not 0 < options.timeout <= MAX_PROBE_SECONDS:
        raise InputError(f"--timeout must be above 0 and at most {MAX_PROBE_SECONDS:g}")
    for name, other in NEEDED:
        if getattr(options, name) and not getattr(options, other):
            raise InputError(f"--{name.replace('_', '-')} needs --{other}")
    brokers = addresses(options.brokers)
    access = Access(options.timeout, _tls(options), _login(options))
    if access.login is not None and access.tls is None:
        risk = "without --tls, anyone on the network can read the login"
        print(f"wirebook: {risk}", file=sys.stderr)
    answers = probe(brokers, access)
    if options.format == "json":
        emit(to_json(probe_json(answers)))
    else:
        emit("\n".join(probe_text(answers)) + "\n")
    if any(answer.failure is not None for answer in answers):
        return exits.UNUSABLE
    alike = all(answer.versions == answers[0].versions for answer in answers)
    return exits.CLEAN if alike else exits.FINDINGS


def _tls(options: argparse.Namespace) -> ssl.SSLContext | None:
    if not options.tls:
        return None
    return trust(options.ca or "", options.cert or "", options.key or "", options.insecure)


def _login(options: argparse.Namespace) -> Login | None:
    if options.sasl is None:
        return None
    if options.sasl == "plain" and not options.tls and not options.allow_plaintext:
        raise InputError(PLAINTEXT)
    password = _password(options.password_file, options.user)
    return Login(options.sasl.upper(), options.user, password)


def _password(path: str | None, user: str) -> str:
    """The password from a file, the environment or a prompt. Neither output nor error has it."""
    if path is not None:
        try:
            with open(path, encoding="utf-8-sig") as file:
                return file.readline().rstrip("\n")
        except UnicodeDecodeError:
            raise InputError("the password in the file is not UTF-8", path) from None
    if PASSWORD in os.environ:
        return os.environ[PASSWORD]
    if not sys.stdin.isatty():
        raise InputError(f"no password: use --password-file, set {PASSWORD}, or use a terminal")
    try:
        return getpass.getpass(f"Password of {user}: ")
    except EOFError:
        raise InputError("no password was given") from None
