"""The command line, `python -m shape_magic`: each command parses, and calls one function."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from shape_magic.errors import ArgumentError, ShapeMagicError
from shape_magic.wording import visible


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and give the exit status: 2, and one line, where it is refused."""
    parser = argparse.ArgumentParser(
        prog="python -m shape_magic", description="The shape of proposals.", allow_abbrev=False
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    mcp = commands.add_parser(
        "mcp",
        help="serve a deliberation's tools over the Model Context Protocol",
        description="Serve read_proposal and search_deliberation of a deliberation over the Model "
        "Context Protocol, on the standard streams. Needs the extra 'mcp'.",
    )
    mcp.add_argument("file", type=Path, metavar="FILE", help="the deliberation's database")
    mcp.set_defaults(run=_mcp)

    notebooks = commands.add_parser(
        "notebooks",
        help="put the course into a folder",
        description="Put the course, six notebooks with their data, into a folder. Nothing that is "
        "there is overwritten. To run them, install JupyterLab (the extra 'lab').",
    )
    notebooks.add_argument("folder", type=Path, metavar="FOLDER", help="made where there is none")
    notebooks.set_defaults(run=_notebooks)

    glossary = commands.add_parser(
        "glossary",
        help="explain the eight numbers, as Markdown",
        description="Write the glossary: what each number means, an example, how it could be "
        "gamed, and what shows it.",
    )
    glossary.set_defaults(run=_glossary)

    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except ShapeMagicError as error:
        print(f"{parser.prog}: {visible(str(error))}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


def _mcp(options: argparse.Namespace) -> None:
    from shape_magic.deliberation import Deliberation
    from shape_magic.mcp_server import serve_over_stdio

    # Opening would make a new file, and an agent would find nothing in it.
    if not options.file.is_file():
        raise ArgumentError(f"there is no file {str(options.file)!r} to serve")
    with Deliberation.open(options.file) as deliberation:
        serve_over_stdio(deliberation)


def _notebooks(options: argparse.Namespace) -> None:
    from shape_magic.teaching.course import copy_course

    for notebook in copy_course(options.folder.expanduser()):
        sys.stdout.write(f"{notebook}\n")


def _glossary(_options: argparse.Namespace) -> None:
    from shape_magic.teaching.glossary import glossary

    sys.stdout.write(glossary())


if __name__ == "__main__":
    sys.exit(main())
