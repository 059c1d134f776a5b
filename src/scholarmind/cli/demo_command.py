"""`scholarmind demo`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scholarmind.cli import service_commands
from scholarmind.cli.main import echo, json_option

if TYPE_CHECKING:
    from scholarmind.api import Library

QUESTIONS = (
    "Compare BERT and GPT-2 on GLUE, explain their attention mechanisms, and who proposed each?",
    "Transformer架构近3年有哪些主要改进, 各自的性能提升是多少, 以及哪个研究组最活跃?",
)


@click.command("demo")
@click.option("--question", help="Ask this instead of the built-in questions.")
@click.option("--open", "opens", is_flag=True, help="Open the library on its page, in this computer's browser.")
@json_option
def demo_command(question: str | None, opens: bool, as_json: bool) -> None:
    """Ask a small library: 40 notes on language models and their attention, in English and Chinese.

    It is kept apart from your own, in scholarmind/demo in your data folder.
    """
    from importlib.resources import as_file, files  # noqa: PLC0415

    from scholarmind.cli.output import print_json, progress  # noqa: PLC0415
    from scholarmind.record import answer_record  # noqa: PLC0415

    questions = QUESTIONS if question is None else (question,)
    with as_file(files("scholarmind.demo") / "notes") as notes, _opened(notes) as library:
        with progress(quiet=as_json) as on_event:
            library.add(notes, prune=True, on_event=on_event)
        folder = library.store.folder
        if as_json and not opens:
            answers = [answer_record(library.ask(text)) for text in questions]
            print_json(answers if question is None else answers[0])
            return
        counts = library.counts()["default"]
        echo(f"The demo library holds {counts.documents} notes in {counts.passages} passages.\n", err=as_json)
        for text in () if opens else questions:
            _ask(library, text)
    if opens:
        os.environ["SCHOLARMIND_EFFORT"] = (
            "keyless"  # as everything here is asked; the processes that answer see it, too
        )
        click.get_current_context().invoke(
            service_commands.serve_command, library=str(folder), port=0, opens=True, quiet=True, as_json=as_json
        )
        return
    echo("Now try:")
    echo(f'  scholarmind ask --library {folder} --details "How does Longformer differ from BigBird?"')
    echo(f'  scholarmind plan --library {folder} "Who proposed the model that RoBERTa builds on?"')
    echo('  scholarmind add FOLDER_WITH_YOUR_NOTES && scholarmind ask "your question"')


def _opened(notes: Path) -> "Library":
    """Return the demo's own library; one of another version, embedder or installation is made anew, since the notes are ours."""
    import shutil  # noqa: PLC0415

    from scholarmind.api import Library  # noqa: PLC0415
    from scholarmind.errors import LibraryMismatchError  # noqa: PLC0415
    from scholarmind.settings import default_library  # noqa: PLC0415

    folder = default_library().with_name("demo")

    def opened() -> Library:
        library = Library.open(folder, create=True, effort="keyless")
        try:
            library.store.check_fingerprint()
            _check_notes(library, notes)
        except LibraryMismatchError:
            library.close()
            raise
        return library

    try:
        return opened()
    except LibraryMismatchError as error:
        echo(f"The demo library is made anew: {error}", err=True)
        shutil.rmtree(folder)
        return opened()


def _check_notes(library: "Library", notes: Path) -> None:
    """Refuse a library that has nothing but the same notes of another installation: they would be there twice."""
    from scholarmind.errors import LibraryMismatchError  # noqa: PLC0415

    names = {note.name for note in notes.iterdir()}
    places = [Path(source.path) for _, source in library.sources()]
    if any(place.parent != notes for place in places) and all(place.name in names for place in places):
        raise LibraryMismatchError(f"the library {str(library.store.folder)!r} has the notes of another installation")


def _ask(library: "Library", question: str) -> None:
    from scholarmind.cli.answer_output import print_answer  # noqa: PLC0415
    from scholarmind.cli.run_progress import watched  # noqa: PLC0415

    echo(f"? {question}\n", bold=True)
    with watched(quiet=False, transient=True) as shown:
        answer = library.ask(question, on_event=shown)
    print_answer(answer, "apa")
    echo()
