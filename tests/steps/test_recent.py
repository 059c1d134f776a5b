"""A memory of a size: what was asked for lately stays."""

import pytest

from scholarmind.steps.run_caches import Recent

pytestmark = pytest.mark.anyio


async def test_what_was_not_asked_for_longest_is_forgotten() -> None:
    memory = Recent(size=2)
    await memory.put("a", "1")
    await memory.put("b", "2")
    assert await memory.get("a") == "1"
    await memory.put("c", "3")
    assert [await memory.get(address) for address in "abc"] == ["1", None, "3"]


async def test_a_new_value_takes_the_place_of_the_old_one() -> None:
    memory = Recent(size=2)
    for address, value in (("a", "1"), ("b", "2"), ("a", "3"), ("c", "4")):
        await memory.put(address, value)
    assert [await memory.get(address) for address in "abc"] == ["3", None, "4"]
