"""What a build of an unreviewed checkout may use: no network, and so much time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import ROOT
from wirebook.docgen.untrusted import bounds
from wirebook.specs.limits import MAX_BUILD_FILE
from wirebook.specs.problems import InputError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the limits are those of POSIX")

# In a process of its own: a network is never given back, and neither is a hook.
HEAD = """\
import resource, socket, subprocess, sys, time
from wirebook.docgen.untrusted import bounds
from wirebook.specs.problems import InputError
"""
LISTEN = """\
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname(), timeout=5).close()
"""


def scripted(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HEAD + code],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    "attempt",
    [
        'socket.create_connection(("192.0.2.1", 80), timeout=1)',
        'socket.socket().connect_ex(("192.0.2.1", 80))',
        'socket.getaddrinfo("host.example", 80)',
        'socket.gethostbyname("host.example")',
        'socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53))',
        'socket.socket(socket.AF_INET6).connect(("2001:db8::1", 80))',
        'socket.socket(socket.AF_UNIX).connect("/run/other.sock")',
        'socket.create_server(("", 0))',
        'socket.create_server(("0.0.0.0", 0))',
    ],
)
def test_python_reaches_this_machine_only(attempt: str, tmp_path: Path) -> None:
    code = (
        "bounds.isolate = lambda: False\n"
        f"with bounds.bounded():\n    exec({LISTEN!r})\n"
        f"    try:\n        {attempt}\n    except InputError as error:\n        print(error)\n"
    )
    done = scripted(code, tmp_path)
    assert "--untrusted allows no connection to " in done.stdout, done.stderr


def test_the_guard_ends_with_the_block(tmp_path: Path) -> None:
    code = (
        "bounds.isolate = lambda: False\n"
        "with bounds.bounded():\n    pass\n"
        "socket.create_server(('0.0.0.0', 0)).close()\nprint('bound')\n"
    )
    assert scripted(code, tmp_path).stdout == "bound\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the namespaces are those of Linux")
def test_the_kernel_isolates_every_process_where_it_can(tmp_path: Path) -> None:
    """Of a program that is not Python's too: the only interface is the loopback."""
    code = (
        "if not bounds.isolate():\n    print('no namespace')\n    raise SystemExit\n"
        f"{LISTEN}"
        "print(subprocess.run(['cat', '/proc/net/dev'], capture_output=True, text=True).stdout)\n"
        "print(socket.socket().connect_ex(('192.0.2.1', 80)))\n"
    )
    done = scripted(code, tmp_path)
    if done.stdout == "no namespace\n":
        pytest.skip("this system gives no network namespace")
    interfaces = [line.split(":")[0].strip() for line in done.stdout.splitlines() if ":" in line]
    assert interfaces == ["lo"], done.stderr
    assert done.stdout.splitlines()[-1] == "101"  # ENETUNREACH


def test_processes_inherit_the_limits_which_end_with_the_block(tmp_path: Path) -> None:
    show = "import resource as r; print(*(r.getrlimit(k)[0] for k in (r.RLIMIT_FSIZE, r.RLIMIT_CORE)))"
    code = (
        "bounds.isolate = lambda: False\n"
        "before = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
        f"with bounds.bounded():\n    print(subprocess.run([sys.executable, '-c', {show!r}],"
        " capture_output=True, text=True).stdout)\n"
        "assert resource.getrlimit(resource.RLIMIT_FSIZE) == before\n"
    )
    done = scripted(code, tmp_path)
    assert done.stdout.strip() == f"{MAX_BUILD_FILE} 0", done.stderr


def test_the_time_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MAX_BUILD_SECONDS", 0.2)
    monkeypatch.setattr(bounds, "isolate", lambda: False)
    monkeypatch.setattr(bounds, "_limited", bounds._timed)
    with pytest.raises(InputError, match="the build takes more than"), bounds.bounded():
        time.sleep(60)


@pytest.mark.skipif(sys.platform != "linux", reason="macOS does not limit the memory of a process")
def test_the_memory_ends(tmp_path: Path) -> None:
    code = (
        "bounds.isolate = lambda: False\nbounds.MAX_BUILD_MEMORY = 1 << 28\n"
        "try:\n    with bounds.bounded():\n        bytearray(1 << 29)\n"
        "except InputError as error:\n    print(error)\n"
    )
    done = scripted(code, tmp_path)
    assert done.stdout == "the build needs more memory than --untrusted allows\n", done.stderr
