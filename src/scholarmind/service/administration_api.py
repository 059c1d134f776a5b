"""Keys over HTTP, and the test of the language model: what only an administrator does."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from scholarmind.service.gate import Refused
from scholarmind.service.keys import Caller
from scholarmind.service.route_dependencies import Administers, Here, Strict, errors

router = APIRouter(prefix="/api/v1", responses=errors(), tags=["service"])
_EXAMINED_SECONDS = 300.0
KeyId = Annotated[str, Path(min_length=1, max_length=64, examples=["0a1b2c3d"])]


class KeyRecord(BaseModel):
    """A key as its owner may look at it: what it may do, and what it has used."""

    id: str
    name: str
    scopes: list[str]
    collections: list[str] | None
    rate: str
    budget: str
    created: float
    revoked: float | None
    requests: int
    questions: int
    tokens: int
    cost: float


class NewKey(Strict):
    """A key that is to be made."""

    scopes: list[str] = Field(min_length=1, max_length=10, examples=[["ask", "search"]])
    collections: list[str] | None = Field(
        default=None, max_length=100, description="The only collections that are there for it; null for all."
    )
    name: str = Field(default="", max_length=200, description="Whose it is.", examples=["Ada"])
    rate: str = Field(default="", max_length=50, examples=["60/min"])
    budget: str = Field(default="", max_length=50, examples=["5.00/month"])


class MadeKey(BaseModel):
    """A key that was made. It is shown this once: only a hash of it is kept."""

    id: str
    key: str


class Examined(BaseModel):
    """One thing that was examined: whether it is well, what was seen, and how to mend it if it is not."""

    name: str
    ok: bool
    seen: str
    mend: str


@router.get("/keys", response_model=list[KeyRecord])
async def keys(here: Here, caller: Administers) -> Any:
    """List the keys, with what each has used."""
    _check_unlimited(caller)
    return [asdict(key) for key in await asyncio.to_thread(here.keys.listed)]


@router.post("/keys", status_code=201, response_model=MadeKey)
async def create_key(here: Here, caller: Administers, wanted: NewKey) -> Any:
    """Make a key. This reply is the only one that has it."""
    _check_unlimited(caller)
    key = await asyncio.to_thread(
        here.keys.create,
        wanted.scopes,
        wanted.collections,
        name=wanted.name,
        rate=wanted.rate.strip(),
        budget=wanted.budget.strip(),
    )
    return {"id": key.split("_")[1], "key": key}


@router.delete("/keys/{key}", status_code=204)
async def revoke_key(here: Here, caller: Administers, key: KeyId) -> None:
    """Make a key worthless from this moment, with the sessions that were begun with it."""
    _check_unlimited(caller)
    if not await asyncio.to_thread(here.keys.revoke, key):
        raise Refused(404, f"there is no key {key!r} that opens anything")


@router.post("/model/test", response_model=list[Examined])
async def test_model(here: Here, caller: Administers) -> Any:
    """Try the language model of the settings as a question would use it, and tell what works."""
    _check_unlimited(caller)
    return await here.pool.call("examine", seconds=_EXAMINED_SECONDS)


def _check_unlimited(caller: Caller) -> None:
    """Refuse an administrator of some collections: keys and models are of the whole library."""
    if caller.collections is not None:
        raise Refused(403, "this key is for some collections; keys and models are of the whole library")
