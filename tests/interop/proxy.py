"""Stands between a client and a server over HTTP: passes every request and answer on as they come, and records the messages in them."""

import json
import threading
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHUNK = 65536
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding"}


class Proxy(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, host, port):
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream = host, port
        self.frames = []  # (sender, message), in the order in which this process saw them; "left" and the id of a request nobody waits for
        self.statuses = []  # (HTTP method, the message's method, whether it is a notification, status)
        threading.Thread(target=self.serve_forever).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}{path}"

    def stop(self):
        """Waits for what is still being passed on: the client must have ended."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """A client that left in the middle of a request is no fault of its own."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Small chunks leave at once.
    disable_nagle_algorithm = True

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if body:
            # A frame is noted before it is passed on, so that no answer precedes its request.
            self.server.frames.append(("client", body.decode("utf-8", "replace")))
        upstream = HTTPConnection(*self.server.upstream, timeout=120)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            upstream.request(self.command, self.path, body or None, headers)
            self.answer(upstream.getresponse(), message(body))
        finally:
            upstream.close()

    do_GET = do_POST = do_DELETE = pass_on

    def answer(self, response, request):
        method, identifier = request.get("method"), request.get("id")
        self.server.statuses.append((self.command, method, "id" not in request, response.status))
        # What is no message gets no answer, whatever its refusal says.
        frames = Frames(self.server.frames if request else [], response.headers.get_content_type() == "text/event-stream")
        try:
            self.send_response_only(response.status, response.reason)
            sized = "Content-Length" in response.headers
            for name, value in response.getheaders():
                if name.lower() not in HOP_BY_HOP:
                    self.send_header(name, value)
            if not sized:
                self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while chunk := response.read1(CHUNK):
                frames.take(chunk)
                self.wfile.write(chunk if sized else b"%x\r\n%b\r\n" % (len(chunk), chunk))
            frames.end()
            if not sized:
                self.wfile.write(b"0\r\n\r\n")
        except (ConnectionError, HTTPException):
            self.close_connection = True
            if identifier is not None and identifier not in frames.answered:
                self.server.frames.append(("left", json.dumps(identifier)))

    def log_message(self, *_):
        pass


class Frames:
    """Cuts the body of an answer into messages: it is one, or a stream of events with one each."""

    def __init__(self, frames, events):
        self.frames, self.events = frames, events
        self.rest, self.answered = b"", set()

    def take(self, chunk):
        self.rest += chunk
        if self.events:
            *events, self.rest = self.rest.split(b"\n\n")
            for event in events:
                data = [line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")]
                if data:
                    self.note(b"\n".join(data))

    def end(self):
        if self.rest:
            self.note(self.rest)

    def note(self, frame):
        self.frames.append(("server", frame.decode("utf-8", "replace")))
        content = message(frame)
        if "method" not in content:
            self.answered.add(content.get("id"))


def message(frame):
    """What the frame holds, or nothing: whether it is a message is judged elsewhere."""
    try:
        content = json.loads(frame)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
