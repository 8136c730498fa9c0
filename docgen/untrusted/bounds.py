"""Keeps a build off the network, and limits its time, its memory and its files."""

from __future__ import annotations

import ctypes
import ipaddress
import os
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from wirebook.specs.limits import (
    MAX_BUILD_FILE,
    MAX_BUILD_MEMORY,
    MAX_BUILD_SECONDS,
)
from wirebook.specs.printable import visible
from wirebook.specs.problems import InputError

_NEWNET, _NEWUSER = 0x40000000, 0x10000000  # of <linux/sched.h>
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1  # of <linux/sockios.h> and <linux/if.h>
_CONNECTING = {
    "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
    "socket.gethostbyname", "socket.gethostbyaddr",
}  # fmt: skip


class _TimeIsUp(KeyboardInterrupt):
    """The time of a build is over. As Ctrl-C, it passes whatever handles exceptions."""


@contextmanager
def bounded() -> Iterator[bool]:
    """Limit this process and those that it starts, in the block; yields whether the kernel isolates them.

    Where it does, the processes have a network with nothing but the loopback interface, and keep it. In any
    case Python refuses addresses of others in this process. Raises InputError if the time or the memory is
    used up, and on systems without these limits.
    """
    if sys.platform == "win32":
        raise InputError("--untrusted needs the limits of Linux or macOS")
    isolated = isolate()
    with ExitStack() as stack:
        stack.enter_context(_limited())
        stack.enter_context(_local_only())
        stack.enter_context(_timed())
        try:
            yield isolated
        except _TimeIsUp:
            minutes = MAX_BUILD_SECONDS // 60
            raise InputError(
                f"the build takes more than {minutes} minutes, the limit of --untrusted"
            ) from None
        except MemoryError:
            raise InputError("the build needs more memory than --untrusted allows") from None


# -- network --------------------------------------------------------------------------------------


def isolate() -> bool:
    """Give this process a network of its own, if the kernel allows it; it is never given back.

    A child tries first: a network whose loopback interface cannot be started would stop Java.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    child = os.fork()
    if child == 0:
        code = 1
        with suppress(BaseException):
            _enter_network()
            code = 0
        os._exit(code)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        return False
    _enter_network()
    return True


def _enter_network() -> None:
    user, group = os.geteuid(), os.getegid()
    # Root needs no namespace of users, in which it would lose its rights to the files of others.
    kinds = _NEWNET if user == 0 else _NEWNET | _NEWUSER
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(kinds):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    if kinds & _NEWUSER:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH22x", b"lo", 0)
        (flags,) = struct.unpack_from("H", fcntl.ioctl(any_socket, _GET_FLAGS, request), 16)
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH22x", b"lo", flags | _UP))


_guards: list[Callable[[str, tuple[object, ...]], None]] = []


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _guards and event in _CONNECTING:
        _guards[-1](event, arguments)


@contextmanager
def _local_only() -> Iterator[None]:
    """Refuse every address of another machine, in the block."""
    if not _guards:
        sys.addaudithook(_audit)
    _guards.append(_refuse)
    try:
        yield
    finally:
        _guards.remove(_refuse)


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    address = arguments[1] if event.startswith("socket.") and len(arguments) == 2 else arguments[0]
    host = address[0] if isinstance(address, tuple) and address else address
    if not _is_local(host):
        raise InputError(f'--untrusted allows no connection to "{visible(str(host))}"')


def _is_local(host: object) -> bool:
    if host is None or host in ("localhost", b"localhost"):
        return True
    text = host.decode(errors="replace") if isinstance(host, bytes) else host
    try:
        return isinstance(text, str) and ipaddress.ip_address(text).is_loopback
    except ValueError:
        return False


# -- time and memory ------------------------------------------------------------------------------


@contextmanager
def _limited() -> Iterator[None]:
    """Lower the limits of this process, which all processes that it starts inherit, in the block."""
    import resource

    seconds = MAX_BUILD_SECONDS * (os.cpu_count() or 1)
    ceilings = {
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_DATA: MAX_BUILD_MEMORY,
        resource.RLIMIT_FSIZE: MAX_BUILD_FILE,
        resource.RLIMIT_CORE: 0,
    }
    before = {kind: resource.getrlimit(kind) for kind in ceilings}
    try:
        for kind, most in ceilings.items():
            soft, hard = before[kind]
            rest = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
            resource.setrlimit(kind, (min([most, *rest]), hard))
        yield
    finally:
        for kind, limits in before.items():
            resource.setrlimit(kind, limits)


@contextmanager
def _timed() -> Iterator[None]:
    def stop(_number: int, _frame: object) -> None:
        raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, MAX_BUILD_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
