"""The plots: where things stand, and that they are well-formed whatever the labels say."""

import re
from xml.etree import ElementTree as ET

import pytest

from scholarmind.evaluation.html_reports import Dot, curve, histogram, intervals


def shapes(picture: str, tag: str) -> list[dict[str, str]]:
    """Return the attributes of all shapes of a kind."""
    return [dict(shape.attrib) for shape in ET.fromstring(picture).iter(tag)]  # noqa: S314 (it is ours)


def words(picture: str) -> list[str]:
    """Return what is written in a picture."""
    return [shape.text or "" for shape in ET.fromstring(picture).iter("text")]  # noqa: S314


def dot(mean: float, reach: float, label: str = "m", **more: bool) -> Dot:
    """Return a dot with an interval of the same width to both sides."""
    return Dot(label=label, mean=mean, low=mean - reach, high=mean + reach, **more)


def test_differences_stand_on_their_side_of_nought() -> None:
    picture = intervals([dot(0.1, 0.05), dot(-0.1, 0.05), dot(0, 0)], "differences")
    (nought,) = {float(line["x1"]) for line in shapes(picture, "line") if line["class"] == "zero"}
    right, left, middle = (float(one["cx"]) for one in shapes(picture, "circle"))
    assert (left < nought < right, middle) == (True, nought)
    assert nought - left == pytest.approx(right - nought, abs=0.2)


@pytest.mark.parametrize("reach", [0.0, 1e-4, 0.03, 1.0, 250.0])
def test_everything_is_inside_of_the_picture(reach: float) -> None:
    picture = intervals([dot(reach / 2, reach / 2, "a"), dot(-reach, 0, "b")], "t")
    width, height = map(float, re.findall(r'viewBox="0 0 (\S+) (\S+)"', picture)[0])
    for line in shapes(picture, "line"):
        assert 0 <= float(line["x1"]) <= width
        assert 0 <= float(line["x2"]) <= width
        assert 0 <= float(line["y1"]) <= height


def test_bars_count_the_questions_that_changed() -> None:
    picture = histogram([0.5, 0.5, 0.5, 0.0, -0.5, 0.25], "questions")
    bars = shapes(picture, "rect")
    assert [bar["class"] for bar in bars] == ["worse", "better", "better"]
    assert words(picture)[:3] == ["1", "1", "3"]
    heights = [float(bar["height"]) for bar in bars]
    assert heights == pytest.approx([100 / 3, 100 / 3, 100], abs=0.1)
    left = [float(bar["x"]) for bar in bars]
    assert left == sorted(left)


def test_a_curve_goes_from_left_to_right_by_the_numbers() -> None:
    picture = curve([dot(0.7, 0.1, "0.9", marked=True), dot(0.5, 0.1, "0.1"), dot(0.6, 0.1, "0.5")], "curve")
    (line,) = shapes(picture, "polyline")
    points = [tuple(map(float, point.split(","))) for point in line["points"].split()]
    assert points == sorted(points)
    assert points[1][0] == pytest.approx((points[0][0] + points[2][0]) / 2, abs=0.1)
    assert points[0][1] > points[1][1] > points[2][1]  # higher is up
    assert [one["class"] for one in shapes(picture, "circle")] == ["unsure", "unsure", "better"]


def test_numbers_that_would_lie_on_each_other_stand_one_by_one() -> None:
    picture = curve([dot(0.5, 0.1, label) for label in ("10", "20", "1000")], "curve")
    first, second, third = (float(one["cx"]) for one in shapes(picture, "circle"))
    assert second - first == pytest.approx(third - second)


def test_words_stand_in_their_order() -> None:
    picture = curve([dot(0.5, 0.1, label) for label in ("rrf", "convex")], "curve")
    assert words(picture)[-2:] == ["rrf", "convex"]


def test_a_value_alone_and_a_flat_line() -> None:
    assert len(shapes(curve([dot(0.5, 0, "5")], "one"), "circle")) == 1
    assert len(shapes(curve([dot(1.0, 0, "1"), dot(1.0, 0, "2")], "two"), "circle")) == 2


def test_labels_are_text_only() -> None:
    picture = intervals([dot(0.1, 0.1, "<b>&\"'")], "<i>&\"'")
    assert (words(picture)[-1], ET.fromstring(picture).get("aria-label")) == ("<b>&\"'", "<i>&\"'")  # noqa: S314


@pytest.mark.parametrize("label", ["Multi-document Comparison Question", "比较不同公司在同一年的收入和支出情况"])
def test_long_labels_are_cut(label: str) -> None:
    picture = intervals([dot(0.1, 0.1, label)], "t")
    shown = words(picture)[-1]
    assert (shown[-1], label.startswith(shown[:-1]), len(shown) <= 20) == ("…", True, True)
    (text,) = (one for one in shapes(picture, "text") if one["text-anchor"] == "end")
    assert float(text["x"]) >= 6 * sum(2 if letter > "\u2e80" else 1 for letter in shown[:-1])
