"""A strategy is one file: found by the name of its module, and asked like any other."""

from pathlib import Path

import pytest

from scholarmind import Library, Settings, strategies
from scholarmind.errors import SettingsError
from scholarmind.testing import HashEmbedder

ADDED = '''
from dataclasses import dataclass, replace

from scholarmind.planning.rule_planner import direct
from scholarmind.strategies.estimates import StrategyCalls


@dataclass(frozen=True)
class Whole:
    """Takes no question apart."""

    talker: object

    def talk(self, question):
        return self.talker.talk(question)

    async def plan(self, question, look):
        return replace(direct(question, "nothing is taken apart", "setting"), strategy="whole")


CALLS = StrategyCalls(planning=lambda ahead: ())


def team(base, parts, report):
    return replace(base, planner=Whole(base.planner))
'''
QUESTION = "Who built Otter, and who built Heron?"


def asked(folder: Path, strategy: str) -> tuple[str, int, set[str]]:
    """Return the strategy of the plan of an answer, how many parts it has, and what they found."""
    notes = folder / "notes"
    notes.mkdir(exist_ok=True)
    (notes / "otter.md").write_text("# Otter\n\nOtter is a system that was built by Mira Falk.\n", encoding="utf-8")
    (notes / "heron.md").write_text("# Heron\n\nHeron is a system that was built by Jonas Brandt.\n", encoding="utf-8")
    with Library(Settings(library=folder / strategy, strategy=strategy), embedder=HashEmbedder()) as library:
        library.add(notes)
        answer = library.ask(QUESTION)
    found = {item.document.title for finding in answer.findings for item in finding.evidence}
    return answer.plan.strategy, len(answer.plan.parts), found


def test_a_strategy_is_added_by_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        SettingsError, match=r"^strategy = 'whole' is not one of 'plan', 'concepts', 'roadmap', 'scored'$"
    ):
        Settings.load({}, tmp_path, strategy="whole")
    (tmp_path / "whole_team.py").write_text(ADDED, encoding="utf-8")
    monkeypatch.setattr(strategies, "__path__", [*strategies.__path__, str(tmp_path)])
    assert Settings.load({}, tmp_path, strategy="whole").strategy == "whole"
    assert asked(tmp_path, "whole") == ("whole", 1, {"Otter", "Heron"})
    assert asked(tmp_path, "plan") == ("plan", 2, {"Otter", "Heron"})
