"""Turn settings into language models. Nothing is asked before the first question."""

from typing import TYPE_CHECKING, Any

from scholarmind.calls import TASKS, ResponseCache, Task
from scholarmind.errors import SettingsError
from scholarmind.llm.language_models import Models, price_list
from scholarmind.llm.prompts import Prompts
from scholarmind.model import Check
from scholarmind.settings import Settings

if TYPE_CHECKING:
    from httpx2 import AsyncBaseTransport

    from scholarmind.adapters.openai.connection import Endpoint


def models(
    settings: Settings, transport: "AsyncBaseTransport | None" = None, *, cache: ResponseCache | None = None
) -> Models | None:
    """Return the language models of these settings, if there are any; nothing is asked before the first question.

    A `transport` carries what they are asked in place of the network: `scholarmind.testing.replay` has two.
    """
    if settings.effort == "keyless":
        return None
    if not settings.llm_base_url:
        if settings.effort != "auto":
            raise SettingsError(
                f"effort = {settings.effort!r} needs a language model; give --llm (such as ollama/qwen3 or openai/gpt-5-mini), "
                "or set SCHOLARMIND_LLM_BASE_URL and SCHOLARMIND_LLM_API_KEY"
            )
        return None
    from scholarmind.adapters.openai.client import OpenAIModel  # noqa: PLC0415

    endpoints: dict[Task, Endpoint] = {task: _endpoint(settings, task) for task in TASKS}
    model = OpenAIModel(endpoints, transport=transport)
    return Models(
        model=model,
        names=model.names,
        prompts=Prompts(settings.llm_prompts),
        prices=price_list(settings.llm_prices),
        cache=cache,
        rights=" ".join(f"{endpoint.base_url} {endpoint.temperature}" for endpoint in endpoints.values()),
        settle=model.settle,
        closers=(model.aclose,),
    )


def connect(llm: str, *, transport: "AsyncBaseTransport | None" = None, **more: Any) -> Models:
    """Return a language model for an Engine or a Library: named as for `--llm`, with any of the settings that begin with `llm_`.

    It remembers no replies; what a question may cost, and the effort, are options of the engine or settings of the library.
    """
    if other := sorted(name for name in more if not name.startswith("llm_")):
        raise SettingsError(f"{other[0]!r} is no setting of a language model; those begin with 'llm_'")
    settings = Settings.load(llm=llm, effort="auto", **more)
    found = models(settings, transport)
    if found is None:
        raise SettingsError(f"{llm!r} names no language model; give one such as ollama/qwen3 or openai/gpt-5-mini")
    return found


async def examine_models(settings: Settings) -> list[Check]:
    """Return what works of the language models of these settings, server by server."""
    if not settings.llm_base_url:
        raise SettingsError(
            "no language model is set; give one (such as ollama/qwen3 or openai/gpt-5-mini), "
            "or set SCHOLARMIND_LLM_BASE_URL and SCHOLARMIND_LLM_API_KEY"
        )
    from scholarmind.adapters.openai.client import probe  # noqa: PLC0415

    endpoints = {
        (endpoint.base_url, endpoint.model): endpoint for endpoint in (_endpoint(settings, task) for task in TASKS)
    }
    vectors = settings.embedding_model if settings.embedder == "openai" else ""
    return [check for endpoint in endpoints.values() for check in await probe(endpoint, embedding_model=vectors)]


def _endpoint(settings: Settings, task: Task) -> "Endpoint":
    """Return the server and the model of a task; what is not set for it is that of the one that writes."""
    from scholarmind.adapters.openai.connection import Endpoint, Patience  # noqa: PLC0415

    own = "" if task == "generation" else f"{task}_"
    base_url = getattr(settings, f"llm_{own}base_url")
    return Endpoint(
        base_url=base_url or settings.llm_base_url,
        model=getattr(settings, f"llm_{own}model") or ("" if base_url else settings.llm_model),
        api_key=getattr(settings, f"llm_{own}api_key") or ("" if base_url else settings.llm_api_key),
        temperature=getattr(settings, f"llm_{own}temperature"),
        concurrency=settings.llm_concurrency,
        patience=Patience(read=settings.llm_read_seconds, total=settings.llm_call_seconds),
        settings=f"SCHOLARMIND_LLM_{own.upper()}".rstrip("_") if base_url else "SCHOLARMIND_LLM",
        key_setting="" if base_url else settings.llm_key_setting,
        typed="" if base_url else settings.llm,
    )
