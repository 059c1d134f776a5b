"""Which models a server offers."""

from typing import Any, cast

from scholarmind.adapters.openai.connection import Connection
from scholarmind.errors import ModelUnavailableError

_SHOWN = 5
_NO_CHAT = ("embed", "rerank", "whisper", "tts", "bge-")


async def list_models(connection: Connection) -> list[str]:
    """Return the names of the models that a server lists."""
    answer = await connection.ask("models")
    rows = cast("dict[str, Any]", answer).get("data") if isinstance(answer, dict) else answer
    if not isinstance(rows, list):
        raise ModelUnavailableError(
            f"{connection.endpoint.server} lists no models; check {connection.endpoint.setting('BASE_URL')}, "
            f"or name a model in {connection.endpoint.setting('MODEL')}"
        )
    found = [cast("dict[str, Any]", row).get("id") for row in cast("list[Any]", rows) if isinstance(row, dict)]
    return [name for name in found if isinstance(name, str) and name]


async def only_model(connection: Connection) -> str:
    """Return the one model that a server offers to talk to. Where there are several, somebody has to choose."""
    names = await list_models(connection)
    talking = [name for name in names if not any(part in name.lower() for part in _NO_CHAT)] or names
    if len(talking) == 1:
        return talking[0]
    shown = ", ".join(map(repr, talking[:_SHOWN])) + (", ..." if len(talking) > _SHOWN else "")
    raise ModelUnavailableError(
        f"{connection.endpoint.server} offers {f'{len(talking)} models ({shown})' if talking else 'no model'}; "
        f"name one in {connection.endpoint.setting('MODEL')}"
    )
