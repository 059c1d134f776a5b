"""Where the well-known servers are that speak OpenAI's protocol, and how one is chosen in a few characters."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import urldefrag

from scholarmind.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Preset:
    """Where a server is, and the environment variable in which its vendor expects the key ('' where none is needed)."""

    base_url: str
    key_variable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A server and a model. Without a model ('') it is the only one that the server lists."""

    base_url: str
    model: str = ""
    key_variable: str = ""


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "openai": Preset("https://api.openai.com/v1", "OPENAI_API_KEY"),
        "deepseek": Preset("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        "dashscope": Preset("https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
        "gemini": Preset("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
        "anthropic": Preset("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        "ollama": Preset("http://127.0.0.1:11434/v1"),
        "vllm": Preset("http://127.0.0.1:8000/v1"),
        "llamacpp": Preset("http://127.0.0.1:8080/v1"),
        "lmstudio": Preset("http://127.0.0.1:1234/v1"),
    }
)


def chosen(spec: str) -> ModelChoice:
    """Return what 'deepseek/deepseek-chat', 'llamacpp' or 'http://localhost:8000/v1#model' stands for."""
    spec = spec.strip()
    if "://" in spec:
        base_url, model = urldefrag(spec)
        return ModelChoice(base_url=base_url, model=model)
    name, _, model = spec.partition("/")
    preset = PRESETS.get(name.lower())
    if preset is None:
        near = difflib.get_close_matches(name.lower(), PRESETS, 1, 0.5)
        raise SettingsError(
            f"unknown language model {spec!r}; "
            + (f"did you mean {'/'.join(filter(None, (near[0], model)))!r}? or " if near else "")
            + f"give NAME/MODEL with one of {', '.join(PRESETS)}, or an address such as 'http://localhost:8000/v1#model'"
        )
    return ModelChoice(base_url=preset.base_url, model=model, key_variable=preset.key_variable)
