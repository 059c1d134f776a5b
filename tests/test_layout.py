"""Where text stands on pages: by character, by stretch, and through `pack` and `unpack`."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.layout import Box, Layout, Line, Page

TEXT = "First line\nSecond line\n\nThird line"
FIRST = Box(page=1, left=72.0, top=70.0, right=172.0, bottom=82.0)
SECOND = Box(page=1, left=72.0, top=84.5, right=182.0, bottom=96.5)
THIRD = Box(page=3, left=50.0, top=-1.5, right=150.0, bottom=10.0)
LAYOUT = Layout(
    pages=(
        Page(number=1, width=595.3, height=841.9, start=0),
        Page(number=2, width=595.3, height=841.9, start=24),
        Page(number=3, width=841.9, height=595.3, start=24),
    ),
    lines=(
        Line(start=0, end=10, box=FIRST),
        Line(start=11, end=22, box=SECOND),
        Line(start=24, end=34, box=THIRD),
    ),
)
EMPTY = Layout(pages=(), lines=())


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Layouts with boxes to a tenth of a point, as they are kept."""
    sides = st.integers(-(10**6), 10**6).map(lambda tenths: tenths / 10)
    ends = sorted(draw(st.sets(st.integers(0, 10**6), max_size=8)))
    pages = st.builds(Page, number=st.integers(1, 5_000), width=sides, height=sides, start=st.integers(0, 10**6))
    boxes = st.builds(Box, page=st.integers(1, 5_000), left=sides, top=sides, right=sides, bottom=sides)
    lines = [Line(start=start, end=end, box=draw(boxes)) for start, end in pairwise(ends)]
    return Layout(pages=tuple(draw(st.lists(pages, max_size=3))), lines=tuple(lines))


@pytest.mark.parametrize(("offset", "page"), [(0, 1), (10, 1), (22, 1), (23, 1), (24, 3), (33, 3), (1_000, 3), (-5, 1)])
def test_the_page_of_a_character(offset: int, page: int) -> None:
    assert LAYOUT.page_at(offset) == page
    assert EMPTY.page_at(offset) is None


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 10, [FIRST]),
        (0, 34, [FIRST, SECOND, THIRD]),
        (10, 24, [SECOND]),
        (22, 24, []),
        (34, 99, []),
        (5, 5, []),
        (9, 3, []),
        (2, 7, [Box(page=1, left=92.0, top=70.0, right=142.0, bottom=82.0)]),
        (
            9,
            12,
            [
                Box(page=1, left=162.0, top=70.0, right=172.0, bottom=82.0),
                Box(page=1, left=72.0, top=84.5, right=82.0, bottom=96.5),
            ],
        ),
    ],
)
def test_the_boxes_of_a_stretch(start: int, end: int, expected: list[Box]) -> None:
    assert LAYOUT.boxes(start, end) == expected
    assert EMPTY.boxes(start, end) == []


def test_a_stretch_turns_the_page() -> None:
    assert LAYOUT.turns(0, 34) == (24, 24)  # page 2 is empty
    assert LAYOUT.turns(0, 24) == LAYOUT.turns(24, 34) == EMPTY.turns(0, 34) == ()


def test_the_text_of_a_page() -> None:
    assert [LAYOUT.text_of(number, TEXT) for number in (1, 2, 3)] == ["First line\nSecond line", "", "Third line"]


def test_boxes_are_kept_to_a_tenth_of_a_point() -> None:
    line = Line(start=0, end=1, box=Box(page=1, left=1.26, top=-1.26, right=99.999, bottom=0.04))
    kept = Layout.unpack(Layout(pages=(), lines=(line,)).pack()).lines[0].box
    assert kept == Box(page=1, left=1.3, top=-1.3, right=100.0, bottom=0.0)


@pytest.mark.parametrize("points", [float("nan"), float("inf"), -float("inf"), 1e300])
def test_sides_that_are_no_places_do_not_lose_the_rest(points: float) -> None:
    line = Line(start=3, end=5, box=Box(page=2, left=points, top=1.0, right=points, bottom=2.0))
    kept = Layout.unpack(Layout(pages=(), lines=(line,)).pack()).lines[0]
    assert (kept.start, kept.end, kept.box.page, kept.box.top, kept.box.bottom) == (3, 5, 2, 1.0, 2.0)


@settings(max_examples=40)
@given(layouts())
def test_what_is_packed_comes_back(layout: Layout) -> None:
    assert Layout.unpack(layout.pack()) == layout


@settings(max_examples=40)
@given(layouts(), st.integers(-10, 10**6), st.integers(-10, 10**6))
def test_boxes_are_those_of_the_lines_within(layout: Layout, start: int, end: int) -> None:
    within = [line for line in layout.lines if max(start, line.start) < min(end, line.end)]
    assert [box.page for box in layout.boxes(start, end)] == [line.box.page for line in within]
    assert [(box.top, box.bottom) for box in layout.boxes(start, end)] == [
        (line.box.top, line.box.bottom) for line in within
    ]
