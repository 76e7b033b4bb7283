"""A stand-in for Prometheus that has fresh values of every node, at next to no cost."""

import http.server
import json
import threading
import time
import urllib.parse

_VALUES = (("cpu", "2"), ("memory", "4294967296"), ("rtt", "0.002"), ("loss", "0"))


class FakePrometheus:
    def __init__(self, nodes):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                self.answer(urllib.parse.parse_qs(body))

            def do_GET(self):
                self.answer(urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query))

            def answer(self, parameters):
                query, now = parameters["query"][0], time.time()
                value = next((v for name, v in _VALUES if name in query), "0")
                if query.startswith("timestamp("):
                    value = f"{now:.3f}"
                data = {"resultType": "vector", "result": [
                    {"metric": {"node": node}, "value": [now, value]} for node in nodes]}
                text = json.dumps({"status": "success", "data": data}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
