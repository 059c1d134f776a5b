"""What only the page asks of a service: who says what of a document, and what a question would cost."""

import shutil
from pathlib import Path

import httpx2
import pytest
from tests.service.conftest import QUESTION, start, stop, until

from scholarmind.testing.scripted import ScriptedServer

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
DOCUMENTS = "/api/v1/collections/default/documents"


def test_every_field_says_who_said_so_and_what_others_say(client: httpx2.Client) -> None:
    known = client.get(DOCUMENTS, params={"filter": "year = 2019"}).json()["items"][0]
    path = f"{DOCUMENTS}/{known['id']}"
    before = {each["field"]: each for each in client.get(f"{path}/fields").json()}
    assert before["year"] | {"sure": 0} == {
        "field": "year",
        "value": 2019,
        "source": "the file",
        "sure": 0,
        "others": [],
    }
    client.patch(path, json={"fields": {"year": 1999, "venue": "A Workshop"}}).raise_for_status()
    after = {each["field"]: each for each in client.get(f"{path}/fields").json()}
    assert [after[field]["source"] for field in ("title", "year", "venue")] == ["the file", "by hand", "by hand"]
    assert [(each["value"], each["source"]) for each in after["year"]["others"]] == [(2019, "the file")]
    client.patch(path, json={"fields": {"year": None, "venue": None}}).raise_for_status()
    assert {each["field"]: each for each in client.get(f"{path}/fields").json()} == before


def test_of_what_is_not_there_nobody_says_anything(client: httpx2.Client) -> None:
    assert client.get(f"{DOCUMENTS}/nothing/fields").status_code == 404


def test_without_a_model_a_question_costs_nothing(client: httpx2.Client) -> None:
    assert client.post("/api/v1/estimate", json={"question": QUESTION}).json() == {}


def test_more_effort_is_expected_to_cost_more(template: Path, tmp_path: Path) -> None:
    with ScriptedServer() as model:
        own = Path(shutil.copytree(template, tmp_path / "library"))
        running = start(own, SCHOLARMIND_LLM=f"{model.base_url}#scripted")
        try:
            with running.client() as client:
                before = len(model.requests)  # to warm up
                found = client.post("/api/v1/estimate", json={"question": QUESTION}).json()
        finally:
            stop(running)
        assert len(model.requests) == before  # nothing is spent on telling what would be
    assert set(found) == {"fast", "standard", "deep"}
    calls = [found[effort]["calls"] for effort in ("fast", "standard", "deep")]
    assert calls == sorted(calls)
    assert calls[0] == 1  # only the answer is written
    assert found["fast"]["tokens"] < found["deep"]["tokens"]


def test_a_job_names_its_files(client: httpx2.Client) -> None:
    files = [("files", ("otters.md", b"# A note on otters\n\nOtters hold hands while they sleep.", "text/markdown"))]
    job = client.post(DOCUMENTS, files=files).json()
    assert job["files"] == ["otters.md"]
    until(lambda: client.get(f"/api/v1/jobs/{job['id']}").json()["state"] == "done")
    assert client.get("/api/v1/jobs").json()["items"][0]["files"] == ["otters.md"]


def test_what_was_thought_of_an_answer_is_kept(client: httpx2.Client) -> None:
    run = client.post("/api/v1/runs", json={"question": "Who proposed XLNet?"}).json()["id"]
    until(lambda: client.get(f"/api/v1/runs/{run}").json()["state"] == "done")
    rating = {"good": True, "part": 1, "note": "confirmed: not in the library"}
    assert client.put(f"/api/v1/runs/{run}/rating", json=rating).status_code == 204
    assert client.get(f"/api/v1/runs/{run}/ratings").json() == [rating]
    assert client.get("/api/v1/runs/nothing/ratings").status_code == 404
