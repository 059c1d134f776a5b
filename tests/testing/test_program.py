"""The scripted server as a program, with rules from a file and faults that are switched over HTTP."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from scholarmind.testing import ScriptedServer

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]

COLOSSEUM = {"model": "m", "messages": [{"role": "user", "content": "Where is the Colosseum?"}]}


def test_as_a_program_it_prints_its_address_and_keeps_the_rules_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(
        '{"canned": [{"match": "Colosseum", "reply": "In Rome."}], "faults": [{"kind": "server_error", "times": 1}]}'
    )
    command = [sys.executable, "-m", "scholarmind.testing", "--port", "0", "--latency", "0.01", "--rules", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1", url)
        replies = [httpx2.post(f"{url}/chat/completions", json=COLOSSEUM) for _ in range(2)]
        faults = httpx2.put(f"{url[:-3]}/faults", json={"faults": [{"kind": "empty"}]})
        replies.append(httpx2.post(f"{url}/chat/completions", json=COLOSSEUM))
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
    assert faults.json() == {"faults": 1}
    assert [reply.status_code for reply in replies] == [500, 200, 200]
    assert [reply.json()["choices"][0]["message"]["content"] for reply in replies[1:]] == ["In Rome.", ""]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ('{"caned": []}', "there is no rule 'caned'; known: canned, faults"),
        ('{"faults": [{"kind": "hangs"}]}', "there is no fault 'hangs'; one of: rate_limit, server_error"),
        ('{"faults": ["hang"]}', "'hang' should be an object of kind, times"),
        ("{", "rules.json: Expecting property name"),
    ],
)
def test_rules_that_are_wrong_are_told_in_one_line(tmp_path: Path, rules: str, told: str) -> None:
    file = tmp_path / "rules.json"
    file.write_text(rules)
    command = [sys.executable, "-m", "scholarmind.testing", "--rules", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


async def test_faults_are_refused_over_http_too_where_they_are_wrong() -> None:
    with ScriptedServer() as server:
        async with httpx2.AsyncClient() as client:
            reply = await client.put(f"{server.base_url[:-3]}/faults", json={"faults": [{"kind": "hang", "often": 1}]})
    assert (reply.status_code, "there is no rule 'often'" in reply.text) == (400, True)
