"""TLS for the probe: contexts from PEM files, and the reasons for failures."""

from __future__ import annotations

import ssl

from wirebook.specs.problems import InputError


def trust(ca: str = "", cert: str = "", key: str = "", insecure: bool = False) -> ssl.SSLContext:
    """Create a TLS context with the authorities of the system or of a file, and a client
    certificate.

    Raises InputError if a file does not contain what it should.
    """

    def no_password() -> str:
        raise InputError("the key is encrypted; decrypt it first", key or cert)

    path = ca
    try:
        context = ssl.create_default_context(cafile=ca or None)
        if insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if cert:
            path = f"{cert} {key}".rstrip()
            context.load_cert_chain(cert, key or None, no_password)
    except OSError as error:
        raise InputError(f"this cannot be used as PEM: {error.strerror or error}", path) from None
    return context


def described(error: ssl.SSLError) -> str:
    """A failure of TLS in a sentence, with the words of the library."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted: {error.verify_message} (--ca names authorities)"
    return (
        f"TLS fails: {error.reason or error}: the port requires a client certificate (--cert), or "
        "it may be a port without TLS (remove --tls)"
    )
