"""Installs the Debian packages of the peers, and builds the peers' clients and the hub (preset release)."""
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "release"

PACKAGES = {
    "nats": ["nats-server"],
    "redis": ["redis-server", "libhiredis-dev"],
    "rabbit": ["rabbitmq-server", "librabbitmq-dev"],
    "http": ["wrk"],
}
CLIENTS = {"nats": [], "redis": ["-lhiredis"], "rabbit": ["-lrabbitmq"]}
WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror".split()

# A policy-rc.d file keeps the packages from starting their services. An existing file stays as it is; a file
# written here is removed at the end, also after an error.
INSTALL = """
trap 'exit 130' INT TERM
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\\nexit 101\\n' > "$policy" && chmod 755 "$policy" || exit 1
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install --yes --no-install-recommends "$@"; }
install "$@" || { apt-get update && install "$@"; }
"""


def is_installed(package):
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package],
                           capture_output=True, text=True)
    return asked.stdout == "installed"


def install_packages(parts):
    wanted = [package for part in parts for package in PACKAGES.get(part, [])]
    missing = [package for package in wanted if not is_installed(package)]
    if not missing:
        return
    print("installing", *missing, flush=True)
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    done = subprocess.run([*as_root, "sh", "-c", INSTALL, "install", *missing],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"could not install {' '.join(missing)}:\n{done.stdout}{done.stderr}")


def quietly(command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build_client(name):
    """Compiles a peer's client outside the hub's build, so that the hub's build needs no peer's library."""
    source, program = HERE / f"{name}_client.cc", BUILD / "bench" / f"{name}_client"
    inputs = [source, HERE / "load.h", HERE.parent / "measure.h"]
    if program.exists() and all(p.stat().st_mtime < program.stat().st_mtime for p in inputs):
        return
    print("building", program.name, flush=True)
    quietly(["g++", "-std=c++20", "-O2", *WARNINGS, f"-I{ROOT}", str(source),
             "-o", str(program), *CLIENTS[name], "-pthread"])


def build_tree():
    """Builds the bounds, and the hub if this tree has one."""
    print("building the release preset", flush=True)
    quietly(["cmake", "--preset", "release"])
    known = quietly(["cmake", "--build", str(BUILD), "--target", "help"])
    targets = ["parlance_floor", "parlance_bare_http"]
    targets += ["parlance"] if "\nparlance:" in known else []
    quietly(["cmake", "--build", str(BUILD), "--target", *targets])


def find_parlance(given):
    """Returns the path of the hub's binary, or prints a message and returns None."""
    if given:
        path = shutil.which(given)
        if not path:
            raise SystemExit(f"--parlance {given}: no such program")
        return path
    for place in ("src/app/parlance", "parlance", "bin/parlance"):
        if os.access(BUILD / place, os.X_OK) and (BUILD / place).is_file():
            return str(BUILD / place)
    print("MISSING: this tree has no parlance binary (nothing builds the target 'parlance');\n"
          "         the peers and the bounds are measured, Parlance's own figures stay empty.",
          flush=True)
    return None
