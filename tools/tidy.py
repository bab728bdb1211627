#!/usr/bin/env python3
"""Runs clang-tidy over the sources of src/, sim/ and sdk/, and caches the results.

The build directory caches each result under a hash of everything the result depends on: the file, the
project headers that the file includes, the compile command, .clang-tidy and clang-tidy's version.
Tests are left out, because clang-tidy reports findings inside GoogleTest's macros.
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
# GCC's options for precompiled headers (cmake/Options.cmake); clang knows neither these headers nor these warnings.
PRECOMPILED = re.compile(r" -Winvalid-pch -include \S+/cmake_pch\.hxx"
                         r"| -Wno-(?:maybe-uninitialized|stringop-overflow|stringop-overread|restrict)(?= )")
FINDING = re.compile(r"^(.+?):\d+:\d+: (?:warning|error): .*\[([\w.,-]+)\]$")


def is_ours(path):
    """Returns whether a source belongs to the program and is no test or test helper."""
    relative = path.relative_to(ROOT)
    return (relative.parts[0] in PARTS and "testing" not in relative.parts
            and not path.name.endswith("_test.cc"))


def reached_headers(path, seen):
    """Returns all project headers that `path` includes, directly or through other headers."""
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
    """Returns the findings in one file as clang-tidy prints them, or None if clang-tidy could not run."""
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
    """Returns the files that differ from a commit, or None if this clone lacks the commit."""
    run = subprocess.run(["git", "-C", str(ROOT), "diff", "--name-only", commit, "--"],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return None
    return {(ROOT / name).resolve() for name in run.stdout.splitlines()}


def is_touched(path, changed):
    """Returns whether a source or a project header that the source includes is in `changed`."""
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
    parser.add_argument("paths", nargs="*", help="check only the files under these paths (default: all)")
    parser.add_argument("--build", default="build/dev", help="the configured build directory")
    parser.add_argument("--jobs", type=int, default=2, help="number of clang-tidy processes")
    parser.add_argument("--tidy", default="clang-tidy", help="name or path of clang-tidy")
    parser.add_argument("--deep", action="store_true",
                        help="run the static analyzer as well, which takes as long as all other checks")
    parser.add_argument("--since", metavar="FILE",
                        help="check the sources that changed since the commit named in FILE, at which all sources were "
                             "clean; then check other sources for --seconds, in an order that depends on HEAD")
    parser.add_argument("--seconds", type=float, default=240, help="with --since: time limit for unchanged sources")
    parser.add_argument("--count", action="store_true", help="print the number of findings per check at the end")
    args = parser.parse_args()

    build = pathlib.Path(args.build)
    build = build if build.is_absolute() else ROOT / build
    database = build / "compile_commands.json"
    if not database.is_file():
        sys.exit(f"tidy.py: {database} is missing; configure first: cmake --preset dev")
    entries = json.loads(database.read_text())
    for entry in entries:  # Clang cannot read GCC's precompiled headers.
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
