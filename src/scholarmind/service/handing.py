"""Whether a library is being served, and handing work to the service that does. Needs nothing that is not installed by default."""

import asyncio
import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scholarmind.errors import LibraryError, SettingsError
from scholarmind.library.report import Report
from scholarmind.service.file import ServiceFile
from scholarmind.service.jobs import Job, Jobs
from scholarmind.service.keys import LOCAL
from scholarmind.steps.journal import decode

_LOOK_SECONDS = 0.2


def hold_lock(library: Path) -> int:
    """Take the lock that tells others that this library is being served; it goes with the process, however that ends."""
    lock = os.open(library / "service.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise SettingsError(f"the library {str(library)!r} is being served already") from None
    return lock


def is_served(library: Path) -> bool:
    """Tell whether a service is running over this library."""
    try:
        lock = os.open(library / "service.lock", os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def hand_over(library: Path, task: Mapping[str, Any]) -> Report:
    """Have documents added by the service, and return what it reports. Who stops waiting stops it."""
    named = [str(Path(path).absolute()) for path in task["paths"]]
    lists = [str(Path(path).absolute()) for path in task["bibliographies"]]
    job = asyncio.run(_handed(library, {**task, "paths": named, "bibliographies": lists}))
    if job.state != "done":
        raise LibraryError(f"the service did not add this: {job.state} {job.error}")
    report = decode(Report, json.dumps({"format": 1, "type": "Report", "value": job.result}))
    if report is None:
        raise LibraryError(
            "the service is of another version, and its report cannot be read; what it added is in the library"
        )
    return report


async def _handed(library: Path, task: dict[str, Any]) -> Job:
    with ServiceFile(library / "service.db") as file:
        jobs = Jobs(file)
        job = await jobs.put("add", LOCAL, task)
        try:
            while job is not None and not job.is_over:
                if not is_served(library):
                    break
                await asyncio.sleep(_LOOK_SECONDS)
                job = await jobs.find(job.id)
        except asyncio.CancelledError:
            if job is not None:
                await jobs.cancel(job.id)
            raise
    if job is None or not job.is_over:
        raise LibraryError("the service has ended; its next start goes on with this, and so does the same command")
    return job
