"""Runs commands in turn and prints a Markdown table, in milliseconds: the median of CPU time (user and system), and the
shortest duration and the median."""

import os
import statistics
import sys
import time

ROUNDS = 60


def run(command, environment):
    """Runs a command with its output thrown away. Returns its CPU time and its duration in milliseconds."""
    begin = time.monotonic()
    process = os.posix_spawnp(
        command[0],
        command,
        environment,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
    )
    _, status, usage = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return (usage.ru_utime + usage.ru_stime) * 1e3, (time.monotonic() - begin) * 1e3


def main(url, programs):
    # Certificates of the environment, and a configuration of the user, would be read too.
    left_out = ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "PLUGBOARD_CONFIG", "HOME", "XDG_CONFIG_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    environment["no_proxy"] = "*"
    commands = [["curl", "--version"], ["curl", "-s", url]]
    for program in programs:
        commands += [[program, "--version"], [program, "get", url], [program, "curl", "-s", url]]
    results = [[] for _ in commands]
    for _ in range(ROUNDS):
        # In turn, so that whatever else the machine does hits all alike.
        for command, result in zip(commands, results):
            result.append(run(command, environment))
    print("| command | CPU ms | shortest ms | median ms |\n|---|---:|---:|---:|")
    for command, result in zip(commands, results):
        times, durations = zip(*result)
        cpu, median = statistics.median(times), statistics.median(durations)
        name = " ".join([os.path.basename(command[0])] + ["URL" if word == url else word for word in command[1:]])
        print(f"| `{name}` | {cpu:.1f} | {min(durations):.1f} | {median:.1f} |")


main(sys.argv[1], sys.argv[2:])
