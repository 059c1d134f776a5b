"""The gate: what every request passes before anything else sees it, and what every reply leaves through.

Hosts, sizes and slowness, who calls, how often, and whether another page has sent them. Whoever has no right to be here is sent away
before a byte of the body is read. As it stands before the whole application, no route and no mounted one can be forgotten.
"""

import asyncio
import ipaddress
import json
import logging
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException

from scholarmind.errors import (
    LibraryLockedError,
    ModelError,
    ModelUnavailableError,
    PlanError,
    QueryError,
    ReadError,
    ScholarMindError,
    SettingsError,
)
from scholarmind.service.keys import THIS_MACHINE, Caller, per_second

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from scholarmind.service.state import Service

log = logging.getLogger("scholarmind.service")
COOKIE = "scholarmind_session"
OPEN = frozenset(("/", "/healthz", "/readyz"))
PAGE = "/page/"  # what the page is made of, which says nothing of the library
CSP = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)
_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
_BODY_SECONDS = 20.0  # for the next piece of a body
_UNREAD = frozenset((401, 403, 408, 413, 421, 429))  # which are said before all of a body has come
_DRAINED = 16_000_000  # bytes of what is too much that are read nevertheless: whoever is still sending hears no reply
_DRAIN_SECONDS = 2.0
_SLOWEST = 2_000  # bytes a second, over all of a body that takes longer than that


class Refused(HTTPException):
    """Why a request is not carried out: a status, a sentence, and when to try again."""

    def __init__(self, status: int, detail: str, *, retry: float | None = None, **more: Any) -> None:
        super().__init__(status, detail)
        self.status = status
        self.retry = retry
        self.more = more

    def record(self, path: str) -> dict[str, Any]:
        """Return it as the body of a reply: as OpenAI's clients know errors, or as RFC 9457 has them."""
        if path.startswith("/v1/"):
            kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
            kind = kinds.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error")
            return {"error": {"message": self.detail, "type": kind, "param": None, "code": str(self.status)}}
        title = HTTPStatus(self.status).phrase
        return {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail, **self.more}

    def told(self, path: str) -> dict[str, str]:
        """Return the headers of the reply."""
        found = {"content-type": "application/json" if path.startswith("/v1/") else "application/problem+json"}
        if self.retry is not None:
            found["retry-after"] = str(max(1, round(self.retry)))
        if self.status == 401:
            found["www-authenticate"] = "Bearer"
        return found


class _Bucket:
    """So many requests at once, and then only as fast as it fills again."""

    def __init__(self, rate: str) -> None:
        self.rate = rate
        self._most, self._speed = per_second(rate)
        self._left, self._at = float(self._most), time.monotonic()

    def take(self) -> float:
        """Take one, and return 0; or the seconds until there will be one."""
        now = time.monotonic()
        self._left, self._at = min(self._most, self._left + (now - self._at) * self._speed), now
        if self._left < 1:
            return (1 - self._left) / self._speed
        self._left -= 1
        return 0.0


class Gate:
    """An ASGI application before another one."""

    def __init__(self, app: "ASGIApp", service: "Service") -> None:
        self._app = app
        self._service = service
        self._buckets: dict[str, _Bucket] = {}
        self._uploads = 0

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Let a request in, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        began, status, path = time.monotonic(), 500, str(scope["path"])
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}

        async def leave(message: "Message") -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                known = {name for name, _ in message["headers"]}
                more = [item for item in _HEADERS if item[0] not in known]
                if status in _UNREAD and ("content-length" in headers or "transfer-encoding" in headers):
                    more.append((b"connection", b"close"))  # what is left of the body would be taken for a request
                if b"cache-control" not in known:
                    more.append((b"cache-control", b"no-store"))
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        caller: Caller | None = None
        uploads = 0
        scope.setdefault("state", {})
        try:
            self._check_host(headers)
            if path not in OPEN and not path.startswith(PAGE):
                caller = await self._caller(scope, headers)
                scope["state"]["caller"] = caller
                self._check_rate(caller)
            limits = self._service.limits
            is_upload = scope["method"] == "POST" and path.endswith(("/documents", "/drafts"))
            most = limits.upload if is_upload else limits.body
            _check_length(headers, most)
            if is_upload:
                self._check_uploads(limits.uploads)
                self._uploads += (uploads := 1)
            await self._app(scope, _limited(receive, most), leave)
        except Refused as refused:
            await refuse(refused, path, leave)
        finally:
            self._uploads -= uploads
            self._note(scope, status, time.monotonic() - began, caller)

    def _check_host(self, headers: Mapping[str, str]) -> None:
        """Refuse names that are not ours: a page of another name may have led a browser to this address."""
        host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
        if host in self._service.limits.hosts:
            return
        try:
            ipaddress.ip_address(host)
        except ValueError:
            raise Refused(421, f"this is not {host[:100]!r}; allow the name with --trusted-host") from None

    async def _caller(self, scope: "Scope", headers: Mapping[str, str]) -> Caller:
        told = headers.get("authorization", "")
        kind, _, token = told.partition(" ")
        token = token.strip() if kind.lower() == "bearer" else ""
        if told:
            caller = await self._service.keys.caller(token)
        elif secret := _cookie(headers):
            caller = await self._service.keys.session(secret)
        else:
            caller = None
        if caller is None and not self._service.needs_key and not told:
            caller = THIS_MACHINE
        elif caller is None and not self._service.needs_key and not await self._service.any_key():
            caller = THIS_MACHINE  # clients of OpenAI always send a key, whatever is in it
        if caller is None:
            raise Refused(401, "this needs a valid key: Authorization: Bearer ...")
        if caller.cookie or caller is THIS_MACHINE:
            _check_origin(caller, str(scope["method"]), headers)
        return caller

    def _check_rate(self, caller: Caller) -> None:
        if not caller.rate:
            return
        bucket = self._buckets.get(caller.id)
        if bucket is None or bucket.rate != caller.rate:
            bucket = self._buckets[caller.id] = _Bucket(caller.rate)
        if wait := bucket.take():
            raise Refused(429, f"this key may send {caller.rate} requests", retry=wait)

    def _check_uploads(self, most: int) -> None:
        if self._uploads >= most:
            raise Refused(429, f"{most} uploads are on their way already; try again", retry=5)

    def _note(self, scope: "Scope", status: int, seconds: float, caller: Caller | None) -> None:
        route = scope.get("route")
        template = str(getattr(route, "path", "")) or ("/mcp" if str(scope["path"]).startswith("/mcp") else "none")
        if scope["path"] in OPEN:
            template = str(scope["path"])
        method = (
            scope["method"]
            if scope["method"] in {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
            else "other"
        )
        self._service.metrics.request(template, method, status, seconds)
        if caller is not None:
            self._service.metrics.uses[caller.id] += 1
        if template in OPEN or template.startswith(PAGE):
            return
        about = {"route": template, "method": method, "status": status, "milliseconds": round(seconds * 1e3, 1)}
        if caller is not None:
            about["key"] = caller.id
        if run := scope.get("path_params", {}).get("run") or scope["state"].get("run"):
            about["run"] = str(run)[:64]
        log.info("request", extra={"about": about})


def refusal(error: ScholarMindError) -> Refused:
    """Return an error of the library as a reply: what its caller can mend is said, what only its operator can is in the log."""
    match error:
        case QueryError() | PlanError() | ReadError() | SettingsError():
            return Refused(400, str(error))
        case ModelUnavailableError():
            log.warning("a model or worker is not there", extra={"about": {"error": str(error)}})
            return Refused(503, "a model or worker is not there now; try again", retry=5)
        case ModelError():
            log.warning("a model failed", extra={"about": {"error": str(error)}})
            return Refused(502, "a language model failed; try again")
        case LibraryLockedError():
            return Refused(503, "somebody else is writing to the library; try again", retry=10)
        case _:
            log.error("the library failed", extra={"about": {"error": str(error)}})
            return Refused(500, "the library cannot be used as it is; the log of the service has more")


async def refuse(refused: Refused, path: str, send: "Send") -> None:
    """Reply with why not."""
    body = json.dumps(refused.record(path), ensure_ascii=False).encode("utf-8", "replace")
    headers = [(name.encode(), value.encode()) for name, value in refused.told(path).items()]
    headers += [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _check_origin(caller: Caller, method: str, headers: Mapping[str, str]) -> None:
    """Refuse what another page has made a browser send: it would come with our cookie, or from this very machine."""
    site, origin = headers.get("sec-fetch-site", ""), headers.get("origin", "")
    if site not in {"", "same-origin", "none"} or (origin and urlsplit(origin).netloc != headers.get("host", "")):
        raise Refused(403, "requests that another page sends are not carried out")
    if caller.cookie and method not in _SAFE and not (site or origin):
        raise Refused(403, "a session is for the page alone; programs use a key")


def _check_length(headers: Mapping[str, str], most: int) -> None:
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length[:20]) > most:
        raise Refused(413, f"the body has more than {most:,} bytes")


def _limited(receive: "Receive", most: int) -> "Receive":
    """Return the same input, which ends with an error where there is too much of it, or too slowly."""
    began, taken, whole = time.monotonic(), 0, False

    async def take() -> "Message":
        nonlocal taken, whole
        if whole:  # what is left to be told is that the client has gone
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), _BODY_SECONDS)
        except TimeoutError:
            raise Refused(408, f"nothing came for {_BODY_SECONDS:.0f} seconds") from None
        taken += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        if taken > most:
            await _drain(receive, whole=whole)
            raise Refused(413, f"the body has more than {most:,} bytes")
        if not whole and taken < _SLOWEST * (time.monotonic() - began - _BODY_SECONDS):
            raise Refused(408, "the body comes too slowly")
        return message

    return take


async def _drain(receive: "Receive", *, whole: bool) -> None:
    """Read some of what is still to come, so that its sender comes to read our reply."""
    taken, deadline = 0, time.monotonic() + _DRAIN_SECONDS
    try:
        while not whole and taken < _DRAINED:
            message = await asyncio.wait_for(receive(), max(0.0, deadline - time.monotonic()))
            taken += len(message.get("body", b""))
            whole = not message.get("more_body", False)
    except TimeoutError:
        return


def _cookie(headers: Mapping[str, str]) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
