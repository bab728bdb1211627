"""Starts each server on a free loopback port with a separate data directory, and stops the server.

Only processes started here are stopped, each by process id. Each server runs in a new session, so that Ctrl-C in a
terminal reaches only the command, which then stops the server.
"""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time

HOST = "127.0.0.1"


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def is_listening(port):
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False


def tail_of(path, lines=15):
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])


def wait_for(process, port, log, patience_s=90):
    end = time.monotonic() + patience_s
    while not is_listening(port):
        if process.poll() is not None:
            raise RuntimeError(f"the server ended at once:\n{tail_of(log)}")
        if time.monotonic() > end:
            raise RuntimeError(f"nothing listens on port {port} after {patience_s} s:\n{tail_of(log)}")
        time.sleep(0.1)


def stop(process, patience_s=30):
    """Stops all processes of the server's session: SIGTERM, a wait, then SIGKILL."""
    endings = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    signal.pthread_sigmask(signal.SIG_BLOCK, endings)  # Delays a second Ctrl-C until the server has stopped.
    try:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience_s)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, endings)


@contextlib.contextmanager
def running(command, port, data, environment=None):
    """Yields the process of a server that answers on `port`; the server is stopped when the block ends."""
    log = data / "server.log"
    with log.open("ab") as out:
        process = subprocess.Popen([str(word) for word in command], cwd=data, stdout=out, stderr=out,
                                   stdin=subprocess.DEVNULL, start_new_session=True,
                                   env={**os.environ, **(environment or {})})
    try:
        wait_for(process, port, log)
        yield process
    finally:
        stop(process)


def nats(port, data):
    return running(["nats-server", "-a", HOST, "-p", port, "-js", "-sd", data], port, data)


def redis(port, data):
    """Starts Redis with a sync before every answer, and without snapshots and log rewrites."""
    return running(["redis-server", "--bind", HOST, "--port", port, "--dir", data, "--save", "",
                    "--appendonly", "yes", "--appendfsync", "always",
                    "--auto-aof-rewrite-percentage", "0", "--daemonize", "no"], port, data)


@contextlib.contextmanager
def rabbit(port, data):
    """Starts RabbitMQ with a separate port mapper (epmd), which is stopped with the server."""
    (data / "rabbitmq.conf").write_text(f"listeners.tcp.1 = {HOST}:{port}\n")
    (data / "enabled_plugins").write_text("[].\n")
    (data / "env.conf").write_text("")
    mapper_port = free_port()
    environment = {
        "HOME": str(data),
        "ERL_EPMD_PORT": str(mapper_port),
        "ERL_EPMD_ADDRESS": HOST,
        "ERL_AFLAGS": "-start_epmd false",
        "RABBITMQ_NODENAME": "bench@localhost",
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_CONF_ENV_FILE": str(data / "env.conf"),
        "RABBITMQ_CONFIG_FILE": str(data / "rabbitmq.conf"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(data / "enabled_plugins"),
        "RABBITMQ_MNESIA_BASE": str(data / "mnesia"),
        "RABBITMQ_LOG_BASE": str(data / "log"),
        "RABBITMQ_PID_FILE": str(data / "pid"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
    }
    mapper = ["epmd", "-address", HOST, "-port", mapper_port]
    server = ["/usr/lib/rabbitmq/bin/rabbitmq-server"]
    with running(mapper, mapper_port, data), running(server, port, data, environment) as process:
        yield process


def parlance(binary):
    def serve(port, data):
        command = [binary, "serve", "--dev", "--data", data / "hub", "--listen", f"{HOST}:{port}"]
        return running(command, port, data)
    return serve


def bare_http(binary):
    return lambda port, data: running([binary, "--port", port], port, data)


@contextlib.contextmanager
def nothing(_port, _data):
    """Starts no server, for a program that contains its own."""
    yield None


def session_cpu_s(process):
    """Returns the CPU time used by the server and the server's child processes."""
    if process is None:
        return 0.0
    ticks = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[3]) == process.pid:
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
