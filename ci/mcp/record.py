"""Stands between a client and a server on standard streams and records every message, a line each."""

import subprocess
import sys
import threading

path, *command = sys.argv[1:]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
lock = threading.Lock()


def forward(source, target, record):
    for line in source:
        with lock:
            record.write(line)
            record.flush()
        target.write(line)
        target.flush()
    target.close()


with open(path, "wb") as record:
    thread = threading.Thread(target=forward, args=(server.stdout, sys.stdout.buffer, record))
    thread.start()
    forward(sys.stdin.buffer, server.stdin, record)
    thread.join()
sys.exit(server.wait())
