"""`sfumato serve` in a process of its own, for the tests that open its page or stop it."""

import os
import signal
import subprocess
import sys


class Served:
    """A server of one folder: its address with the token, the path under which all rooms lie, and its origin."""

    def __init__(self, folder, stderr=subprocess.DEVNULL):
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sfumato", "serve", str(folder), "--port", "0"],
            stdout=subprocess.PIPE, stderr=stderr, text=True, env=env,
        )  # fmt: skip
        self.address = self.process.stdout.readline().strip()
        self.base = self.address.partition("/enter/")[0]
        self.origin = "/".join(self.address.split("/")[:3])

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=30)
        self.process.stdout.close()
