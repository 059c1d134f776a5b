"""What servers say when they refuse, in the words of real ones."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from scholarmind.adapters.openai.connection import (
    Endpoint,
    PassingError,
    RefusedError,
    asked_wait,
    error_in,
    is_unsupported,
    redacted,
    refusal,
    words_of,
)
from scholarmind.errors import ContextOverflowError, ModelError, ModelReplyError

ENDPOINT = Endpoint(base_url="http://h/v1", model="m", api_key="sk-secret")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens."),
        (400, '{"error": {"message": "too much", "code": "context_length_exceeded"}}'),
        (
            500,
            "the request exceeds the available context size. try increasing the context size or enable context shift",
        ),
        (400, '{"error": {"code": 400, "type": "exceed_context_size_error", "n_ctx": 256}}'),
        (400, "prompt is too long: 207791 tokens > 200000 maximum"),
        (400, "input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000, decrease input length"),
        (400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]"),
        (400, "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."),
        (400, "length of prompt_tokens (163280) must be less than max_seq_len (32768)."),
        (400, "Input length 203743 exceeds the maximum length 202752"),
        (400, "the input length exceeds the context length"),
        (400, "Trying to keep the first 111490 tokens when context the overflows."),
        (400, "The number of tokens to keep from the initial prompt is greater than the context length"),
        (500, "Requested tokens (2285) exceed context window of 2048"),
        (400, "Input is too long for requested model."),
        (400, '{"error": {"message": "Prompt tokens (9) exceeds context size (5)", "type": "context_exceeded"}}'),
        (
            429,
            "Request too large for gpt-4o: Limit 30000, Requested 55304. The input or output tokens must be reduced.",
        ),
        (
            500,
            "input (3002 tokens) is too large to process. increase the physical batch size (current batch size: 512)",
        ),
        (413, "Payload Too Large"),
        (400, "输入内容过长，超过模型上下文"),
    ],
)
def test_too_long_is_known_whatever_the_status(status: int, words: str) -> None:
    error = refusal(ENDPOINT, status, words)
    assert type(error) is ContextOverflowError
    assert "'m'" in str(error)


@pytest.mark.parametrize(
    "words",
    [
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        "This response_format type is unavailable now",
        "Failed to deserialize the JSON body: response_format.type `json_schema` is unavailable now at line 1",
        "deepseek-reasoner does not support this tool_choice",
        "Json mode is not supported for this model.",
        "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}]",
        "Unrecognized request argument supplied: tools",
        "Extra inputs are not permitted",
        'Invalid JSON payload received. Unknown name "strict": Cannot find field.',
        "Invalid schema for response_format 'Plan': 'additionalProperties' is required to be supplied and to be false.",
        "failed to parse grammar",
        "Cannot use tools with stream",
        "该模型不支持 response_format",
        "Unsupported value: 'temperature' does not support 0.16 with this model.",
    ],
)
@pytest.mark.parametrize("status", [400, 405, 422, 500, 503])
def test_unsupported_is_never_tried_again(words: str, status: int) -> None:
    assert is_unsupported(words)
    assert type(refusal(ENDPOINT, status, words)) is RefusedError


@pytest.mark.parametrize("words", ["", "no", "The engine is overloaded, please wait"])
def test_what_a_server_does_not_have_it_will_not_have_at_the_next_try(words: str) -> None:
    assert type(refusal(ENDPOINT, 501, words)) is RefusedError


@pytest.mark.parametrize("status", [200, 400, 500])
def test_output_that_strays_from_its_format_is_a_reply_that_cannot_be_used(status: int) -> None:
    error = refusal(ENDPOINT, status, "The model produced output that does not match the expected peg-native format")
    assert isinstance(error, ModelReplyError)
    assert "\n" not in str(error)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_these_may_be_gone_at_the_next_try(status: int) -> None:
    assert type(refusal(ENDPOINT, status, "The engine is overloaded, please wait")) is PassingError


@pytest.mark.parametrize(
    ("status", "body", "advice"),
    [
        (401, '{"error": {"message": "Incorrect API key provided"}}', "SCHOLARMIND_LLM_API_KEY"),
        (403, "no", "SCHOLARMIND_LLM_API_KEY"),
        (400, '[{"error": {"message": "API key not valid. Please pass a valid API key."}}]', "SCHOLARMIND_LLM_API_KEY"),
        (402, "Insufficient Balance", "SCHOLARMIND_LLM_API_KEY has nothing left"),
        (
            429,
            '{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}',
            "nothing left",
        ),
        (404, '{"detail": "Not Found"}', "SCHOLARMIND_LLM_BASE_URL (it usually ends in /v1)"),
        (404, '{"error": {"message": "The model `x` does not exist"}}', "SCHOLARMIND_LLM_MODEL"),
        (301, "", "SCHOLARMIND_LLM_BASE_URL"),
        (400, "no", "SCHOLARMIND_LLM_MODEL"),
    ],
)
def test_a_refusal_is_one_line_that_names_the_setting(status: int, body: str, advice: str) -> None:
    error = refusal(ENDPOINT, status, body)
    assert type(error) is RefusedError
    assert advice in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('{"error": {"message": "a\\n b"}}', "a b"),
        ('{"error": "a"}', "a"),
        ('[{"error": {"message": "a", "status": "X"}}]', "a"),
        ('{"detail": [{"loc": ["body"], "msg": "a"}]}', "a"),
        ('{"object": "error", "message": "a", "code": 40303}', "a"),
        ('{"odd": 1}', '{"odd": 1}'),
        ("[]", "[]"),
        (" plain \n words ", "plain words"),
        ("<!DOCTYPE html><html><head><title>502\nBad Gateway</title>", "a web page '502 Bad Gateway'"),
        ("<html><body>", "a web page"),
        ("", "no words"),
        ("[" * 100_000, "[" * 300),
    ],
)
def test_the_words_of_a_server_are_one_short_line(body: str, told: str) -> None:
    assert words_of(body) == told


def test_keys_are_taken_out_of_what_a_server_echoes() -> None:
    key = 'sk/secret"1'
    echo = f"{key} and {json.dumps(key)} and sk%2Fsecret%221 and Bearer {key} or bearer another-key, yes"
    told = redacted(echo, key)
    assert "secret" not in told
    assert "another-key" not in told
    assert told.endswith(", yes")
    assert redacted("no key", "") == "no key"
    assert "sk-secret" not in str(refusal(ENDPOINT, 401, "Incorrect API key provided: sk-secret."))


@pytest.mark.parametrize(
    ("headers", "words", "seconds"),
    [
        ({"retry-after": "7"}, "", 7.0),
        ({"retry-after": "0.5"}, "", 0.5),
        ({"retry-after": "9", "retry-after-ms": "250"}, "", 0.25),
        ({"retry-after": "-3"}, "", 0.0),
        ({"retry-after": "nan"}, "", 0.0),
        ({"retry-after": "soon"}, "Please try again in 1.5s.", 1.5),
        ({}, "Please retry in 200ms", 0.2),
        ({}, "", 0.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, "", 0.0),
    ],
)
def test_how_long_to_wait_is_read_from_anywhere(headers: dict[str, str], words: str, seconds: float) -> None:
    assert asked_wait(headers, words) == seconds


def test_a_date_is_as_good_as_seconds() -> None:
    later = datetime.now(UTC) + timedelta(seconds=100)
    assert asked_wait({"retry-after": format_datetime(later, usegmt=True)}) == pytest.approx(100, abs=5)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"error": {"code": 400, "message": "the request exceeds the available context size"}}, ContextOverflowError),
        ({"error": {"code": 429, "message": "slow down"}}, PassingError),
        ({"error": {"type": "overloaded_error", "message": "Overloaded"}}, PassingError),
        ({"error": "tools are not supported"}, RefusedError),
        ({"error": {"code": 401, "message": "no"}}, RefusedError),
    ],
)
def test_an_error_inside_a_success_is_an_error(data: object, kind: type[ModelError]) -> None:
    assert type(error_in(ENDPOINT, data)) is kind


@pytest.mark.parametrize("data", [{"choices": []}, {"error": None}, [], "x", None])
def test_what_is_no_error_is_none(data: object) -> None:
    assert error_in(ENDPOINT, data) is None
