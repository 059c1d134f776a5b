"""Ask the catalogues one after another about a work, until one knows it."""

import asyncio
import re
from importlib.metadata import version
from pathlib import Path

from scholarmind.adapters.catalogues.arxiv import Arxiv
from scholarmind.adapters.catalogues.asking import Line, Manners
from scholarmind.adapters.catalogues.cache import Cache
from scholarmind.adapters.catalogues.crossref import Crossref
from scholarmind.adapters.catalogues.openalex import OpenAlex
from scholarmind.adapters.catalogues.work import Catalogue, Question, UnusableAnswerError, Work, asked_of, facts_of
from scholarmind.errors import CatalogueError, SettingsError
from scholarmind.model import Document, Fact
from scholarmind.text.likeness import ALIKE, similarity

_EMAIL = re.compile(r"[^\s@<>()]+@[^\s@<>()]+")
_MANNERS = Manners()
_SECONDS = 10.0


class Catalogues:
    """An `Enricher`. It never fails a document: what could not be asked is told in `notices`, each once."""

    def __init__(
        self,
        *,
        cache: Path,
        email: str = "",
        openalex_key: str = "",
        catalogues: tuple[Catalogue, ...] | None = None,
        seconds: float = _SECONDS,
        manners: Manners = _MANNERS,
    ) -> None:
        if email and not _EMAIL.fullmatch(email):
            raise SettingsError(
                f"online_email = {email!r} is no e-mail address; write it like ada@example.org, or leave it out"
            )
        contact = f" (mailto:{email})" if email else ""
        user_agent = f"ScholarMind/{version('scholarmind')}{contact}"
        self.notices: list[str] = []
        self._catalogues = catalogues or (OpenAlex(email=email, key=openalex_key), Crossref(email=email), Arxiv())
        self._lines = {
            one.name: Line(one, user_agent=user_agent, seconds=seconds, manners=manners) for one in self._catalogues
        }
        self._cache = Cache(cache)

    async def look_up(self, document: Document) -> tuple[Fact, ...]:
        """Return what the first catalogue that knows the work says of it; () if none does or none can be asked."""
        asked = asked_of(document)
        for catalogue in self._catalogues:
            for question in catalogue.questions(asked):
                try:
                    work = await self._found(catalogue, question, document)
                except CatalogueError as error:
                    self._tell(str(error))
                    break
                if work:
                    return facts_of(work, catalogue.name)
        return ()

    async def _found(self, catalogue: Catalogue, question: Question, document: Document) -> Work | None:
        name = f"{catalogue.name} {question.address()}"
        works = await asyncio.to_thread(self._cache.find, name)
        if works is not None:
            return self._accepted(works, document)
        works = await self._asked(catalogue, question)
        found = self._accepted(works, document)
        await asyncio.to_thread(self._cache.keep, name, works, helped=found is not None)
        self._tell(self._cache.problem)
        return found

    async def _asked(self, catalogue: Catalogue, question: Question) -> list[Work]:
        line = self._lines[catalogue.name]
        answer = await line.ask(question)
        try:
            works = [] if answer is None else catalogue.works(answer)
        except (UnusableAnswerError, ValueError, RecursionError) as error:
            line.judge(str(error))
            raise CatalogueError(
                line.closed or f"{catalogue.name} gave an unusable answer ({error}); it is passed over"
            ) from error
        line.judge("")
        return works

    def _accepted(self, works: list[Work], document: Document) -> Work | None:
        """Return the work whose title agrees best, if it agrees; not one of another year."""
        scored = [(self._agreement(work, document), -place) for place, work in enumerate(works)]
        best, place = max(scored, default=(0.0, 0))
        return works[-place] if best >= ALIKE else None

    def _agreement(self, work: Work, document: Document) -> float:
        if work.year and document.year and abs(work.year - document.year) > 1:
            return 0.0
        titles = filter(None, (work.title, work.short_title))
        return max((similarity(title, document.title) for title in titles), default=0.0)

    def _tell(self, notice: str) -> None:
        if notice and notice not in self.notices:
            self.notices.append(notice)
