"""What a few characters after `--llm` stand for."""

import pytest

from scholarmind.errors import SettingsError
from scholarmind.settings import PRESETS, ModelChoice, chosen


def test_a_preset_knows_address_and_key_variable() -> None:
    assert chosen("deepseek/deepseek-chat") == ModelChoice(
        base_url="https://api.deepseek.com/v1", model="deepseek-chat", key_variable="DEEPSEEK_API_KEY"
    )


def test_a_model_may_have_slashes_and_colons() -> None:
    assert chosen("ollama/library/qwen3:8b").model == "library/qwen3:8b"


def test_a_local_server_needs_neither_model_nor_key() -> None:
    assert chosen(" LlamaCpp ") == ModelChoice(base_url="http://127.0.0.1:8080/v1")


@pytest.mark.parametrize(
    ("spec", "model"), [("https://x.test/v1?api-version=1#gpt/4", "gpt/4"), ("https://x.test/v1?api-version=1", "")]
)
def test_any_address_with_or_without_a_model(spec: str, model: str) -> None:
    assert chosen(spec) == ModelChoice(base_url="https://x.test/v1?api-version=1", model=model)


def test_an_unknown_name_tells_the_nearest() -> None:
    with pytest.raises(SettingsError, match="did you mean 'ollama/qwen3'"):
        chosen("olama/qwen3")
    with pytest.raises(SettingsError, match="deepseek, dashscope"):
        chosen("")


def test_every_vendor_is_asked_over_https_and_only_this_machine_without() -> None:
    plain = {name for name, preset in PRESETS.items() if not preset.base_url.startswith("https://")}
    assert plain == {name for name, preset in PRESETS.items() if "//127.0.0.1:" in preset.base_url}
    assert plain == {name for name, preset in PRESETS.items() if not preset.key_variable}
