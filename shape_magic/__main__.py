"""The command line, `python -m shape_magic`: each command parses, and calls one function."""

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from shape_magic.errors import ArgumentError, ShapeMagicError
from shape_magic.wording import one_line, visible

_ANALYZER: Final = (
    "measure with this analyzer (json, markdown or a plug-in's), not with the first that "
    "recognises the text"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and give the exit status: 2, and one line, where it is refused."""
    parser = argparse.ArgumentParser(
        prog="python -m shape_magic",
        description="Measure the shape of texts, say why it is what it is, and more. "
        "`python -m shape_magic COMMAND --help` explains a command.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    _add_debugging(commands)

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
    notebooks.add_argument("folder", type=Path, metavar="FOLDER", help="made where it is missing")
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
        status = options.run(options)
    except (ShapeMagicError, OSError) as error:
        said = str(error)
        if isinstance(error, OSError) and error.filename is not None:
            said = f"{error.filename}: {error.strerror}"
        print(f"{parser.prog}: {visible(said)}", file=sys.stderr)  # noqa: T201
        return 2
    return int(status or 0)


def _add_debugging(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    measure = commands.add_parser(
        "measure",
        help="print the shape of files",
        description="Print each file's eight numbers and outline, as an evaluator is shown them.",
    )
    measure.add_argument("files", nargs="+", metavar="FILE", help="a text in UTF-8")
    measure.add_argument(
        "--json",
        action="store_true",
        help="print a line of JSON for each file: file, analyzer, shape, outline, notes",
    )
    measure.add_argument("--analyzer", metavar="KIND", help=_ANALYZER)
    measure.set_defaults(run=_measure)

    explain = commands.add_parser(
        "explain",
        help="say why a file's figures are what they are",
        description="Say which lines each figure was counted from and by which rule, and which "
        "lines only look as if they should be counted.",
    )
    explain.add_argument("file", metavar="FILE", help="a text in UTF-8")
    explain.add_argument(
        "about",
        nargs="?",
        metavar="ATTRIBUTE|LINES",
        help="what to explain: an attribute (headings), a line (12) or a range of lines (12:15); "
        "all attributes if it is left out",
    )
    explain.add_argument("--analyzer", metavar="KIND", help=_ANALYZER)
    explain.set_defaults(run=_explain)

    compare = commands.add_parser(
        "compare",
        help="compare two files' shapes, or two analyzers on files",
        description="Print the figures of two files and their difference. The exit status is 1 "
        "where there is a difference, and 0 where there is none.",
    )
    compare.add_argument("files", nargs="+", metavar="FILE", help="a text in UTF-8")
    compare.add_argument(
        "--analyzers",
        nargs=2,
        metavar=("A", "B"),
        help="print instead where these two analyzers (as json and markdown) differ on the files, "
        "of which there may be any number",
    )
    compare.set_defaults(run=_compare)


def _measure(options: argparse.Namespace) -> None:
    from shape_magic.files import measure_file
    from shape_magic.prompting.candidate import opening_tag, outline_element

    for file in options.files:
        measurement = measure_file(file, analyzer=options.analyzer)
        if options.json:
            # ASCII alone, so that what a candidate wrote does nothing to a terminal.
            line = json.dumps(
                {
                    "file": file,
                    "analyzer": measurement.analyzer,
                    "shape": measurement.shape.as_dict(),
                    "outline": [
                        {"line": a.line, "label": a.label, "last_line": a.last_line}
                        for a in measurement.outline
                    ],
                    "notes": [
                        {"code": note.code, "line": note.line, "message": note.message}
                        for note in measurement.notes
                    ],
                }
            )
        else:
            line = f"{opening_tag(file, measurement.shape)}\n{outline_element(measurement)}"
        _print(line)


def _explain(options: argparse.Namespace) -> None:
    from shape_magic.debugging.explain import about_what, explain
    from shape_magic.files import measure_file

    measurement = measure_file(options.file, analyzer=options.analyzer)
    attribute, lines = about_what(options.about)
    _print(str(explain(measurement, attribute, lines)))


def _compare(options: argparse.Namespace) -> int:
    from shape_magic.debugging.compare import compare_analyzers, figures_table
    from shape_magic.files import measure_file

    measured = {file: measure_file(file) for file in options.files}
    if options.analyzers:
        texts = {file: measurement.text for file, measurement in measured.items()}
        comparison = compare_analyzers(texts, *options.analyzers)
        _print(str(comparison))
        return int(bool(comparison.differences or comparison.failures))
    if len(options.files) != 2:
        raise ArgumentError(
            f"compare takes two files, and was given {len(options.files)}; with --analyzers A B it "
            "compares two analyzers on any number of files"
        )
    first, second = (measured[file] for file in options.files)
    names = (one_line(options.files[0], length=40), one_line(options.files[1], length=40))
    _print("\n".join(figures_table(first.shape, second.shape, names=names)))
    return int(first.shape != second.shape)


def _print(text: str) -> None:
    # A lone surrogate has no encoding, and not every terminal's encoding has every character.
    encoding = sys.stdout.encoding or "utf-8"
    print(visible(text).encode(encoding, "backslashreplace").decode(encoding))  # noqa: T201


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

    copied = copy_course(options.folder.expanduser())
    for notebook in copied:
        _print(str(notebook))
    print(  # noqa: T201
        f"read them in this order, beginning with: jupyter lab {shlex.quote(str(copied[0]))}",
        file=sys.stderr,
    )


def _glossary(_options: argparse.Namespace) -> None:
    from shape_magic.teaching.glossary import glossary

    sys.stdout.write(glossary())


if __name__ == "__main__":
    sys.exit(main())
