"""TLS for the probe: contexts from PEM files, and readable reasons for failures."""

from __future__ import annotations

import ssl

from wirebook.specs.problems import InputError

_UNKNOWN_AUTHORITY = "its certificate authority is unknown (pass it to --ca)"
_REASONS = {
    10: "it has expired",
    18: "it is self-signed (pass it to --ca if you trust it)",
    19: _UNKNOWN_AUTHORITY,
    20: _UNKNOWN_AUTHORITY,
    21: _UNKNOWN_AUTHORITY,
    62: "it is for another host",
    64: "it is for another address",
}


def trust(ca: str = "", cert: str = "", key: str = "", insecure: bool = False) -> ssl.SSLContext:
    """Create a TLS context with the authorities of the system or of a file, and a client
    certificate.

    Raises InputError if a file does not contain what it should.
    """

    def no_password() -> str:
        raise InputError("the key is encrypted; decrypt it first", key or cert)

    path, what = ca, "certificates"
    try:
        context = ssl.create_default_context(cafile=ca or None)
        if insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if cert:
            path, what = cert, "certificate with its key"
            context.load_cert_chain(cert, key or None, no_password)
    except ssl.SSLError as error:
        raise InputError(
            f"this file has no {what} in PEM format ({_reason(error)})", path
        ) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), error.filename or path) from None
    return context


def described(error: ssl.SSLError) -> str:
    """A failure of TLS in a sentence."""
    if isinstance(error, ssl.SSLCertVerificationError):
        hint, message = _REASONS.get(error.verify_code), str(error.verify_message)
        return f"its certificate is not accepted: {f'{hint} ({message})' if hint else message}"
    if "certificate required" in _reason(error):
        return "it requires a client certificate (--cert)"
    return (
        f"TLS failed ({_reason(error)}): it may be a port without TLS (remove --tls), or not a "
        "broker"
    )


def _reason(error: ssl.SSLError) -> str:
    # Errors that Python itself raises, rather than OpenSSL, lack this attribute.
    return (getattr(error, "reason", None) or str(error)).replace("_", " ").lower()
