"""TLS for the probe: contexts from PEM files, and readable reasons for failures."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import TypeVar

from wirebook.live.probe.address import Address, Deadline, ProbeError, connect
from wirebook.specs.problems import InputError

_T = TypeVar("_T")


def trust(ca: str = "", cert: str = "", key: str = "", insecure: bool = False) -> ssl.SSLContext:
    """Create a TLS context with the authorities of the system or of a file, and a client certificate.

    Raises InputError if a file does not contain what it should.
    """
    context = read_pem(ca, "certificates", lambda: ssl.create_default_context(cafile=ca or None))
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if cert:

        def no_password() -> str:
            raise InputError("the key is encrypted; decrypt it first", key or cert)

        read_pem(
            cert, "certificate with its key", lambda: context.load_cert_chain(cert, key or None, no_password)
        )
    return context


def read_pem(path: str, what: str, load: Callable[[], _T]) -> _T:
    """Load a PEM file that contains `what`; errors of `load` become InputError with the path."""
    try:
        return load()
    except ssl.SSLError as error:
        raise InputError(f"this file has no {what} in PEM format ({reason(error)})", path) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), error.filename or path) from None


def speaks_tls(address: Address, deadline: Deadline) -> bool:
    """Whether a TLS handshake gets an answer in TLS, even if it is a refusal."""
    context = trust(insecure=True)
    try:
        with connect(address, deadline) as connection:
            connection.settimeout(max(deadline.left, 0.001))
            with context.wrap_socket(connection, server_hostname=address.host):
                return True
    except ssl.SSLError as error:
        return "ALERT" in reason_code(error)
    except (ProbeError, OSError, ValueError):
        return False


def distrust(error: ssl.SSLCertVerificationError) -> str:
    hints = {
        10: "it has expired",
        18: "it is self-signed (pass it to --ca if you trust it)",
        19: "its certificate authority is unknown (pass it to --ca)",
        20: "its certificate authority is unknown (pass it to --ca)",
        21: "its certificate authority is unknown (pass it to --ca)",
        62: "it is for another host",
        64: "it is for another address",
    }
    hint = hints.get(error.verify_code)
    message = str(error.verify_message)
    return f"{hint} ({message})" if hint else message


def reason_code(error: ssl.SSLError) -> str:
    # Errors that Python itself raises, rather than OpenSSL, lack this attribute.
    return getattr(error, "reason", None) or ""


def reason(error: ssl.SSLError) -> str:
    return (reason_code(error) or str(error)).replace("_", " ").lower()
