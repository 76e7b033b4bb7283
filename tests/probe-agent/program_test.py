"""The program leadline-probe-agent as people and Kubernetes meet it: flags, pages, exit codes."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request

SOURCE = pathlib.Path(__file__).resolve().parents[2]
AGENT = pathlib.Path(os.environ.get("LEADLINE_BINARY_DIR") or SOURCE / "build") / "bin" / (
    "leadline-probe-agent")


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def agent(self, *arguments):
        return subprocess.run([AGENT, *map(str, arguments)], capture_output=True, text=True,
                              timeout=120)

    def config(self, **settings):
        path = self.directory / "agent.yaml"
        path.write_text(json.dumps(settings))  # JSON is YAML as well
        return path

    def start(self, **settings):
        """Starts an agent for good; gives process and URL."""
        http = f"127.0.0.1:{free_port()}"
        process = subprocess.Popen(
            [AGENT, "--config", self.config(**settings), "--http-address", http],
            stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.get(f"http://{http}/livez") is not None)
        return process, f"http://{http}"

    def wait_for(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, "what the test waits for does not happen")
            time.sleep(0.05)

    def get(self, url):
        try:
            with urllib.request.urlopen(url, timeout=10) as page:
                return page.read().decode()
        except OSError:
            return None

    def test_check_reports_and_probes_nobody(self):
        good = self.agent("--check", "--config", self.config(node="n1", dns={"name": "peers"}))
        self.assertEqual(good.returncode, 0, good.stderr)
        self.assertIn("n1", good.stdout)

    def test_a_wrong_configuration_is_told_with_file_line_and_key(self):
        path = self.directory / "wrong.yaml"
        path.write_text("timeout_ms: 500\nretry_time: 1\n")
        wrong = self.agent("--check", "--config", path)
        self.assertEqual(wrong.returncode, 2)
        self.assertRegex(wrong.stderr, r"wrong\.yaml:2.*retry_time")

    def test_wrong_arguments(self):
        for arguments in (["--peers", "nowhere"], ["--http-address", "here"], ["--no-such-flag"],
                          ["--config", "/does/not/exist.yaml"], ["--once"]):
            with self.subTest(arguments):
                ended = self.agent(*arguments)
                self.assertEqual(ended.returncode, 2)
                self.assertNotEqual(ended.stderr.strip(), "")

    def test_version(self):
        self.assertRegex(self.agent("--version").stdout, r"^leadline-probe-agent \d+\.\d+\.\d+\n$")

    def test_once_prints_a_table_and_says_whether_anybody_answered(self):
        alive, dead = (free_port(socket.SOCK_DGRAM) for _ in range(2))
        self.start(node="a", listen=f"127.0.0.1:{alive}")
        config = self.directory / "once.yaml"
        config.write_text("interval: 50ms\ntimeout_ms: 200\n")
        once = self.agent("--once", "--config", config, "--peers",
                          f"127.0.0.1:{alive},127.0.0.1:{dead}")
        self.assertEqual(once.returncode, 0, once.stderr)
        rows = {line.split()[0]: line.split()[1:] for line in once.stdout.splitlines()}
        self.assertIn("PEER", rows)
        self.assertGreaterEqual(float(rows[f"127.0.0.1:{alive}"][2]), 0)
        self.assertEqual(rows[f"127.0.0.1:{dead}"][1:], ["100.0%", "-", "-", "-", "-"])
        nobody = self.agent("--once", "--config", config, "--peers", f"127.0.0.1:{dead}")
        self.assertEqual(nobody.returncode, 1)

    def test_a_taken_port_ends_it_with_the_address(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            place = "127.0.0.1:%d" % taken.getsockname()[1]
            ended = self.agent("--config", self.config(listen=place), "--http-address",
                               "127.0.0.1:0")
        self.assertEqual(ended.returncode, 1)
        self.assertIn(place, ended.stderr)

    def test_pages_and_a_graceful_end(self):
        for number, code in ((signal.SIGTERM, 0), (signal.SIGINT, 130)):
            with self.subTest(number):
                port = free_port(socket.SOCK_DGRAM)
                process, url = self.start(
                    node="a", listen=f"127.0.0.1:{port}",
                    # A name that breaks pages of careless programs.
                    peers=[{"node": 'b "c" \\ \u00e4', "address": f"127.0.0.1:{free_port()}"}])
                self.assertIsNotNone(self.get(f"{url}/readyz"))
                self.wait_for(lambda: re.search(
                    r"^leadline_probe_loss_ratio\{.*\} 1$", self.get(f"{url}/metrics"), re.M))
                page = self.get(f"{url}/metrics")
                self.assertRegex(page, 'leadline_build_info{.*program="leadline-probe-agent"')
                if shutil.which("promtool"):
                    checked = subprocess.run(["promtool", "check", "metrics"], input=page,
                                             capture_output=True, text=True)
                    self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), code)


if __name__ == "__main__":
    unittest.main()
