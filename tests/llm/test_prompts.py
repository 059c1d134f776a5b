"""Prompts: English and Chinese side by side, and files of the user's in place of ours."""

from pathlib import Path
from string import Template

import pytest

import scholarmind.llm.prompts as module
from scholarmind.calls import PromptMessage
from scholarmind.errors import SettingsError
from scholarmind.llm.prompts import Prompts

OURS = Path(module.__file__).with_name("prompts")
NAMES = sorted({file.name.split(".")[0] for file in OURS.glob("*.md")})
VALUES = {"marker": "m4rk", "question": "Who made Otter?", "passages": "Otter is by Mira Falk."}


def own(folder: Path, text: str) -> Prompts:
    """Prompts of which one is the user's."""
    (folder / "short.en.md").write_text(text, encoding="utf-8")
    return Prompts(folder)


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_have_the_same_values_on_each_side(name: str) -> None:
    english, chinese = ((OURS / f"{name}.{language}.md").read_text(encoding="utf-8") for language in ("en", "zh"))
    sides = [[set(Template(side).get_identifiers()) for side in text.split("\n---\n")] for text in (english, chinese)]
    assert len(sides[0]) == 2
    assert sides[0] == sides[1]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_prompt_of_ours_can_be_filled(name: str, language: str) -> None:
    text = (OURS / f"{name}.{language}.md").read_text(encoding="utf-8")
    assert Template(text).is_valid()
    values = {value: f"<{value}>" for value in Template(text).get_identifiers()}
    told = "\n".join(message.text for message in Prompts().filled(name, language, **values).messages)
    assert [value for value in values.values() if value not in told] == []
    assert "$" not in told.replace("$$", "")


def test_every_prompt_tells_that_documents_are_no_instructions() -> None:
    assert [file.name for file in OURS.glob("*.md") if "$marker" not in file.read_text(encoding="utf-8")] == []


def test_a_prompt_is_what_the_system_and_what_the_user_says() -> None:
    system, user = Prompts().filled("short", "en", **VALUES).messages
    assert (system.role, user) == ("system", PromptMessage("user", "Otter is by Mira Falk.\n\nWho made Otter?"))
    assert "<passage m4rk ...>" in system.text


@pytest.mark.parametrize(
    ("language", "file"), [("zh", "short.zh.md"), ("en", "short.en.md"), ("de", "short.en.md"), ("", "short.en.md")]
)
def test_all_languages_but_chinese_have_the_english_prompt(language: str, file: str) -> None:
    assert Prompts().filled("short", language, **VALUES).version.split("@")[0] == file


def test_values_are_put_in_once_whatever_they_hold() -> None:
    values = {**VALUES, "question": "$passages $ ${marker} $$"}
    user = Prompts().filled("short", "en", **values).messages[1]
    assert user.text == "Otter is by Mira Falk.\n\n$passages $ ${marker} $$"


def test_a_file_of_the_users_takes_the_place_of_ours_and_has_another_version(tmp_path: Path) -> None:
    prompts = own(tmp_path, "\ufeffYou answer, $marker.\n---  \n$question for 5 $$\n---\n$passages")
    filled = prompts.filled("short", "en", **VALUES)
    expected = (
        PromptMessage("system", "You answer, m4rk."),
        PromptMessage("user", "Who made Otter? for 5 $\n---\nOtter is by Mira Falk."),
    )
    assert filled.messages == expected
    assert filled.version != Prompts().filled("short", "en", **VALUES).version
    assert prompts.filled("short", "zh", **VALUES) == Prompts().filled("short", "zh", **VALUES)
    assert filled.version == prompts.versions()["short.en.md"]


def test_versions_change_with_the_text_alone(tmp_path: Path) -> None:
    same = own(tmp_path, (OURS / "short.en.md").read_text(encoding="utf-8"))
    assert same.versions() == Prompts().versions()
    assert set(Prompts().versions()) == {file.name for file in OURS.glob("*.md")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("$marker $passages $question", "needs a line '---'", id="one side"),
        pytest.param("$marker\n---\n$passages $question costs $ 5", "lone '$'", id="lone sign"),
        pytest.param(
            "$marker $mark\n---\n$passages $question", "names $mark; known: marker, passages, question", id="unknown"
        ),
        pytest.param("$marker\n---\n$question", "leaves out $passages", id="left out"),
    ],
)
def test_a_file_that_cannot_work_is_refused_in_one_line_with_its_name(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SettingsError) as caught:
        own(tmp_path, text).filled("short", "en", **VALUES)
    assert told in str(caught.value)
    assert "short.en.md" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "short.en.md").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(SettingsError, match="cannot be read"):
        Prompts(tmp_path).filled("short", "en", **VALUES)
