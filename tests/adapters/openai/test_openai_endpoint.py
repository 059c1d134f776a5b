"""Addresses and keys as people paste them."""

import pytest

from scholarmind.adapters.openai.connection import Endpoint
from scholarmind.errors import SettingsError


def test_a_query_stays_at_the_end() -> None:
    endpoint = Endpoint(base_url="https://x.openai.azure.com/openai/deployments/d/?api-version=2024-10-21", model="d")
    assert endpoint.url("chat/completions") == (
        "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21"
    )
    assert endpoint.server == "https://x.openai.azure.com/openai/deployments/d"


@pytest.mark.parametrize(
    "pasted", ["http://h/v1", " http://h/v1/ ", "http://h/v1/chat/completions", "http://h/v1/models"]
)
def test_what_people_paste_is_one_address(pasted: str) -> None:
    assert Endpoint(base_url=pasted).url("models") == "http://h/v1/models"


def test_each_host_gets_the_key_in_the_way_it_wants() -> None:
    key = {"api_key": " secret\n"}
    assert Endpoint(base_url="http://h/v1").headers == {}
    assert Endpoint(base_url="http://h/v1", **key).headers == {"Authorization": "Bearer secret"}
    assert Endpoint(base_url="https://x.openai.azure.com", **key).headers["api-key"] == "secret"
    assert Endpoint(base_url="https://api.anthropic.com/v1", **key).headers["x-api-key"] == "secret"


def test_the_key_does_not_show() -> None:
    endpoint = Endpoint(base_url="https://h/v1?key=hidden", model="m", api_key="secret")
    assert repr(endpoint) == "Endpoint('https://h/v1', model='m')"


@pytest.mark.parametrize("base_url", ["", "localhost:8000/v1", "ftp://h/v1", "http://", "http://u:secret@h/v1"])
def test_no_address_is_an_error_that_names_the_setting(base_url: str) -> None:
    with pytest.raises(SettingsError, match="SCHOLARMIND_LLM_BASE_URL") as caught:
        Endpoint(base_url=base_url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["se cret\nkey", "secret\x00", "sécret", "密钥"])
def test_what_cannot_be_a_key_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(SettingsError, match="SCHOLARMIND_LLM_API_KEY") as caught:
        Endpoint(base_url="http://h/v1", api_key=key)
    assert key not in str(caught.value)


def test_concurrency_of_nothing_is_refused() -> None:
    with pytest.raises(SettingsError, match="SCHOLARMIND_LLM_CONCURRENCY = 0"):
        Endpoint(base_url="http://h/v1", concurrency=0)
