#!/usr/bin/env python3
"""Runs clang-tidy over the sources of src/, sim/ and sdk/, and remembers what was clean.

A result is kept in the build directory under the hash of all that could change it: the file, the
project headers it reaches, its compile command, .clang-tidy and the version of the tool. Tests are
left out: what GoogleTest's macros expand to is not ours to tidy.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("src", "sim", "sdk")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# What GCC is told about precompiled headers (cmake/Options.cmake): clang has neither these headers nor these warnings.
PRECOMPILED = re.compile(r" -Winvalid-pch -include \S+/cmake_pch\.hxx"
                         r"| -Wno-(?:maybe-uninitialized|stringop-overflow|stringop-overread|restrict)(?= )")
FINDING = re.compile(r"^(.+?):\d+:\d+: (?:warning|error): .*\[([\w.,-]+)\]$")


def is_ours(path):
    """Whether a source is the program's own, and not a test or a helper of tests."""
    relative = path.relative_to(ROOT)
    return (relative.parts[0] in PARTS and "testing" not in relative.parts
            and not path.name.endswith("_test.cc"))


def reached_headers(path, seen):
    """All project headers that `path` includes, directly or through others."""
    for name in INCLUDE.findall(path.read_text()):
        for base in (ROOT / "src", ROOT, path.parent):
            header = (base / name).resolve()
            if header.is_file() and header not in seen:
                seen.add(header)
                reached_headers(header, seen)
                break
    return seen


def key_of(path, command, common):
    digest = hashlib.sha256(common)
    digest.update(command.encode())
    for part in sorted({path, *reached_headers(path, set())}):
        digest.update(str(part.relative_to(ROOT)).encode() + b"\0" + part.read_bytes())
    return digest.hexdigest()


def tidy(tidy_program, build, path):
    """The findings in one file, as clang-tidy prints them; None if it could not run."""
    run = subprocess.run([*tidy_program, "-p", str(build), "--quiet", str(path)],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0 and not run.stdout.strip():
        return None, run.stderr
    return run.stdout.replace(str(ROOT) + "/", "").strip(), ""


def check_one(job):
    tidy_program, build, path, cache = job
    name = str(path.relative_to(ROOT))
    if cache.is_file():
        return name, cache.read_text(), 0.0
    began = time.monotonic()
    findings, trouble = tidy(tidy_program, build, path)
    if findings is None:
        return name, f"{name}: clang-tidy did not run:\n{trouble}", time.monotonic() - began
    cache.parent.mkdir(parents=True, exist_ok=True)
    draft = cache.with_suffix(f".{os.getpid()}")
    draft.write_text(findings)
    draft.replace(cache)
    return name, findings, time.monotonic() - began


def changed_since(commit):
    """What differs from a commit; None if this clone does not have it."""
    run = subprocess.run(["git", "-C", str(ROOT), "diff", "--name-only", commit, "--"],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return None
    return {(ROOT / name).resolve() for name in run.stdout.splitlines()}


def is_touched(path, changed):
    """Whether a source, or a project header that it reaches, is among what changed."""
    return bool(({path} | reached_headers(path, set())) & changed)


def count_by_check(reports):
    counts = {}
    for line in sorted({line for text in reports for line in text.splitlines()}):
        if match := FINDING.match(line):
            check = match[2].split(",")[0]
            counts[check] = counts.get(check, 0) + 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", help="only files under these (default: all)")
    parser.add_argument("--build", default="build/dev", help="the configured build directory")
    parser.add_argument("--jobs", type=int, default=2, help="how many run at once")
    parser.add_argument("--tidy", default="clang-tidy", help="the program")
    parser.add_argument("--deep", action="store_true",
                        help="with the static analyzer, which takes as long as all other checks")
    parser.add_argument("--since", metavar="FILE",
                        help="what changed since the commit that this file names, at which all was clean; and "
                             "of the rest, in another order for each commit, as much as --seconds allow")
    parser.add_argument("--seconds", type=float, default=240, help="with --since: for what did not change")
    parser.add_argument("--count", action="store_true", help="end with findings by check")
    args = parser.parse_args()

    build = pathlib.Path(args.build)
    build = build if build.is_absolute() else ROOT / build
    database = build / "compile_commands.json"
    if not database.is_file():
        sys.exit(f"tidy.py: {database} is missing; configure first: cmake --preset dev")
    entries = json.loads(database.read_text())
    for entry in entries:  # What GCC has precompiled clang cannot read, and needs not.
        entry["command"] = PRECOMPILED.sub("", entry["command"])
    database = build / "tidy" / database.name
    database.parent.mkdir(exist_ok=True)
    database.write_text(json.dumps(entries))
    commands = {pathlib.Path(entry["file"]).resolve(): entry["command"] for entry in entries}
    version = subprocess.run([args.tidy, "--version"], capture_output=True, check=True).stdout
    program = [args.tidy] if args.deep else [args.tidy, "--checks=-clang-analyzer-*"]
    common = version + " ".join(program).encode() + (ROOT / ".clang-tidy").read_bytes()

    wanted = [(ROOT / path).resolve() for path in args.paths] or [ROOT]
    jobs = [(program, database.parent, path, database.parent / key_of(path, command, common))
            for path, command in sorted(commands.items())
            if path.is_file() and path.is_relative_to(ROOT) and is_ours(path)
            and any(path.is_relative_to(part) for part in wanted)]
    if not jobs:
        sys.exit("tidy.py: there is nothing to look at")
    rest = []
    if args.since:
        commit = (ROOT / args.since).read_text().split()[0]
        changed = changed_since(commit)
        if changed is None:
            print(f"this clone does not have {commit}: everything is looked at")
        elif ROOT / ".clang-tidy" not in changed:
            rest = [job for job in jobs if not is_touched(job[2], changed)]
            jobs = [job for job in jobs if is_touched(job[2], changed)]
            head = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, check=True).stdout
            rest.sort(key=lambda job: hashlib.sha256(head + str(job[2].relative_to(ROOT)).encode()).digest())
            print(f"{len(jobs)} files changed since {commit[:12]}, or reach what did; {len(rest)} did not")

    reports, seconds, looked = [], 0.0, 0
    until = None

    def check_in_time(job):
        return check_one(job) if time.monotonic() < until else None

    def take(result):
        nonlocal seconds, looked
        if result is None:
            return
        looked += 1
        seconds += result[2]
        if result[1]:
            reports.append(result[1])
            print(result[1], flush=True)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for result in pool.map(check_one, jobs):
            take(result)
        until = time.monotonic() + args.seconds
        for result in pool.map(check_in_time, rest):
            take(result)
    for check, count in sorted(count_by_check(reports).items()) if args.count else ():
        print(f"{count:5} {check}")
    print(f"{looked} files, {len(reports)} with findings, {seconds:.0f} s of clang-tidy")
    sys.exit(bool(reports))


if __name__ == "__main__":
    main()
