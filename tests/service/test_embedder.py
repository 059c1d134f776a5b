"""A service with the embedder that is built in: warm before it is ready, and giving its vectors to the official client."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest
from tests.service.conftest import Served, start, stop
from tests.service.test_rest import finished

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]


@pytest.fixture(scope="module")
def served(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service that makes vectors of its own."""
    library = Path(shutil.copytree(template, tmp_path_factory.mktemp("embedded") / "library"))
    running = start(library, SCHOLARMIND_EMBEDDER="minilm")
    yield running
    stop(running)


def test_vectors_are_the_same_in_both_encodings(served: Served) -> None:
    with openai.OpenAI(base_url=f"{served.address}/v1", api_key="unused") as client:
        assert "minilm" in {model.id for model in client.models.list()}
        packed = client.embeddings.create(model="minilm", input=["otters swim", "sparse attention"])
        plain = client.embeddings.create(model="minilm", input="otters swim", encoding_format="float")
    assert [each.index for each in packed.data] == [0, 1]
    assert len(plain.data[0].embedding) == 384
    assert packed.data[0].embedding == pytest.approx(plain.data[0].embedding, abs=1e-5)
    assert packed.data[0].embedding != pytest.approx(packed.data[1].embedding, abs=1e-2)


def test_documents_that_are_sent_are_found_by_meaning(served: Served) -> None:
    with served.client() as client:
        sent = client.post(
            "/api/v1/collections/animals/documents",
            files=[("files", ("a.md", b"# Otters\n\nThese mammals hold hands while asleep on the water."))],
        )
        assert finished(client, sent.headers["location"])["state"] == "done"
        asked = {"question": "sleeping animals in rivers", "mode": "vector", "collections": ["animals"]}
        assert len(client.post("/api/v1/search", json=asked).json()["passages"]) == 1
