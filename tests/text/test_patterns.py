"""Regular expressions that are compiled when they are first used."""

import re

import pytest

from scholarmind.text.language import lazy_regex


def test_it_is_used_as_a_compiled_one_is() -> None:
    word = lazy_regex(r"(?P<first>[a-z])\w*", re.IGNORECASE)
    assert [match["first"] for match in word.finditer("Attention is all")] == ["A", "i", "a"]
    assert (word.sub("x", "Attention, all"), word.groups, word.pattern) == ("x, x", 1, r"(?P<first>[a-z])\w*")


def test_what_is_wrong_is_told_when_it_is_used_and_not_before() -> None:
    broken = lazy_regex("(")
    with pytest.raises(re.error, match="unterminated subpattern"):
        broken.search("")
