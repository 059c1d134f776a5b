"""All settings in one frozen record: arguments come before the environment, that before `scholarmind.toml`, that before the defaults."""

import difflib
import hashlib
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypedDict
from urllib.parse import urldefrag

from scholarmind.errors import SettingsError
from scholarmind.setting_values import checked, joined
from scholarmind.steps.options import Concepts, Form, Language, Length, Rerank, Roadmap, Scored
from scholarmind.strategies import strategy_names

# -- where the well-known servers are that speak OpenAI's protocol, and how one is chosen in a few characters


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


# -- the settings


FILE = "scholarmind.toml"
READING_HERE = ".md .markdown .txt .text .rst .jsonl .ndjson"  # plain text, read by Python alone
_FOUND_OUT = "llm_key_setting"
_CLUSTER = re.compile(r"local|ray://(?:[^/:@\s]+|\[[0-9a-fA-F:]+\]):[0-9]{1,5}")
PREFIX = "SCHOLARMIND_"


def default_library() -> Path:
    """Return where a user's library is unless they say otherwise."""
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "scholarmind" / "library"


def folder_for(database: str) -> Path:
    """Return where this machine keeps what it derives from a library in a database, unless another folder is named."""
    return default_library().parent / "databases" / hashlib.sha256(database.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Each field is also an environment variable (SCHOLARMIND_ and its name in capitals) and a key of scholarmind.toml."""

    library: Path = field(default_factory=default_library)
    # postgresql://..., which may hold a password: the library is there, and `library` is the folder of what this machine derives from it
    database: str = field(default="", repr=False)
    search_in: Literal["here", "database"] = (
        "here"  # each process has indexes of its own, or all share those in the database
    )
    embedder: Literal["minilm", "openai", "none"] = "minilm"
    embedding_precision: Literal["fp32", "int8"] = "fp32"
    embedding_base_url: str = ""  # of an OpenAI-compatible server, ending in /v1
    embedding_model: str = ""
    embedding_api_key: str = field(default="", repr=False)
    embedding_batch: int = 64
    dense_weight: float = 0.6
    glossary: Path | None = (
        None  # your own terms in two languages, beside ours: a line is Chinese terms, a tab, English terms
    )
    passage_tokens: int = 200
    passage_overlap: int = 40
    max_file_megabytes: int = 64  # of text; a PDF may have four times as many
    max_pages: int = 3000  # of a PDF; the rest is left out, and the report says so
    follow_links: bool = False  # read also what links in a folder lead to outside of it
    ocr: bool = False  # read scanned pages with tesseract, where it is installed
    reading_processes: int = 0  # 0: as many as there are cores
    reading_on: str = ""  # a Ray cluster that reads and embeds: 'ray://HOST:PORT', or 'local' for one of this machine
    reading_here: str = READING_HERE  # endings of small files that are read without a process of their own
    reading_megabytes: int = 1500  # memory that one of them may take
    stored_at_once: int = 2_000  # passages of a transaction: what a power cut can cost, and when what was read is found
    reading_seconds: float = 120.0  # without a sign of life after which one is taken for stuck
    online: bool = False  # ask OpenAlex, Crossref and arXiv about works whose title or DOI is known
    online_email: str = ""  # told to them, as they ask for it
    online_openalex_key: str = field(default="", repr=False)  # for more than a few titles a day
    lock_wait: float = 10.0  # seconds to wait for another writer
    max_parts: int = 5  # of a plan; what is more alike is merged, and keeps its own row
    places: int = 10  # passages that an answer is written from; one for each row if there are more rows
    strategy: str = "plan"
    concepts: Concepts = field(
        default_factory=Concepts
    )  # a table in the file; SCHOLARMIND_CONCEPTS_TOP_K in the environment
    scored: Scored = field(default_factory=Scored)
    roadmap: Roadmap = field(default_factory=Roadmap)
    rerank: Rerank = "none"  # who scores the passages anew before they are selected
    rerank_model: str = ""  # of `cross-encoder` a folder with model.onnx and tokenizer.json, of `http` a name
    rerank_base_url: str = ""  # of a server with /rerank, as Cohere, Jina, vLLM and text-embeddings-inference have it
    rerank_api_key: str = field(default="", repr=False)
    rerank_seconds: float = 5.0  # for all of a question; what is not scored by then keeps its place
    rerank_weight: float = 0.5  # of these scores; the rest is that of the search before
    graph: bool = True  # keep a graph of papers beside the passages, and ask it
    tree: bool = True  # keep a tree of summaries over the passages, and ask it
    max_items: int = 12  # of a list, for each of which a part is carried out
    rounds: int = 2  # the first, and further ones for parts that are not sure enough
    confidence: float = 0.8  # above this a part is sure enough
    part_seconds: float = 30.0
    run_seconds: float = 120.0
    llm: str = ""  # a language model in short: ollama/qwen3, openai/gpt-5-mini, http://localhost:8000/v1#model; "none" for none
    llm_base_url: str = ""  # of an OpenAI-compatible server, usually ending in /v1
    llm_model: str = ""  # may be left out where the server has only one
    llm_api_key: str = field(default="", repr=False)
    llm_key_setting: str = ""  # the variable that the key is from, if not from the one above; found out, never set
    llm_temperature: float = 0.3
    llm_routing_base_url: str = ""  # roles of their own fall back to the above: routing judges and decides,
    llm_routing_model: str = ""
    llm_routing_api_key: str = field(default="", repr=False)
    llm_routing_temperature: float = 0.0
    llm_extraction_base_url: str = ""  # extraction plans, answers bridges and scores passages; all else writes
    llm_extraction_model: str = ""
    llm_extraction_api_key: str = field(default="", repr=False)
    llm_extraction_temperature: float = 0.0
    llm_concurrency: int = 8  # calls at a time, for each server
    llm_read_seconds: float = 60.0  # without a sign of life
    llm_call_seconds: float = 120.0  # with all retries
    llm_prices: Path | None = None  # your own prices, in a TOML file like ours
    llm_prompts: Path | None = None  # a folder; a file of the same name takes the place of one of our prompts
    cache: Literal["none", "exact", "semantic"] = (
        "exact"  # what is kept of earlier questions; semantic: also for other wordings
    )
    runs_days: float = 0.0  # that finished runs are kept, unless somebody rated them; 0 for ever
    runs_megabytes: float = 1000.0  # that runs may take; the oldest finished ones make room; 0 for no limit
    effort: Literal["auto", "keyless", "fast", "standard", "deep"] = (
        "auto"  # standard with a language model, else keyless
    )
    plan_seconds: float = 20.0  # after which the rules' plan is carried out in place of the model's
    max_calls: int = 0  # to language models, for one question; 0 for no limit
    max_tokens: int = 0
    max_cost: float = 0.0
    evidence_tokens: int = 4_000  # of passages that a language model writes from; every row keeps its best one
    form: Form = "prose"
    length: Length = "medium"
    language: Language = "question"
    translate: bool = True  # with a model, search also in the other languages of the library
    library_only: bool = False  # refuse what would be answered from the model's own knowledge

    def __post_init__(self) -> None:
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                raise SettingsError(f"{name} = {value!r} is not between {low} and {high}")
        if self.strategy not in (names := strategy_names()):
            raise SettingsError(f"strategy = {self.strategy!r} is not one of {', '.join(map(repr, names))}")
        if self.reading_on and not _CLUSTER.fullmatch(self.reading_on):
            raise SettingsError(f"reading_on = {self.reading_on!r} is neither 'local' nor like 'ray://127.0.0.1:10001'")
        if self.search_in == "database" and not self.database:
            raise SettingsError("search_in = 'database' needs a database; set SCHOLARMIND_DATABASE, or --database")
        if self.cache == "semantic" and self.embedder == "none":
            raise SettingsError(
                "cache = 'semantic' compares questions by their vectors, and embedder = 'none' makes none"
            )
        if self.embedder == "openai" and not (self.embedding_base_url and self.embedding_model):
            raise SettingsError(
                "embedder = 'openai' needs embedding_base_url (such as 'http://localhost:8000/v1') and embedding_model; "
                "set SCHOLARMIND_EMBEDDING_BASE_URL and SCHOLARMIND_EMBEDDING_MODEL"
            )

    @property
    def has_library(self) -> bool:
        """Whether there is a library, as far as that is seen without opening it."""
        return bool(self.database) or (self.library / "library.db").exists()

    @classmethod
    def load(
        cls, environment: Mapping[str, str] | None = None, folder: Path | None = None, **arguments: Any
    ) -> "Settings":
        """Gather settings from all places; arguments that are None count as not given."""
        environment = os.environ if environment is None else environment
        values = _from_file((folder or Path.cwd()) / FILE)
        given = {name: value for name, value in arguments.items() if value is not None}
        for more in (_from_environment(environment), _checked(given, "argument")):
            values = joined(values, more)
        if (database := values.get("database")) and "library" not in values:
            values["library"] = folder_for(str(database))
        return cls(**_with_model(_records(values), environment))


class SettingsArguments(TypedDict, total=False):
    """The settings as a program gives them to `Library.open`: the fields of `Settings`; None counts as not given."""

    database: str | None
    search_in: Literal["here", "database"] | None
    embedder: Literal["minilm", "openai", "none"] | None
    embedding_precision: Literal["fp32", "int8"] | None
    embedding_base_url: str | None
    embedding_model: str | None
    embedding_api_key: str | None
    embedding_batch: int | None
    dense_weight: float | None
    glossary: str | Path | None
    passage_tokens: int | None
    passage_overlap: int | None
    max_file_megabytes: int | None
    max_pages: int | None
    follow_links: bool | None
    ocr: bool | None
    reading_here: str | None
    reading_processes: int | None
    reading_on: str | None
    reading_megabytes: int | None
    stored_at_once: int | None
    reading_seconds: float | None
    online: bool | None
    online_email: str | None
    online_openalex_key: str | None
    lock_wait: float | None
    max_parts: int | None
    places: int | None
    strategy: str | None
    concepts: Concepts | Mapping[str, Any] | None
    scored: Scored | Mapping[str, Any] | None
    roadmap: Roadmap | Mapping[str, Any] | None
    rerank: Rerank | None
    rerank_model: str | None
    rerank_base_url: str | None
    rerank_api_key: str | None
    rerank_seconds: float | None
    rerank_weight: float | None
    graph: bool | None
    tree: bool | None
    max_items: int | None
    rounds: int | None
    confidence: float | None
    part_seconds: float | None
    run_seconds: float | None
    llm: str | None
    llm_base_url: str | None
    llm_model: str | None
    llm_api_key: str | None
    llm_temperature: float | None
    llm_routing_base_url: str | None
    llm_routing_model: str | None
    llm_routing_api_key: str | None
    llm_routing_temperature: float | None
    llm_extraction_base_url: str | None
    llm_extraction_model: str | None
    llm_extraction_api_key: str | None
    llm_extraction_temperature: float | None
    llm_concurrency: int | None
    llm_read_seconds: float | None
    llm_call_seconds: float | None
    llm_prices: str | Path | None
    llm_prompts: str | Path | None
    cache: Literal["none", "exact", "semantic"] | None
    runs_days: float | None
    runs_megabytes: float | None
    effort: Literal["auto", "keyless", "fast", "standard", "deep"] | None
    plan_seconds: float | None
    max_calls: int | None
    max_tokens: int | None
    max_cost: float | None
    evidence_tokens: int | None
    form: Form | None
    length: Length | None
    language: Language | None
    translate: bool | None
    library_only: bool | None


_TABLES: Mapping[str, Callable[[dict[str, Any]], Any]] = {
    "concepts": lambda values: Concepts(**values),
    "scored": lambda values: Scored.of(values.pop("preset", ""), **values),
    "roadmap": lambda values: Roadmap(**values),
}

_RANGES = (
    ("dense_weight", 0, 1),
    ("passage_tokens", 20, 2000),
    ("passage_overlap", 0, 1000),
    ("embedding_batch", 1, 2048),
    ("max_file_megabytes", 1, 100_000),
    ("max_pages", 1, 1_000_000),
    ("reading_processes", 0, 256),
    ("reading_megabytes", 300, 1_000_000),
    ("stored_at_once", 1, 1_000_000),
    ("reading_seconds", 1, 86_400),
    ("lock_wait", 0, 86_400),
    ("runs_days", 0, 36_500),
    ("runs_megabytes", 0, 1_000_000),
    ("max_parts", 1, 20),
    ("places", 1, 200),
    ("rerank_seconds", 0.01, 3600),
    ("rerank_weight", 0, 1),
    ("max_items", 1, 100),
    ("rounds", 1, 5),
    ("confidence", 0, 1),
    ("part_seconds", 0.01, 3600),
    ("run_seconds", 0.01, 86_400),
    ("llm_temperature", 0, 2),
    ("llm_routing_temperature", 0, 2),
    ("llm_extraction_temperature", 0, 2),
    ("llm_concurrency", 1, 1024),
    ("llm_read_seconds", 0.1, 3600),
    ("llm_call_seconds", 0.1, 86_400),
    ("plan_seconds", 0.01, 3600),
    ("max_calls", 0, 1_000_000),
    ("max_tokens", 0, 1_000_000_000),
    ("max_cost", 0, 1_000_000),
    ("evidence_tokens", 200, 1_000_000),
)


def _with_model(values: dict[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the values with the server that `llm` names, else the one of OPENAI_BASE_URL, and with the key that belongs to it."""
    named = str(values.get("llm") or "")
    if named == "none":
        return values | {"llm_base_url": "", "llm_model": ""}
    base_url, own_key = str(values.get("llm_base_url") or ""), str(values.get("llm_api_key") or "")
    openai, openai_key = environment.get("OPENAI_BASE_URL", ""), environment.get("OPENAI_API_KEY", "")
    if named:
        choice = chosen(named)
        if base_url not in {"", choice.base_url}:  # another server's keys and models are none of this one's business
            own_key = ""
            roles = [role for role in ("routing", "extraction") if not values.get(f"llm_{role}_base_url")]
            values = values | {f"llm_{role}_{name}": "" for role in roles for name in ("api_key", "model")}
        vendors = environment.get(choice.key_variable, "") if choice.key_variable else ""
        model = choice.model or values.get("llm_model") or ""
        found = {"llm_base_url": choice.base_url, "llm_model": model, "llm_api_key": vendors or own_key}
        return values | found | {"llm_key_setting": choice.key_variable if vendors or not own_key else ""}
    base_url = base_url or openai
    if not base_url:
        return values
    theirs = not own_key and base_url in {openai, PRESETS["openai"].base_url}
    found = {"llm_base_url": base_url, "llm_api_key": openai_key if theirs else own_key}
    return values | found | {"llm_key_setting": "OPENAI_API_KEY" if theirs else ""}


def _checked(found: Mapping[str, Any], where: str) -> dict[str, Any]:
    if _FOUND_OUT in found:
        raise SettingsError(f"{_FOUND_OUT!r} cannot be set: it is found out from the key")
    return checked(found, where, Settings)


def _from_file(path: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{str(path)!r} cannot be read as TOML: {error}") from error
    return _checked(found, f"key in {str(path)!r}")


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in environment.items():
        if name.startswith(PREFIX) and value:
            found = joined(found, named(name.removeprefix(PREFIX).lower(), value))
    return _checked(found, "environment variable SCHOLARMIND_...")


def named(name: str, value: Any) -> dict[str, Any]:
    """Return a value under its name; "scored.top_n", in the environment "scored_top_n", is the setting `top_n` of `scored`."""
    table, _, inner = name.partition("." if "." in name else "_")
    return {table: {inner: value}} if table in _TABLES and inner else {name: value}


def _records(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with each table as the record that it is of."""
    made = {name: make(dict(values[name])) for name, make in _TABLES.items() if isinstance(values.get(name), dict)}
    return {**values, **made}
