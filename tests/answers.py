"""Other people's answers: a folder of text files, or JSON Lines with `id` and `text`."""

import json
from collections.abc import Iterator
from pathlib import Path


def answers(path: Path) -> Iterator[tuple[str, str]]:
    """Give each answer's name and text."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.is_file():
                yield str(file), file.read_text(encoding="utf-8", errors="replace")
        return
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            record = json.loads(line)
            yield record["id"], record["text"]
