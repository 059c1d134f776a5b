"""What models cost. Our file knows a few list prices, a file of the user's own goes before it; what is unknown stays unknown."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from scholarmind.calls import Prices, Usage
from scholarmind.errors import SettingsError

_OURS = Path(__file__).with_name("prices.toml")
_VERSION = re.compile(
    r"[-@:](?:(?:latest|preview|exp)|(?:v?\d{3,8}(?:-\d{2}){0,2})|(?:\d{2}-\d{4}))"
)  # of the same model
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """Prices by model, in one currency, as they were at a date ('' if nobody says)."""

    prices: Prices = field(default_factory=dict[str, tuple[float, float]])
    currency: str = "USD"
    as_of: str = ""


def price_list(own: Path | None = None) -> PriceList:
    """Return our prices with the user's over them; prices in another currency than ours take the place of all of ours."""
    ours = _read(_OURS)
    if own is None:
        return ours
    theirs = _read(own)
    if theirs.currency != ours.currency:
        return theirs
    return PriceList(prices={**ours.prices, **theirs.prices}, currency=ours.currency, as_of=theirs.as_of or ours.as_of)


def price_of(model: str, known: Prices) -> tuple[float, float] | None:
    """Return what a million tokens cost, in and out: of this name, of the name without its date, or of the longest `name*` that fits."""
    name = model.strip().casefold()
    known = {key.casefold(): price for key, price in known.items()}
    for written in (name, name.rpartition("/")[2]):  # a router puts the vendor before it
        if written in known:
            return known[written]
        if dated := [key for key in known if written.startswith(key) and _VERSION.fullmatch(written[len(key) :])]:
            return known[max(dated, key=len)]
    open_ended = [key for key in known if key.endswith("*") and name.startswith(key[:-1])]
    return known[max(open_ended, key=len)] if open_ended else None


def cost(usage: Usage, model: str, known: Prices) -> float | None:
    """Return what so many tokens of a model cost; None if its price is unknown."""
    price = price_of(model, known)
    return price and (usage.prompt * price[0] + usage.completion * price[1]) / _MILLION


def _read(path: Path) -> PriceList:
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"the prices in {str(path)!r} cannot be read: {error}") from error
    if unknown := found.keys() - {"currency", "as_of", "models"}:
        raise SettingsError(f"{str(path)!r} has {min(unknown)!r}; known are currency, as_of and the table [models]")
    models = found.get("models", {})
    if not isinstance(models, Mapping):
        raise SettingsError(f"{str(path)!r}: [models] must be a table of prices by model")
    found_prices = {name: _price(name, value, path) for name, value in cast("Mapping[str, Any]", models).items()}
    return PriceList(prices=found_prices, currency=str(found.get("currency", "USD")), as_of=str(found.get("as_of", "")))


def _price(name: str, value: Any, path: Path) -> tuple[float, float]:
    told = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    money = [told.get("in"), told.get("out")]
    numbers = [float(one) for one in money if isinstance(one, (int, float)) and 0 <= one < _MILLION]
    if len(told) != 2 or len(numbers) != 2:
        raise SettingsError(
            f"{str(path)!r}: the price of {name!r} must be like {{ in = 0.5, out = 2 }}, for a million tokens"
        )
    return numbers[0], numbers[1]
