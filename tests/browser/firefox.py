"""A real Firefox, driven over WebDriver BiDi, which it speaks itself, without a driver."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import websocket

PATIENCE: Final = 60.0
"""Seconds that Firefox may take to start, or to answer."""

PREFERENCES: Final = {
    # Whatever is not of this machine goes to a proxy that is not there.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "browser.shell.checkDefaultBrowser": False,
}

KEYS: Final = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Control": "\ue009",
    "Escape": "\ue00c",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowUp": "\ue013",
    "ArrowDown": "\ue015",
}
"""The keys that no character stands for, as WebDriver writes them."""

EVENTS: Final = ("log.entryAdded", "network.beforeRequestSent")

BOX: Final = """
(selector) => {
  const one = document.querySelector(selector);
  one.scrollIntoView({ block: "nearest" });
  const { x, y, width, height } = one.getBoundingClientRect();
  return [x, y, width, height];
}
"""


class Firefox:
    """A running Firefox and the tab that is open in it."""

    def __init__(self, socket: websocket.WebSocket) -> None:
        self._socket = socket
        self._number = 0
        self._tab = ""
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=list(EVENTS))

    def call(self, method: str, **parameters: Any) -> Any:
        """Send a command and give its result; what Firefox tells meanwhile is noted."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        self._socket.send(json.dumps(command))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._number:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['error']}: {message['message']}")
                return message["result"]
            told = message.get("params", {})
            if message.get("method") == "log.entryAdded" and told["level"] == "error":
                self.errors.append(told["text"])
            elif message.get("method") == "network.beforeRequestSent":
                self.requests.append(told["request"]["url"])

    def open(self, url: str) -> None:
        """Load a page in a new tab, which takes the place of the one before."""
        former, self._tab = self._tab, self.call("browsingContext.create", type="tab")["context"]
        if former:
            self.call("browsingContext.close", context=former)
        self.requests, self.errors = [], []
        self.call("browsingContext.setViewport", context=self._tab, viewport=VIEWPORT)
        self.call("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def run(self, function: str, *arguments: object) -> Any:
        """Call a JavaScript function in the page with plain values, and give its plain value."""
        written = ", ".join(json.dumps(argument) for argument in arguments)
        answer = self.call(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({function})({written})) ?? null)()",
            target={"context": self._tab},
            awaitPromise=True,
            # As of a reader's click, which a clipboard asks for.
            userActivation=True,
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"].get("value", "null"))

    def wait(self, function: str, *arguments: object) -> None:
        """Wait until a function of the page gives what is true."""
        until = time.monotonic() + PATIENCE
        while not self.run(function, *arguments):
            assert time.monotonic() < until, f"{function} stays false"
            time.sleep(0.05)

    def click(self, selector: str, *held: str, at: tuple[int, int] | None = None) -> None:
        """Click an element in its middle, or so many pixels from its corner, with keys held."""
        x, y, width, height = self.run(BOX, selector)
        to_x, to_y = at or (width / 2, height / 2)
        mouse = [
            {"type": "pointerMove", "x": int(x + to_x), "y": int(y + to_y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        keys = _presses(held)
        pauses: list[dict[str, Any]] = [{"type": "pause"} for _ in held]
        self._act(
            {"type": "key", "id": "keys", "actions": [*keys[0], *PAUSE * len(mouse), *keys[1]]},
            {"type": "pointer", "id": "mouse", "actions": [*pauses, *mouse, *pauses]},
        )

    def press(self, *keys: str) -> None:
        """Press keys together, as ("Control", "c")."""
        down, up = _presses(keys)
        self._act({"type": "key", "id": "keys", "actions": [*down, *up]})

    def printed(self) -> str:
        """Print the page to a PDF in base64."""
        data: str = self.call("browsingContext.print", context=self._tab)["data"]
        return data

    def screenshot(self) -> str:
        """Give a picture of the page as PNG in base64."""
        data: str = self.call("browsingContext.captureScreenshot", context=self._tab)["data"]
        return data

    def _act(self, *sources: dict[str, Any]) -> None:
        self.call("input.performActions", context=self._tab, actions=list(sources))


VIEWPORT: Final = {"width": 1000, "height": 900}
PAUSE: Final = [{"type": "pause"}]


def _presses(keys: tuple[str, ...]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    values = [KEYS.get(key, key) for key in keys]
    down = [{"type": "keyDown", "value": value} for value in values]
    return down, [{"type": "keyUp", "value": value} for value in reversed(values)]


@contextmanager
def firefox(program: str, profile: Path) -> Iterator[Firefox]:
    """Run a Firefox of an own profile, and end it."""
    written = (f'user_pref("{name}", {json.dumps(value)});' for name, value in PREFERENCES.items())
    (profile / "user.js").write_text("\n".join(written), encoding="utf-8")
    command = [program, "--headless", "--profile", str(profile), "--remote-debugging-port", "0"]
    with (profile / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        address = _address(process, profile)
        # Firefox refuses a socket that says which page it comes from.
        made = websocket.create_connection(address, timeout=PATIENCE, suppress_origin=True)
        with closing(made) as socket:
            yield Firefox(socket)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(process: "subprocess.Popen[bytes]", profile: Path) -> str:
    """Give the address that Firefox writes into its profile once it listens."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            told = json.loads((profile / "WebDriverBiDiServer.json").read_text(encoding="utf-8"))
            return f"ws://{told['ws_host']}:{told['ws_port']}/session"
        except (OSError, ValueError):
            time.sleep(0.1)
    raise RuntimeError(
        f"Firefox does not answer: {(profile / 'log').read_text(errors='replace')[-2000:]}"
    )
