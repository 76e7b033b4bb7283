"""An HTTPS proxy in front of the API server that can lose, delay and refuse."""

import http.client
import http.server
import socket
import ssl
import threading

_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}


class ApiProxy:
    """Passes every request on, with the API server's own certificate, until told otherwise.

    `intercept` may be set to a function of (handler, method, path) that is asked about every
    request: None lets it pass; anything else means that it has dealt with it, by handler.forward()
    and handler.reply() or by handler.drop().
    """

    def __init__(self, plane):
        self.intercept = None
        self.is_cut = False
        self._upstream = ("127.0.0.1", plane.port["kube-apiserver"])
        self._trust = ssl.create_default_context(cafile=str(plane.credentials.ca_file))
        self._sockets = set()
        self._lock = threading.Lock()
        certificate = plane.credentials.ca_file
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, certificate.with_suffix(".key"))
        proxy = self

        class Handler(_Handler):
            owner = proxy

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True,
                                                  do_handshake_on_connect=False)
        self._server.handle_error = lambda *_: None  # cut connections are what it is for
        self.port = self._server.server_address[1]
        self.url = f"https://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def kubeconfig(self, plane, user):
        """The kubeconfig file of a user who comes through this proxy."""
        path = plane.directory / f"{user.replace(':', '-')}-by-proxy.kubeconfig"
        path.write_text(plane.kubeconfig(user).read_text().replace(plane.server, self.url))
        path.chmod(0o600)
        return path

    def cut(self):
        """Ends all connections, and every later one at once, until mend()."""
        with self._lock:
            self.is_cut = True
            for connection in self._sockets:
                _shut(connection)

    def mend(self):
        self.is_cut = False

    def close(self):
        self.cut()
        self._server.shutdown()
        self._server.server_close()

    def connect(self):
        return http.client.HTTPSConnection(*self._upstream, context=self._trust)

    def add(self, connection):
        """False where the connection may not live."""
        with self._lock:
            self._sockets.add(connection)
            return not self.is_cut

    def remove(self, connection):
        with self._lock:
            self._sockets.discard(connection)


def _shut(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # gone already


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None
    body = None

    def handle(self):
        if self.owner.add(self.connection):
            super().handle()

    def finish(self):
        self.owner.remove(self.connection)
        super().finish()

    def pass_on(self):
        length = int(self.headers.get("Content-Length", 0))
        self.body = self.rfile.read(length) if length else None
        intercept = self.owner.intercept
        if intercept is None or intercept(self, self.command, self.path) is None:
            self.relay()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

    def _send_upstream(self):
        upstream = self.owner.connect()
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in _HOP and name.lower() != "host"}
        upstream.request(self.command, self.path, self.body, headers)
        return upstream

    def forward(self):
        """Lets the API server do it, and returns (status, body) in place of answering."""
        upstream = self._send_upstream()
        response = upstream.getresponse()
        result = response.status, response.read()
        upstream.close()
        return result

    def relay(self):
        """Answers as the API server does, piece by piece: a watch has no end."""
        upstream = self._send_upstream()
        self.owner.add(upstream.sock)
        try:
            response = upstream.getresponse()
            self.send_response(response.status)
            for name, value in response.getheaders():
                if name.lower() not in _HOP:
                    self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while piece := response.read1(65536):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except (OSError, http.client.HTTPException):
            self.close_connection = True
        finally:
            self.owner.remove(upstream.sock)
            upstream.close()

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def drop(self):
        """Ends the connection without an answer."""
        self.close_connection = True
        _shut(self.connection)

    def log_message(self, *_):
        pass
