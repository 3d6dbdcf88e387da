"""A server on the loopback that speaks both wires, and can fail in the ways that servers fail."""

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, cast

import jsonschema  # type: ignore[import-untyped]

from tests.servers.evaluator import Evaluator
from tests.servers.wires import WIRES, BadRequestError, Wire

__all__ = ["Fault", "ModelServer", "model_server"]

Fault = Literal["429", "500", "cut", "ends early", "silence"]


class ModelServer(ThreadingHTTPServer):
    """Answers as the evaluator does; each fault in `faults` befalls one request, in order."""

    daemon_threads = True

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.evaluator = evaluator
        self.faults: deque[Fault] = deque()
        self.bodies: list[dict[str, Any]] = []
        """The body of every request that came."""
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        """The address, without the path."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        server = cast(ModelServer, self.server)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.bodies.append(body)
        wire = WIRES[self.path]
        fault = server.faults.popleft() if server.faults else None
        if fault == "silence":
            server.closing.wait()
            self.close_connection = True
            return
        if fault in ("429", "500"):
            self._answer(int(fault), wire.error(int(fault), "try again"))
            return
        try:
            asked = wire.asked(body)
        except (BadRequestError, LookupError, TypeError, ValueError) as error:
            self._answer(400, wire.error(400, f"{type(error).__name__}: {error}"))
            return
        if asked.schema is not None:
            reply = json.loads(server.evaluator.reply(asked.prompt))
            try:
                jsonschema.validate(reply, asked.schema)
            except jsonschema.ValidationError as error:
                self._answer(400, wire.error(400, f"the schema allows no true reply: {error}"))
                return
        self._stream(wire, list(wire.events(asked, server.evaluator)), fault)

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, wire: Wire, events: list[str], fault: Fault | None) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        if fault is not None:
            events = events[: len(events) // 2]
        for event in events:
            data = event.encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        if fault == "cut":
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")


@contextmanager
def model_server(evaluator: Evaluator | None = None) -> Iterator[ModelServer]:
    """Run a server while the context lasts."""
    server = ModelServer(Evaluator() if evaluator is None else evaluator)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
