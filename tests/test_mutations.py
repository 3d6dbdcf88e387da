"""Changed texts: measuring never fails on them, and finds the blocks that the reference finds.

    pytest tests/test_mutations.py --answers answers.jsonl --mutations 300000

takes other people's answers for the texts, and as many changed ones as one likes.
"""

from pathlib import Path

import pytest

import shape_magic
from shape_magic.analyzers.commonmark import parse_blocks
from shape_magic.analyzers.markdown import MarkdownAnalyzer
from shape_magic.lines import split_lines
from tests.answers import answers
from tests.benchmarks.texts import read_or_make
from tests.mutations import mutations
from tests.reference import reference_structure, structure_of

# What remains is named in `tests/cases/reference.md`, each with its reason.
SHARE_THAT_MAY_DIFFER = 0.0005


@pytest.mark.slow
def test_mutations__are_measured_lawfully_and_as_the_reference_does(
    answers_path: Path | None, mutation_count: int
) -> None:
    texts = [text for _, text in answers(answers_path)] if answers_path else read_or_make(None)
    different = []
    for text in mutations(texts, count=mutation_count, seed=5):
        shape_magic.measure(text).check()
        ours = structure_of(MarkdownAnalyzer().measure(text))
        # The reference reads UTF-8, which has no lone surrogates.
        if ours != reference_structure(text.encode("utf-8", "replace").decode("utf-8")):
            different.append(text)
    assert len(different) / mutation_count < SHARE_THAT_MAY_DIFFER, different[:5]


def test_mutations__are_the_same_for_a_seed_and_nest_what_was_not_nested() -> None:
    texts = ["# a\n\n```\nb\n```\n"]
    changed = list(mutations(texts, count=300, seed=5))
    assert list(mutations(texts, count=300, seed=5)) == changed
    depths = {block.depth for text in changed for block in parse_blocks(split_lines(text)).blocks}
    assert depths >= {0, 1, 2}
