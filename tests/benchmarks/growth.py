"""How the cost of measuring grows with hostile text: ten times the text, how many times the time.

    python -m tests.benchmarks.growth

Each input is made at four sizes, and all are measured several times in one run; the least time of
each counts. There are two ratios, since lists of a million entries also leave the processor's
caches: one of sizes that do not, and one up to `--size` characters. Nothing is asserted.

    python -m tests.benchmarks.growth --search 2000

measures made-up inputs in place of these, a short text repeated between two others, at two sizes,
and names those whose time grows faster than their length, to be looked at.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Mapping
from typing import Final

import shape_magic

DEPTH: Final = 150


def filled(line: str, size: int) -> str:
    """Repeat a line until there are `size` characters."""
    return line * max(1, size // len(line))


def counted(line: Callable[[int], str], size: int) -> str:
    """Join numbered lines until there are `size` characters."""
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append(line(len(lines)))
        length += len(lines[-1])
    return "".join(lines)


def square_table(size: int) -> str:
    """A table of n columns and n rows of one cell."""
    columns = size // 6
    return "|a" * columns + "|\n" + "|-" * columns + "|\n" + "|\na" * columns


HOSTILE: Final[dict[str, Callable[[int], str]]] = {
    "deep quotes": lambda size: filled(">" * DEPTH + "a\n", size),
    "one quote marker more a line": lambda size: counted(lambda n: ">" * n + "a\n", size),
    "deep quotes, lazy lines": lambda size: ">" * DEPTH + "a\n" + filled("a\n", size),
    "deep quotes, short lazy quotes": lambda size: ">" * DEPTH + "a\n" + filled("> a\n", size),
    "quoted fences, lazy text": lambda size: filled("> ```\na\n", size),
    "quoted items, lazy text": lambda size: filled("> 1. a\nb\n", size),
    "deep lists": lambda size: counted(lambda n: "  " * (n % 200) + "- a\n", size),
    "deep lists, blank lines": lambda size: "- " * DEPTH + "a\n" + filled("\n", size) + "b\n",
    "deep lists, lazy lines": lambda size: "- " * DEPTH + "a\n" + filled("a\n", size),
    "- - - on one line": lambda size: filled("- ", size) + "a",
    "1. 1. on one line": lambda size: filled("1. ", size) + "a",
    "- - - on every line": lambda size: filled("- " * DEPTH + "a\n", size),
    "fences of growing length": lambda size: counted(lambda n: "`" * (n + 3) + "\n", size),
    "fences of shrinking length": lambda size: counted(
        lambda n: "~" * max(3, 2000 - n) + " a\n", size
    ),
    "unclosed fences in items": lambda size: filled("- ```\n", size),
    "link references": lambda size: filled("[a]: b\n", size) + "===\n",
    "open link references": lambda size: filled("[a]: <b\n", size) + "===\n",
    "open link labels": lambda size: filled("[", size) + "\n===\n",
    "open link titles": lambda size: filled("[a]: b\n(c\n", size) + "===\n",
    "wide tables": lambda size: ("|a" * (size // 8) + "|\n" + "|-" * (size // 8) + "|\n") * 2,
    "long tables": lambda size: "|a|b|\n|-|-|\n" + filled("|a|b|\n", size),
    "n columns, n rows of a cell": square_table,
    "delimiter rows": lambda size: filled("|-|-|\n", size),
    "pipes without tables": lambda size: filled("| a | b |\n", size),
    "escaped pipes": lambda size: filled("\\|", size) + "\n|-|\n",
    "spaces in a delimiter row": lambda size: "a\n|-" + filled(" ", size) + "x\n",
    "long text over an underline": lambda size: filled("a\n", size) + "===\n",
    "many texts over underlines": lambda size: filled("a\n" * 1000 + "===\n", size),
    "unclosed HTML comments": lambda size: filled("<!-- a\n", size),
    "unclosed HTML tags": lambda size: filled("<a b='c\n", size),
    "HTML attributes": lambda size: "<a" + filled(" b", size),
    "HTML spaces": lambda size: "<a" + filled(" ", size) + "\n",
    "closing script tags missing": lambda size: filled("<script>\n\n", size),
    "tabs": lambda size: filled("\t", size) + "a\n",
    "tabs on every line": lambda size: filled("\t\ta\n", size),
    "quoted tabs": lambda size: filled(">\t>\ta\n", size),
    "one long line": lambda size: filled("a", size),
    "one long heading": lambda size: "# " + filled("a", size),
    "hashes": lambda size: filled("#", size),
    "headings": lambda size: filled("# a\n", size),
    "headings going down": lambda size: counted(lambda n: "#" * (n % 6 + 1) + " a\n", size),
    "line endings": lambda size: filled("\r", size),
    "hash tags": lambda size: filled("#a\n", size),
    "JSON brackets": lambda size: filled("[", size) + "]",
    "JSON in JSON": lambda size: "[" * 128 + filled("1,", size) + "1" + "]" * 128,
    "JSON quotes": lambda size: "[" * 200 + filled('"\\', size) + "]",
    "JSON keys": lambda size: "{" + filled('"a":1,', size) + '"b":{}}',
    "JSON strings": lambda size: '["' + filled("\\ud800", size) + '"]',
    "JSON in surrogates": lambda size: '["' + filled("\\ud83d\ude00\ud800", size) + '"]',
    "JSON refused at its end": lambda size: "[" + filled("1,\n", size) + "]",
    "prompt tags": lambda size: filled("</outline>\n", size),
    "a tag and spaces": lambda size: "<" + filled(" ", size),
    "a tag and line endings": lambda size: "<" + filled("\n", size),
    "tags and spaces": lambda size: filled("<  \n  ", size),
    "a tag and what shows as nothing": lambda size: "<" + filled("\u200b", size),
    "a tag in a JSON string": lambda size: '["<' + filled(" ", size) + '"]',
    "the beginning of a tag": lambda size: filled("<candidat", size),
    "letters of a tag, spread out": lambda size: filled("<c \n a \n n", size),
    "the beginning of the prompt's words": lambda size: filled("FINAL SOLUTION\n", size),
    "letters of the prompt's words, spread out": lambda size: filled("\rF I N A L ", size),
    "lines of spaces": lambda size: filled("\r" + " " * 100, size),
    "HTML values": lambda size: "<a" + filled(" b='c'", size),
    "open HTML values": lambda size: filled("<a b='", size),
    "HTML values without quotes": lambda size: "<a b=" + filled("c=", size),
    "spaces around an HTML value": lambda size: (
        "<a b" + filled(" ", size) + "=" + filled("\t", size)
    ),
    "HTML names": lambda size: "<" + filled("a-", size),
    "stars and spaces": lambda size: filled("* ", size) + "a",
    "an underline and spaces": lambda size: "a\n==" + filled(" ", size) + "a",
    "digits": lambda size: filled("1", size) + ".",
    "quote markers and markers of items": lambda size: filled("> - 1. ", size) + "#a",
    "brackets in a label": lambda size: "[" + filled("\\[", size) + "]: /u\na\n===\n",
    "a backslash at each pipe": lambda size: "|" + filled("\\|", size) + "\n|-|\n|-|\n",
    "joiners": lambda size: filled("\u200d\ufe0f", size),
    "labels like anchors": lambda size: filled("# a | L9 b\n", size),
    "bars and spaces in labels": lambda size: filled("# |" + " " * 50 + "\n", size),
    "long cells": lambda size: "|a|\n|-|\n" + filled("|" + "b" * 130 + "\n", size),
    "long items": lambda size: filled("- " + "b" * 510 + "\n", size),
}
"""Texts that a candidate may write to slow measuring down, by name."""


def least_time(
    text: str, *, times: int, act: Callable[[str], object] = shape_magic.measure
) -> float:
    """Do something with a text several times and give the least processor time in seconds."""
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        act(text)
        least = min(least, time.process_time() - start)
    return least


PIECES: Final = (
    *("<", ">", "/", "=", "'", '"', "`", "~", "-", "*", "_", "+", "#", "|", ":", "\\", "[", "]"),
    *("{", "}", "(", ")", "!", "?", "&", ".", "1", "0", "a", "b", "F", "T", " ", "  ", "\t", "\n"),
    *("\r", "\r\n", "\n\n", "\v", "\u00a0", "\u200b", "\u200d", "\ufe0f", "\ud83d", "\ude00"),
    *("candidate", "think", "FINAL", "SOLUTION", "<!--", "-->", "<![CDATA[", "<?", "<pre>", "<a "),
    *("```", "===", "---", "|-|", "]: ", "\n    ", "\n> ", "\n- ", "\n1. ", "L9", "\\u", '",'),
)
SEARCHED: Final = (6_000, 48_000)
SUSPECT: Final = 1.6
"""Times per character, of which the longer text's is so many times the shorter's."""


def search(count: int) -> None:
    """Make texts up and print those whose time grows faster than their length."""
    chance = random.Random()

    def some(most: int) -> str:
        return "".join(chance.choices(PIECES, k=chance.randint(0, most)))

    suspects = 0
    for _ in range(count):
        before, repeated, after = some(3), some(5), some(3)
        if not repeated:
            continue
        texts = [before + filled(repeated, size) + after for size in SEARCHED]
        small, large = (least_time(text, times=2) / len(text) for text in texts)
        if large > SUSPECT * small:
            # Once more, since a busy machine makes many look so.
            small, large = (least_time(text, times=7) / len(text) for text in texts)
        if large > SUSPECT * small:
            suspects += 1
            sys.stdout.write(f"{large / small:6.1f} times: {(before, repeated, after)!r}\n")
    sys.stdout.write(f"{suspects} suspects in {count:,} texts\n")


def main(arguments: list[str] | None = None) -> None:
    """Print a row for each input."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", type=int, default=1_000_000, help="characters (1,000,000)")
    parser.add_argument("--times", type=int, default=3, help="measured this often each (3)")
    parser.add_argument("--search", type=int, metavar="COUNT", help="make so many inputs up")
    options = parser.parse_args(arguments)
    if options.search:
        search(options.search)
        return
    print_growth(HOSTILE, shape_magic.measure, size=options.size, times=options.times)


def print_growth(
    inputs: Mapping[str, Callable[[int], str]],
    act: Callable[[str], object],
    *,
    size: int,
    times: int,
) -> None:
    """Print a row for each input: how long it takes, and how many times a tenth of it."""
    write = sys.stdout.write
    sizes = [size * share // 100 for share in (3, 30, 10, 100)]
    small, large = (f"{length // 1000:,} kB" for length in sizes[1::2])
    write("Processor time, and how many times as long it is as for a tenth of the text\n\n")
    write(f"{'input':42} {'seconds for':>11} {'ten times,':>10} {'ten times,':>10}\n")
    write(f"{'':42} {large:>11} {small:>10} {large:>10}\n")
    for name, make in inputs.items():
        least = [least_time(make(length), times=times, act=act) for length in sizes]
        ratios = f"{least[1] / least[0]:10.1f} {least[3] / least[2]:10.1f}"
        write(f"{name:42} {least[3]:11.2f} {ratios}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
