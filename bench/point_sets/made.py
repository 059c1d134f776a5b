"""Libraries that are made from tables: what their documents say, and what a reader would say of it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that is told of a subject: the wordings of documents, that of a reader, and what an answer must hold."""

    wordings: tuple[str, ...]
    read: str
    holds: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What one document is about: its fields in sections, and their values."""

    name: str
    fields: dict[str, Field]
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    values: dict[str, str]

    def words(self, name: str) -> str:
        """What the document says of this field, without the mark that ends it."""
        wordings = self.fields[name].wordings
        place = (sum(ord(letter) for letter in self.name) + list(self.fields).index(name)) % len(wordings)
        return wordings[place].format(**self.values)

    def read(self, name: str) -> str:
        """What a reader says of it."""
        return self.fields[name].read.format(**self.values)

    def holds(self, name: str) -> str:
        """What a sentence must hold to have said it."""
        return self.fields[name].holds.format(**self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A made library: documents of subjects, and essays whose text was written by hand."""

    language: str
    subjects: tuple[Subject, ...]
    essays: dict[str, str]
    fillers: dict[str, str]
    stop: str
    by_name: dict[str, Subject] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {subject.name: subject for subject in self.subjects})

    def documents(self) -> dict[str, str]:
        """The text of every document, by its name."""
        texts = {subject.name: self._text(subject) for subject in self.subjects}
        for title, text in self.essays.items():
            texts[title] = f"# {title}\n\n{text}\n"
        return texts

    def _text(self, subject: Subject) -> str:
        pieces = [f"# {subject.name}"]
        for section, names in subject.sections:
            told = [subject.words(name)[:1].upper() + subject.words(name)[1:] for name in names]
            filler = self.fillers[section]
            pieces.append(f"## {section}\n\n{self.stop.join(told)}{self.stop}{filler}")
        return "\n\n".join(pieces) + "\n"
