"""`%%predict`: say the numbers of a text first, and see them then."""

import argparse
import re
from typing import Final

from IPython.core.error import UsageError
from IPython.core.magic import magics_class

from shape_magic.notebook.magics.options import SessionMagics, argument, declare
from shape_magic.teaching.exercise import Checked, predict
from shape_magic.teaching.glossary import glossary_help
from shape_magic.vocabulary import ATTRIBUTE_NAMES
from shape_magic.wording import quoted

__all__ = ["TeachingMagics"]

_GUESS: Final = re.compile(r"(?P<name>[^=]+)=(?P<figure>[0-9]{1,9})")


@magics_class
class TeachingMagics(SessionMagics):
    """The magics of exercises."""

    @declare(
        "cell",
        "predict",
        argument(
            "guesses",
            nargs="*",
            metavar="NAME=NUMBER",
            help="what you predict, as in headings=2 list_items=4",
        ),
        epilog=glossary_help(),
    )
    def predict(self, options: argparse.Namespace, content: str) -> Checked:
        """Hold your prediction of the cell's numbers against them, each miss with its reason."""
        guesses: dict[str, int] = {}
        for guess in options.guesses:
            match = _GUESS.fullmatch(guess)
            if match is None:
                raise UsageError(
                    f"{quoted(guess)} is no prediction: write a name and a number, as in headings=2"
                )
            if match["name"] in guesses:
                raise UsageError(f"{match['name']} is predicted twice: once is enough")
            guesses[match["name"]] = int(match["figure"])
        if not guesses:
            raise UsageError(
                "predict first, look then: read the text, and write one number or more behind "
                f"%%predict, as in %%predict headings=2. There are {', '.join(ATTRIBUTE_NAMES)}"
            )
        return predict(self.session.registry.measure(content), **guesses)
