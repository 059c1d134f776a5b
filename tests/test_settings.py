"""Settings: where they come from, which wins, and what is refused."""

import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from scholarmind import Settings
from scholarmind.adapters.databases.postgres import Address
from scholarmind.errors import SettingsError
from scholarmind.settings import SettingsArguments
from scholarmind.steps.options import Scored


def load(folder: Path, environment: dict[str, str] | None = None, toml: str = "", **arguments: Any) -> Settings:
    """Load settings from this environment and a file with this content."""
    if toml:
        (folder / "scholarmind.toml").write_text(toml, encoding="utf-8")
    return Settings.load(environment or {}, folder, **arguments)


def test_the_defaults(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert (settings.embedder, settings.passage_tokens, settings.dense_weight) == ("minilm", 200, 0.6)
    assert settings.library == tmp_path / "data" / "scholarmind" / "library"
    assert settings.glossary is None


def test_arguments_come_before_the_environment_before_the_file(tmp_path: Path) -> None:
    toml = "passage_tokens = 100\npassage_overlap = 10\nlock_wait = 1.5"
    environment = {"SCHOLARMIND_PASSAGE_TOKENS": "150", "SCHOLARMIND_PASSAGE_OVERLAP": "15", "OTHER": "x"}
    settings = load(tmp_path, environment, toml, passage_tokens=175, passage_overlap=None)
    assert (settings.passage_tokens, settings.passage_overlap, settings.lock_wait) == (175, 15, 1.5)


def test_the_file_is_looked_for_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scholarmind.toml").write_text('embedder = "none"')
    monkeypatch.chdir(tmp_path)
    assert Settings.load().embedder == "none"


def test_an_empty_variable_counts_as_not_given(tmp_path: Path) -> None:
    assert load(tmp_path, {"SCHOLARMIND_EMBEDDER": ""}).embedder == "minilm"


@pytest.mark.parametrize(
    ("environment", "field", "expected"),
    [
        pytest.param({"SCHOLARMIND_LIBRARY": "/somewhere"}, "library", Path("/somewhere"), id="path"),
        pytest.param({"SCHOLARMIND_LIBRARY": "~/papers"}, "library", Path.home() / "papers", id="home"),
        pytest.param({"SCHOLARMIND_EMBEDDING_BATCH": "8"}, "embedding_batch", 8, id="whole number"),
        pytest.param({"SCHOLARMIND_DENSE_WEIGHT": "0.25"}, "dense_weight", 0.25, id="number"),
        pytest.param({"SCHOLARMIND_DENSE_WEIGHT": "1"}, "dense_weight", 1.0, id="end of a range"),
        pytest.param({"SCHOLARMIND_EMBEDDER": "none"}, "embedder", "none", id="choice"),
        pytest.param({"SCHOLARMIND_EMBEDDING_MODEL": "m"}, "embedding_model", "m", id="text"),
        pytest.param(
            {"SCHOLARMIND_GLOSSARY": "/terms.tsv"}, "glossary", Path("/terms.tsv"), id="path that may be absent"
        ),
    ],
)
def test_values_get_their_types(tmp_path: Path, environment: dict[str, str], field: str, expected: object) -> None:
    found = getattr(load(tmp_path, environment), field)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        pytest.param(
            {"SCHOLARMIND_PASAGE_TOKENS": "9"},
            "unknown environment variable SCHOLARMIND_... 'pasage_tokens'; did you mean 'passage_tokens'?",
            id="nearly a name",
        ),
        pytest.param(
            {"SCHOLARMIND_EMBEDDER": "openia"},
            "embedder = 'openia' is not one of 'minilm', 'openai', 'none'",
            id="not a choice",
        ),
        pytest.param({"SCHOLARMIND_PASSAGE_TOKENS": "many"}, "passage_tokens = 'many' is not a int", id="not a number"),
        pytest.param(
            {"SCHOLARMIND_PASSAGE_TOKENS": "19"}, "passage_tokens = 19 is not between 20 and 2000", id="too small"
        ),
        pytest.param(
            {"SCHOLARMIND_DENSE_WEIGHT": "1.01"}, "dense_weight = 1.01 is not between 0 and 1", id="too large"
        ),
        pytest.param({"SCHOLARMIND_DENSE_WEIGHT": "nan"}, "dense_weight = nan is not between 0 and 1", id="no number"),
        pytest.param({"SCHOLARMIND_LOCK_WAIT": "-1"}, "lock_wait = -1.0 is not between 0 and 86400", id="negative"),
    ],
)
def test_what_is_refused_and_how_it_is_told(tmp_path: Path, environment: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, environment)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        pytest.param("embeddr = 'none'", "did you mean 'embedder'?", id="nearly a name"),
        pytest.param("zzzzzzzzz = 1", "known: library, database, search_in, ", id="not even nearly"),
        pytest.param("embedder = ", "cannot be read as TOML", id="not TOML"),
        pytest.param("[embedder]\nname = 'x'", "is not one of", id="a table"),
        pytest.param("library = 5", "library = 5 is not a Path", id="wrong type"),
        pytest.param("glossary = 5", "glossary = 5 is not a Path", id="wrong type of what may be absent"),
        pytest.param("passage_tokens = 'x'", "is not a int", id="text for a number"),
        pytest.param("passage_tokens = [200]", "is not a int", id="list for a number"),
        pytest.param("passage_tokens = 199.5", "is not a int", id="part of a token"),
    ],
)
def test_a_file_that_is_refused(tmp_path: Path, toml: str, told: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, toml=toml)
    assert told in str(caught.value)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scholarmind.toml").write_bytes(b"embedding_model = '\xff'")
    with pytest.raises(SettingsError, match="cannot be read as TOML"):
        load(tmp_path)


def test_the_home_of_nobody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="library = '~nobody-of-this-name/x'"):
        load(tmp_path, {"SCHOLARMIND_LIBRARY": "~nobody-of-this-name/x"})


def test_an_unknown_argument_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="unknown argument 'lock_wiat'; did you mean 'lock_wait'"):
        load(tmp_path, lock_wiat=1)


def test_a_server_needs_its_address_and_its_model(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="needs embedding_base_url"):
        load(tmp_path, {"SCHOLARMIND_EMBEDDER": "openai", "SCHOLARMIND_EMBEDDING_MODEL": "m"})


def test_the_key_is_never_shown(tmp_path: Path) -> None:
    settings = load(tmp_path, {"SCHOLARMIND_EMBEDDING_API_KEY": "secret-key"})
    assert settings.embedding_api_key == "secret-key"
    assert "secret-key" not in repr(settings)


def test_another_server_sees_no_key_and_no_model_of_a_role() -> None:
    environment = {
        "SCHOLARMIND_LLM_BASE_URL": "http://a.example/v1",
        "SCHOLARMIND_LLM_API_KEY": "of a",
        "SCHOLARMIND_LLM_EXTRACTION_API_KEY": "also of a",
        "SCHOLARMIND_LLM_EXTRACTION_MODEL": "small",
        "SCHOLARMIND_LLM_ROUTING_BASE_URL": "http://c.example/v1",
        "SCHOLARMIND_LLM_ROUTING_API_KEY": "of c",
    }
    settings = Settings.load(environment, llm="http://b.example/v1#m")
    assert (settings.llm_base_url, settings.llm_api_key) == ("http://b.example/v1", "")
    assert (settings.llm_extraction_api_key, settings.llm_extraction_model) == ("", "")
    assert (settings.llm_routing_base_url, settings.llm_routing_api_key) == ("http://c.example/v1", "of c")


def test_where_a_key_is_from_is_found_out_and_not_set() -> None:
    known = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://a.example/v1"}
    assert Settings.load(known).llm_key_setting == "OPENAI_API_KEY"
    with pytest.raises(SettingsError, match="cannot be set"):
        Settings.load({"SCHOLARMIND_LLM_KEY_SETTING": "X"})


def test_a_vendors_own_key_comes_first() -> None:
    known = {"DEEPSEEK_API_KEY": "theirs", "OPENAI_API_KEY": "other"}
    assert Settings.load(known, llm="deepseek/x", llm_api_key="mine").llm_api_key == "theirs"
    assert Settings.load({}, llm="deepseek/x", llm_api_key="mine").llm_api_key == "mine"
    assert Settings.load(known, llm="http://h/v1#x").llm_api_key == ""


def test_a_strategy_is_set_in_a_table_of_the_file_and_one_by_one_in_the_environment(tmp_path: Path) -> None:
    (tmp_path / "scholarmind.toml").write_text('strategy = "scored"\n[scored]\npreset = "precision"\ntop_k = 20\n')
    environment = {
        "SCHOLARMIND_SCORED_TOP_N": "3",
        "SCHOLARMIND_CONCEPTS_TOP_K": "7",
        "SCHOLARMIND_SCORED_COLLECTIONS": "a, b",
    }
    settings = Settings.load(environment, tmp_path, scored={"score_fusion_weight": 0.5})
    assert settings.strategy == "scored"
    assert settings.scored == Scored.of("precision", top_k=20, top_n=3, score_fusion_weight=0.5, collections=("a", "b"))
    assert settings.scored.similarity_threshold == 0.3
    assert settings.concepts.top_k == 7


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"scored": {"top_n": 0}}, "scored.top_n = 0 is not between 1 and 1024"),
        ({"scored": {"topn": 5}}, "did you mean 'top_n'"),
        ({"scored": 5}, "is not a table"),
        ({"scored": {"preset": "best"}}, "scored.preset = 'best' is not one of"),
        ({"concepts": {"seconds": "soon"}}, "concepts.seconds = 'soon' is not a float"),
        ({"scored": {"enable_concurrency": "maybe"}}, "scored.enable_concurrency = 'maybe' is not one of true, false"),
    ],
)
def test_what_is_wrong_in_a_table_is_named(tmp_path: Path, wrong: dict[str, object], told: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(told)):
        Settings.load({}, tmp_path, **wrong)


def test_arguments_have_the_names_and_types_of_the_settings() -> None:
    """Type checkers see `SettingsArguments`; a setting that is missing there could not be given."""
    given = get_type_hints(SettingsArguments)
    for name, kind in get_type_hints(Settings).items():
        if name in {"library", "llm_key_setting"}:  # has an argument of its own; is found out, never set
            assert name not in given
        else:
            assert set(get_args(kind | None)) <= set(get_args(given.pop(name))), name
    assert not given


def test_a_password_is_shown_nowhere() -> None:
    settings = Settings.load(environment={"SCHOLARMIND_DATABASE": "postgresql://me:hidden@db/library"})
    assert "hidden" not in repr(settings)
    with pytest.raises(SettingsError) as caught:
        Address("mysql://me:hidden@db/library")
    assert "hidden" not in str(caught.value)
    assert Address(settings.database).shown == "postgresql://db/library"
