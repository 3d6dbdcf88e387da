"""A server on the loopback for a few files: modules do not load from `file:`."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


@contextmanager
def serve(files: Mapping[str, Path]) -> Iterator[str]:
    """Serve files under their paths, and give the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            file = files.get(self.path)
            # A browser asks for an icon of its own accord, and logs an error where it gets 404.
            self.send_response(200 if file or self.path == "/favicon.ico" else 404)
            if file is not None:
                self.send_header("Content-Type", f"{TYPES[file.suffix]}; charset=utf-8")
            self.end_headers()
            if file is not None:
                self.wfile.write(file.read_bytes())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
