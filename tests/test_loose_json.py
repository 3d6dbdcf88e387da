"""The bounds of what a reply's JSON may hold."""

import pytest

from shape_magic.deliberation.loose_json import LONGEST_NUMBER, node_of, read_number


def test_number__is_read_up_to_the_longest() -> None:
    longest = "1" * LONGEST_NUMBER
    assert LONGEST_NUMBER == 400
    assert read_number(longest) == (int(longest), True)
    assert read_number(longest + "1") is None


def test_integer__of_parsed_json_is_taken_up_to_the_longest() -> None:
    for sign in (1, -1):
        assert node_of(sign * (10**400 - 1)).value == sign * (10**400 - 1)
        with pytest.raises(ValueError, match="an integer in it is too long"):
            node_of(sign * 10**400)
