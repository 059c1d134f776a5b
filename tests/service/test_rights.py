"""Who may do what: over every route and every tool that there is, so that a new one cannot be forgotten."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from fastapi.routing import APIRoute
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from tests.service.conftest import CANARY, SECRET, Served, start, stop, until

from scholarmind.service import app, documents_api, openai_api, page_api, questions_api, research_api
from scholarmind.service.keys import SCOPES, Keys, charge
from scholarmind.service.route_dependencies import Needs
from scholarmind.service.service_file import ServiceFile

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
HIDDEN = ("Zebulon", "Wexford", "99.9", f"The {CANARY} Programme", "Institute of Hidden Things")
PLAIN = {"/", "/healthz", "/readyz", "/metrics", "/api/v1/openapi.json", "/mcp"}
ROUTES = [
    (method, route)
    for router in (
        app.administration,
        documents_api.router,
        openai_api.router,
        page_api.router,
        questions_api.answer_routes,
        questions_api.router,
        research_api.draft_routes,
        research_api.table_routes,
        research_api.watched_routes,
    )
    for route in cast("list[APIRoute]", router.routes)
    for method in sorted(route.methods)
]
NAMES = [f"{method} {route.path}" for method, route in ROUTES]
TOOLS: dict[str, dict[str, Any]] = {
    "ask": {"question": f"Who proposed {CANARY}?", "collections": ["secret"]},
    "plan": {"question": f"Who proposed {CANARY}?", "collections": ["secret"]},
    "search": {"query": CANARY, "collections": ["secret"]},
    "find": {"collection": "secret", "document": "DOCUMENT", "words": CANARY},
    "open": {"collection": "secret", "document": "DOCUMENT"},
    "list_documents": {"collections": ["secret"]},
    "reading_list": {"question": f"Who proposed {CANARY}?", "collections": ["secret"]},
    "read_table": {"table": CANARY},
    "add_document": {"collection": "secret", "title": "x", "text": "x"},
}


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    """A service that wants a key."""
    with ServiceFile(folder / "service.db") as file:
        Keys(file).create(["ask"])
    running = start(folder, "--require-key")
    yield running
    stop(running)


@pytest.fixture(scope="module")
def admin(served: Served) -> str:
    """A key that may do everything."""
    return served.key("ask", "search", "ingest", "admin")


@pytest.fixture(scope="module")
def tenant(served: Served) -> str:
    """A key for `default` alone."""
    return served.key("ask", "search", "ingest", collections=["default"])


@pytest.fixture(scope="module")
def theirs(served: Served) -> dict[str, str]:
    """The ids of what another tenant has: a document, a run, a job."""
    other = served.key("ask", "search", "ingest", collections=["secret"])
    with served.client(other) as client:
        document = client.get("/api/v1/collections/secret/documents").json()["items"][0]["id"]
        run = client.post("/api/v1/runs", json={"question": f"Who proposed {CANARY}?"}).json()["id"]
        sent = client.post("/api/v1/collections/secret/documents", files=[("files", ("more.md", b"# More\n\nMore."))])
        job = sent.json()["id"]
        table = client.post("/api/v1/tables", json={"columns": f"Who proposed {CANARY}?", "name": CANARY})
        assert table.status_code == 202, table.text
        draft = client.post("/api/v1/drafts", files=[("files", (f"{CANARY}.md", SECRET.encode()))]).json()["id"]
        watched = client.post("/api/v1/watched", json={"question": f"Who proposed {CANARY}?"})
        assert watched.status_code == 201, watched.text
        until(lambda: client.get(f"/api/v1/runs/{run}").json()["state"] == "done")
        until(lambda: client.get(f"/api/v1/jobs/{job}").json()["state"] == "done")
        until(lambda: client.get(f"/api/v1/drafts/{draft}").json()["state"] == "done")
        until(lambda: client.get(f"/api/v1/tables/{CANARY}").json()["job"]["state"] == "done")
        assert "Zebulon Wexford" in client.get(f"/api/v1/tables/{CANARY}").text
        assert "Zebulon Wexford" in client.get(f"/api/v1/runs/{run}").json()["answer"]["answer"]
    ids = {"collection": "secret", "document": document, "run": run, "job": job, "number": "1", "model": "secret"}
    return ids | {"part": "1", "what": "stop", "table": CANARY, "draft": draft, "watched": watched.json()["id"]}


def needs_of(route: APIRoute) -> list[Needs]:
    """Return what a route declares to need."""
    return [each.call for each in route.dependant.dependencies if isinstance(each.call, Needs)]


def sent(client: httpx2.Client, method: str, route: APIRoute, ids: Mapping[str, str]) -> httpx2.Response:
    """Send a request that is whole, made from the description of the service."""
    schema = client.get("/api/v1/openapi.json").json()
    operation = schema["paths"][route.path][method.lower()]
    path = route.path
    for name, value in ids.items():
        path = path.replace(f"{{{name}}}", value)
    query = {
        each["name"]: "BERT" for each in operation.get("parameters", []) if each["in"] == "query" and each["required"]
    }
    content = operation.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        return client.request(method, path, params=query, files=[("files", ("a.md", b"# A\n\nB."))])
    body = None
    if "application/json" in content:
        shape = schema["components"]["schemas"][content["application/json"]["schema"]["$ref"].rpartition("/")[2]]
        body = {name: _sample(each) for name, each in shape["properties"].items() if name in shape.get("required", ())}
        if "collections" in shape["properties"]:
            body["collections"] = [ids["collection"]]
        if "model" in shape["properties"]:
            body["model"] = ids["model"]
    return client.request(method, path, params=query, json=body)


def _sample(schema: Mapping[str, Any]) -> Any:
    """Return a value of this shape."""
    if "examples" in schema:
        return schema["examples"][0]
    return {"boolean": True, "integer": 1, "array": [], "object": {}}.get(schema.get("type", ""), "x")


def all_text(reply: httpx2.Response) -> str:
    """Return all that a reply says, with its headers."""
    return f"{reply.text} {dict(reply.headers)}"


# -- over all routes


def test_every_route_is_known_here(served: Served, admin: str) -> None:
    with served.client(admin) as client:
        described = set(client.get("/api/v1/openapi.json").json()["paths"])
    assert described == {route.path for _, route in ROUTES}
    assert not described & PLAIN


@pytest.mark.parametrize(("method", "route"), ROUTES, ids=NAMES)
def test_every_route_says_what_it_needs(method: str, route: APIRoute) -> None:
    (needs,) = needs_of(route)
    assert needs.scopes
    assert set(needs.scopes) <= set(SCOPES)


@pytest.mark.parametrize(("method", "path"), [*((m, r.path) for m, r in ROUTES), ("GET", "/metrics"), ("POST", "/mcp")])
def test_without_a_key_nothing_is_done(served: Served, method: str, path: str) -> None:
    with served.client() as client:
        for headers in ({}, {"authorization": "Bearer sm_00000000_" + "A" * 43}, {"authorization": "Basic eDp4"}):
            reply = client.request(method, path, headers=headers)
            assert reply.status_code == 401, path
            assert reply.headers["www-authenticate"] == "Bearer"
            assert not any(word in all_text(reply) for word in HIDDEN)


@pytest.mark.parametrize(("method", "route"), ROUTES, ids=NAMES)
def test_without_the_scope_nothing_is_done(
    served: Served, theirs: dict[str, str], method: str, route: APIRoute
) -> None:
    (needs,) = needs_of(route)
    for scope in set(SCOPES) - set(needs.scopes):
        with served.client(served.key(scope)) as client:
            reply = sent(client, method, route, theirs)
            assert reply.status_code == 403, reply.text
            assert not any(word in all_text(reply) for word in HIDDEN)


@pytest.mark.parametrize(("method", "route"), ROUTES, ids=NAMES)
def test_what_is_anothers_is_not_there(
    served: Served, tenant: str, theirs: dict[str, str], method: str, route: APIRoute
) -> None:
    with served.client(tenant) as client:
        reply = sent(client, method, route, theirs)
        assert not any(word in all_text(reply) for word in HIDDEN)
        if not set(SCOPES[:3]) & set(needs_of(route)[0].scopes):
            assert reply.status_code == 403
        elif "{" in route.path:
            assert reply.status_code == 404, reply.text
        elif "/graph/" in route.path:  # of the whole library, whoever's it is
            assert reply.status_code == 403, reply.text
        else:
            assert reply.status_code in {200, 202, 204, 404}, reply.text  # 202: a draft of one's own


def test_a_question_brings_nothing_from_where_its_asker_may_not_look(served: Served, tenant: str) -> None:
    with served.client(tenant) as client:
        question = f"Who proposed {CANARY}, and what GLUE score does {CANARY} obtain?"
        run = client.post("/api/v1/runs", json={"question": question}).json()["id"]
        until(lambda: client.get(f"/api/v1/runs/{run}").json()["state"] == "done")
        replies = [
            client.get(f"/api/v1/runs/{run}"),
            client.get(f"/api/v1/runs/{run}/events"),
            client.post("/api/v1/plan", json={"question": question}),
            client.post("/api/v1/search", json={"question": question, "limit": 100}),
            client.post("/api/v1/search", json={"question": question, "filter": "collection = secret"}),
            client.post("/api/v1/search", json={"question": question, "filter": "not collection = default"}),
            client.get("/api/v1/collections"),
            client.get("/api/v1/runs"),
            client.get("/api/v1/jobs"),
            client.get("/api/v1/collections/default/graph", params={"name": "GLUE", "hops": 3}),
            client.get("/v1/models"),
        ]
        for reply in replies:
            assert reply.status_code == 200, reply.text
            assert not any(word in reply.text for word in HIDDEN), reply.url
        assert "secret" not in client.get("/api/v1/collections").text


# -- over all tools


@pytest.mark.anyio
async def test_every_tool_is_known_here(served: Served, admin: str) -> None:
    async with connected(served, admin) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == set(TOOLS)


@pytest.mark.anyio
async def test_no_tool_does_anything_without_its_scope_or_for_another_tenant(
    served: Served, tenant: str, theirs: dict[str, str]
) -> None:
    arguments = json.loads(json.dumps(TOOLS).replace("DOCUMENT", theirs["document"]))
    for key, words in ((served.key("admin"), "needs the scope"), (tenant, "there is no")):
        async with connected(served, key) as client:
            for name, given in arguments.items():
                result = await client.call_tool(name, given)
                assert result.is_error, (name, result)
                assert words in result.content[0].text
                assert not any(word in str(result) for word in HIDDEN)
            for uri in (f"document://secret/{theirs['document']}", "collection://secret"):
                with pytest.raises(MCPError, match=r"there is no|needs the scope"):
                    await client.read_resource(uri)


@pytest.mark.anyio
async def test_a_run_of_another_is_not_read_on(served: Served, tenant: str, theirs: dict[str, str]) -> None:
    async with connected(served, tenant) as client:
        result = await client.call_tool("ask", {"cursor": f"{theirs['run']}@0"})
        assert result.is_error
        assert "there is no run" in result.content[0].text


@asynccontextmanager
async def connected(served: Served, key: str) -> AsyncIterator[Client]:
    """Connect the official client with a key."""
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=30) as http,
        Client(streamable_http_client(f"{served.address}/mcp", http_client=http)) as client,
    ):
        yield client


# -- keys


def test_only_hashes_of_keys_are_kept(served: Served) -> None:
    key = served.key("ask")
    with served.client(key) as client:
        assert client.get("/api/v1/runs").status_code == 200
    kept = b"".join(path.read_bytes() for path in served.library.glob("service.db*"))
    assert key.split("_", 2)[2].encode() not in kept
    assert key.split("_", 2)[1].encode() in kept
    assert (served.library / "service.db").stat().st_mode & 0o077 == 0


def test_a_revoked_key_opens_nothing_and_neither_does_its_session(served: Served) -> None:
    key = served.key("ask", "search")
    with served.client(key) as client, served.client() as page:
        page.cookies.set(*_session(client))
        assert page.get("/api/v1/runs").status_code == 200
        command = [Path(sys.executable).parent / "scholarmind", "keys", "revoke", key.split("_")[1], "--library"]
        subprocess.run([*command, str(served.library)], check=True, capture_output=True)
        assert client.get("/api/v1/runs").status_code == 401
        assert page.get("/api/v1/runs").status_code == 401


def test_a_rate_is_kept_to(served: Served) -> None:
    with served.client(served.key("ask", rate="3/h")) as client:
        replies = [client.get("/api/v1/runs") for _ in range(4)]
    assert [reply.status_code for reply in replies] == [200, 200, 200, 429]
    assert 0 < int(replies[-1].headers["retry-after"]) <= 1200


def test_a_budget_that_is_spent_answers_no_more(served: Served) -> None:
    key = served.key("ask", budget="1.00/month")
    with served.client(key) as client:
        assert client.post("/api/v1/runs", json={"question": "Who proposed BERT?"}).status_code == 202
        with ServiceFile(served.library / "service.db") as file:
            file.do(lambda connection: charge(connection, key.split("_")[1], 10, 1.5))
        refused = client.post("/api/v1/runs", json={"question": "Who proposed GPT-2?"})
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert client.get("/api/v1/runs").status_code == 200


def test_what_a_key_has_used_is_known(served: Served, admin: str) -> None:
    def used() -> int:
        with closing(sqlite3.connect(served.library / "service.db")) as connection:
            sql = "SELECT coalesce(sum(requests), 0) FROM usage WHERE key = ?"
            return connection.execute(sql, (admin.split("_")[1],)).fetchone()[0]

    before = used()
    with served.client(admin) as client:
        client.get("/api/v1/runs")
    until(lambda: used() > before, 20)


# -- the page, and what others make a browser do


def test_a_session_is_for_the_page_alone(served: Served) -> None:
    with served.client(served.key("ask", "search")) as client, served.client() as page:
        begun = client.post("/api/v1/session")
        told = begun.headers["set-cookie"].lower()
        assert all(word in told for word in ("httponly", "samesite=strict", "path=/"))
        page.cookies.set(*_session(client))
        asked = {"question": "BERT", "limit": 1}
        same, other = {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "cross-site"}
        assert page.get("/api/v1/runs").status_code == 200
        assert page.post("/api/v1/search", json=asked).status_code == 403
        assert page.post("/api/v1/search", json=asked, headers=same).status_code == 200
        assert page.post("/api/v1/search", json=asked, headers=other).status_code == 403
        assert page.post("/api/v1/search", json=asked, headers={"origin": "http://evil.example"}).status_code == 403
        assert page.delete("/api/v1/session", headers=same).status_code == 204
        page.cookies.clear()


def test_other_names_are_not_ours(served: Served, admin: str) -> None:
    with served.client(admin) as client:
        assert client.get("/healthz", headers={"host": "evil.example"}).status_code == 421
        assert client.get("/healthz", headers={"host": "localhost:1"}).status_code == 200


def test_from_this_machine_no_other_page_can_ask(folder: Path, tmp_path: Path) -> None:
    running = start(tmp_path / "library", wait=False)
    try:
        with running.client() as client:
            assert client.get("/api/v1/collections").status_code == 200
            for headers in (
                {"origin": "http://evil.example"},
                {"sec-fetch-site": "cross-site"},
                {"host": "evil.example"},
            ):
                assert client.get("/api/v1/collections", headers=headers).status_code in {403, 421}
    finally:
        stop(running)


def test_no_address_that_others_reach_is_served_without_a_key(tmp_path: Path) -> None:
    command = [Path(sys.executable).parent / "scholarmind", "serve", "--host", "0.0.0.0", "--port", "0", "--library"]  # noqa: S104
    done = subprocess.run([*command, str(tmp_path / "library")], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "keys create" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_library_is_served_once(served: Served) -> None:
    command = [Path(sys.executable).parent / "scholarmind", "serve", "--port", "0", "--library"]
    done = subprocess.run([*command, str(served.library)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "being served already" in done.stderr


def test_wrong_keys_are_never_told_apart(served: Served, admin: str) -> None:
    id = admin.split("_")[1]
    with served.client() as client:
        for token in (f"sm_{id}_{'A' * 43}", "sm_zzzzzzzz_" + "A" * 43, "x" * 5000, "ключ".encode().decode("latin-1")):
            reply = client.get("/api/v1/runs", headers={"authorization": f"Bearer {token}".encode("latin-1")})
            assert reply.status_code == 401
            assert reply.json()["detail"] == "this needs a valid key: Authorization: Bearer ..."


def _session(client: httpx2.Client) -> tuple[str, str]:
    client.post("/api/v1/session")
    ((name, value),) = client.cookies.items()
    client.cookies.clear()
    return name, value
