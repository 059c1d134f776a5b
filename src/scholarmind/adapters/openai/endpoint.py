"""Which model on which server is asked, with which key, and how patiently. Its key never shows."""

from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from scholarmind.errors import SettingsError

_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_ANTHROPIC = "api.anthropic.com"
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_PATHS = ("/chat/completions", "/embeddings", "/models")  # people paste the whole address


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How many seconds a call may take, and how often it is tried. `total` counts from when the call has its turn."""

    connect: float = 5.0
    read: float = 60.0  # without a single byte
    total: float = 120.0  # all tries and the pauses between them
    grace: float = 2.0  # for the last words of a stream (usage, [DONE]) once the reply itself has ended
    tries: int = 4
    first_pause: float = 0.5  # doubled with each try; a random part of it is waited
    longest_pause: float = 20.0
    setting: str = "SCHOLARMIND_LLM_CALL_SECONDS"  # which setting gives more time


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Endpoint:
    """A model on a server. Without a model ('') it is the only one that the server lists."""

    base_url: str
    model: str = ""
    api_key: str = ""
    temperature: float | None = None  # None: as the server likes
    concurrency: int = 8
    patience: Patience = Patience()
    limit_characters: int = 60_000  # of a reply; what is longer is cut
    settings: str = "SCHOLARMIND_LLM"  # how the names of the settings begin that errors tell people to mend
    key_setting: str = ""  # where the key is from, if not from such a setting
    typed: str = ""  # the model in short, where that says which server and model

    def __post_init__(self) -> None:
        object.__setattr__(self, "api_key", self.api_key.strip())
        object.__setattr__(self, "base_url", _trimmed(self.base_url.strip()))
        parts = urlsplit(self.base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise SettingsError(
                f"{self.settings}_BASE_URL = {self.base_url!r} is not an address such as 'http://localhost:8000/v1'"
            )
        if parts.username or parts.password:
            raise SettingsError(
                f"{self.settings}_BASE_URL carries a name or a password; put the key into {self.settings}_API_KEY"
            )
        if not (self.api_key.isascii() and (self.api_key + "x").isprintable()):
            raise SettingsError(f"{self.settings}_API_KEY has characters that no key has; was something else pasted?")
        if self.concurrency < 1:
            raise SettingsError(f"{self.settings}_CONCURRENCY = {self.concurrency!r} is not at least 1")

    def __repr__(self) -> str:
        return f"Endpoint({self.server!r}, model={self.model!r})"

    @property
    def server(self) -> str:
        """The address as people are shown it: a query may hold what is nobody's business."""
        return urlunsplit(urlsplit(self.base_url)._replace(query=""))

    @property
    def local(self) -> bool:
        """Whether the server is this machine, to which no proxy leads."""
        return urlsplit(self.base_url).hostname in _LOCAL

    @property
    def headers(self) -> dict[str, str]:
        """The headers that show the key, each to those who want it that way."""
        if not self.api_key:
            return {}
        host = urlsplit(self.base_url).hostname or ""
        headers = {"Authorization": f"Bearer {self.api_key}"}
        if host.endswith(_AZURE):
            headers["api-key"] = self.api_key
        if host == _ANTHROPIC:
            headers |= {"x-api-key": self.api_key, "anthropic-version": "2023-06-01"}
        return headers

    def url(self, path: str) -> str:
        """Return the address of a path below the base, whose query is kept (Azure's `api-version`)."""
        parts = urlsplit(self.base_url)
        return urlunsplit(parts._replace(path=f"{parts.path}/{path}"))

    def setting(self, name: str) -> str:
        """Return the name of the setting that errors tell people to mend."""
        if name == "API_KEY" and self.key_setting:
            return self.key_setting
        if self.typed and name in {"BASE_URL", "MODEL"}:
            return f"--llm {self.typed}"
        return f"{self.settings}_{name}"


def _trimmed(base_url: str) -> str:
    parts = urlsplit(base_url)
    path = parts.path.rstrip("/")
    for ending in _PATHS:
        path = path.removesuffix(ending)
    return urlunsplit(parts._replace(path=path.rstrip("/"), fragment=""))
