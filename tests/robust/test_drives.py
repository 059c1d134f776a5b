"""Real drives that are mounted and unmounted while a library follows them."""

from pathlib import Path

from robustly import UNSHARED, needs_mount, run

_BELOW = """
import subprocess
library, folder = Path(sys.argv[1]), Path(sys.argv[2])
drive = folder / "drive"
def mount(place):
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
    (place / "on the drive.txt").write_text("Common words on the drive.")
def unmount(place):
    subprocess.run(["umount", place], check=True)
with opened(library) as adding:
    mount(drive)
    (folder / "beside.txt").write_text("Common words beside it.")
    say(adding.add(folder, prune=True).added)
    unmount(drive)
    report = adding.add(folder, prune=True)
    say(report.removed, report.kept, [(told.where, told.reason) for told in report.problems])
    drive.rmdir()  # as what mounts drives by itself does
with opened(library) as adding:  # it is remembered in the library, not in the process
    report = adding.add(folder, prune=True)
    say(report.removed, report.kept, [(told.where, told.reason) for told in report.problems])
    mount(drive)
    report = adding.add(folder, prune=True)
    say(report.unchanged, report.removed, report.kept, report.problems)
    unmount(drive)
    drive.rmdir()
    say(adding.add(folder, prune="really").removed)
"""


@needs_mount
def test_a_drive_below_a_folder_that_is_unmounted(tmp_path: Path) -> None:
    """Whether its mount point stays or goes: what came from it is kept, and known again when it is back."""
    folder = tmp_path / "documents"
    folder.mkdir()
    told = run(_BELOW, tmp_path / "library", folder, wrapper=UNSHARED)
    why = "as where a drive is not mounted; 1 document is kept"
    assert told == [
        "2",
        f"0 1 [({str(folder / 'drive')!r}, 'it is empty, {why}')]",
        f"0 1 [({str(folder / 'drive')!r}, 'it is missing, {why}')]",
        "2 0 0 []",
        "1",
    ]
