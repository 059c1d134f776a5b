"""A library about the bridges of a valley that never was: every text is made from the tables beside this module.

A field has the words that its document says (in one of several wordings) and what a reader would say of it.
Nothing here knows how passages are cut, found or chosen.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from point_sets.made import Field, Made, Subject

_TOLD: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


BRIDGE_FIELDS = {
    "built": Field(
        (
            "{name} was opened to traffic in {built}",
            "Work on {name} was finished in {built}",
            "It was in {built} that {name} was completed",
        ),
        "{name} dates from {built}.",
        "{built}",
    ),
    "engineer": Field(
        ("It was designed by {engineer}", "The drawings are signed by {engineer}", "{engineer} was its engineer"),
        "{engineer} designed {name}.",
        "{engineer}",
    ),
    "river": Field(
        ("It crosses the {river}", "The river below is the {river}", "The crossing is over the {river}"),
        "{name} crosses the {river}.",
        "{river}",
    ),
    "material": Field(
        ("The main span is of {material}", "Its builders chose {material}", "{material} carries the main span"),
        "The main span of {name} is of {material}.",
        "{name} & {material}",
    ),
    "span": Field(
        (
            "From bearing to bearing it measures {span} metres",
            "The longest opening is {span} metres",
            "The clear span of {name} is {span} metres",
        ),
        "{name} spans {span} metres.",
        "{span} metres",
    ),
    "cost": Field(
        (
            "The accounts close at {cost} pounds",
            "It cost the parish {cost} pounds",
            "{cost} pounds were paid for {name}",
        ),
        "{name} cost {cost} pounds.",
        "{cost} pounds",
    ),
    "maker": Field(
        (
            "The parts came from {maker}",
            "{maker} supplied what it is made of",
            "The contract for the span went to {maker}",
        ),
        "The parts of {name} were supplied by {maker}.",
        "{maker}",
    ),
    "opened": Field(
        ("The ribbon was cut by {opened}", "First across was {opened}", "It was opened by {opened}"),
        "{name} was opened by {opened}.",
        "{opened}",
    ),
    "flood": Field(
        (
            "In the great flood it {flood}",
            "When the river rose in the great flood, {name} {flood}",
            "The great flood is remembered because {name} {flood}",
        ),
        "In the great flood {name} {flood}.",
        "{flood}",
    ),
    "repair": Field(
        (
            "Later it was {repair}",
            "Within a generation {name} was {repair}",
            "At the council's expense it was {repair}",
        ),
        "{name} was later {repair}.",
        "{repair}",
    ),
    "load": Field(
        (
            "The load is limited to {load} tonnes",
            "A plate allows {load} tonnes",
            "Nothing above {load} tonnes may cross",
        ),
        "{name} may carry {load} tonnes.",
        "{load} tonnes",
    ),
    "use": Field(
        ("Today it serves {use}", "Its present purpose is {use}", "Nowadays {name} serves {use}"),
        "Today {name} serves {use}.",
        "{use}",
    ),
}
ENGINEER_FIELDS = {
    "born": Field(
        ("{name} was born in {birthplace} in {born}", "The parish book of {birthplace} has the birth in {born}"),
        "{name} was born in {birthplace} in {born}.",
        "{birthplace} & {born}",
    ),
    "teacher": Field(
        ("The trade of building was learnt from {teacher}", "{name} was trained by {teacher}"),
        "{name} was trained by {teacher}.",
        "{teacher}",
    ),
    "trade": Field(
        ("Before building bridges {name} worked as a {trade}", "The first trade was that of a {trade}"),
        "{name} first worked as a {trade}.",
        "{trade}",
    ),
    "book": Field(
        ("What others should know was set down in {book}, printed in {year}", "{name} published {book} in {year}"),
        "{name} published {book} in {year}.",
        "{book}",
    ),
    "died": Field(("Death came in {died}", "{name} died in {died}"), "{name} died in {died}.", "{died}"),
}
FIRM_FIELDS = {
    "founded": Field(
        ("{name} was founded in {founded} by {founder}", "{founder} set up {name} in {founded}"),
        "{name} was founded in {founded} by {founder}.",
        "{founded} & {founder}",
    ),
    "seat": Field(("Its gates stood in {seat}", "The works lay at {seat}"), "{name} stood in {seat}.", "{seat}"),
    "hands": Field(
        ("At its height it had {hands} hands", "In good years {hands} people worked there"),
        "{name} employed {hands} people at its height.",
        "{hands}",
    ),
    "speciality": Field(
        ("It was known for {speciality}", "Its name stood for {speciality}"),
        "{name} was known for {speciality}.",
        "{speciality}",
    ),
    "closed": Field(
        ("The gates closed in {closed} because {why}", "{name} shut down in {closed}: {why}"),
        "{name} closed in {closed} because {why}.",
        "{closed}",
    ),
}
BRIDGE_SECTIONS = (
    ("Building", ("built", "engineer", "opened")),
    ("Shape", ("river", "material", "span")),
    ("Money and makers", ("cost", "maker")),
    ("Flood and repair", ("flood", "repair")),
    ("Today", ("load", "use")),
)
FILLERS = {
    "Building": "Letters of the time speak of mud, late barges and a foreman who kept the pay book under his hat.",
    "Shape": "Painters have set up their easels on the downstream bank, where the reflection closes the curve.",
    "Money and makers": "The ledgers survive in the county record office, with stains that may be ink or ale.",
    "Flood and repair": "A brass line on the abutment shows how high the water stood, a little above a tall man's head.",
    "Today": "Inspectors come every second spring, count the bolts and write that they will come again.",
    "Life": "A portrait in the town hall shows a square chin and a rolled drawing under one arm.",
    "Work": "Those who worked on the scaffolds remembered a quiet voice and sudden decisions.",
    "The works": "The hooter could be heard across three parishes, and clocks were set by it.",
    "The end": "The chimney stood for some years longer, until storks gave it up.",
}


def library() -> Made:
    """The bridges, engineers and firms of the valley, and what is written about its ages and events."""
    subjects = [
        Subject(name=row[0], fields=BRIDGE_FIELDS, sections=BRIDGE_SECTIONS, values=values)
        for row, values in rows(
            _TOLD["bridges"], "name built engineer river material span cost maker opened flood repair load use"
        )
    ]
    subjects += [
        Subject(
            name=row[0],
            fields=ENGINEER_FIELDS,
            sections=(("Life", ("born", "teacher", "trade")), ("Work", ("book", "died"))),
            values=values,
        )
        for row, values in rows(_TOLD["engineers"], "name born birthplace teacher trade book year died")
    ]
    subjects += [
        Subject(
            name=row[0],
            fields=FIRM_FIELDS,
            sections=(("The works", ("founded", "seat", "hands", "speciality")), ("The end", ("closed",))),
            values=values,
        )
        for row, values in rows(_TOLD["firms"], "name founded seat founder hands speciality closed why")
    ]
    return Made(language="en", subjects=tuple(subjects), essays=_TOLD["essays"], fillers=FILLERS, stop=". ")


def rows(table: str, columns: str) -> list[tuple[list[str], dict[str, str]]]:
    """The lines of a table, each also by the names of its columns."""
    parted = [line.split("|") for line in table.strip().splitlines()]
    return [(row, dict(zip(columns.split(), row, strict=True))) for row in parted]
