"""One example: a chat that a model should have had, with its label and how far that is to be trusted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scholarmind.llm.prompts import Prompt, Prompts, marker_of, within
from scholarmind.text.language import language_of
from scholarmind.training.history import History, Record
from scholarmind.training.masking import all_masked


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What goes into a line of the export."""

    messages: tuple[tuple[str, str], ...]  # role and text
    label: str
    weight: float
    meta: Mapping[str, Any]

    @property
    def record(self) -> dict[str, Any]:
        """The example as JSON, with nothing in it that belongs to somebody."""
        messages = [{"role": role, "content": text} for role, text in self.messages]
        return all_masked({"messages": messages, "label": self.label}) | {
            "weight": self.weight,
            "meta": dict(self.meta),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A run, or a step of one, that no example is made of, and why."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What examples are made with: our prompts, and whether passages' texts may be shown."""

    prompts: Prompts
    include_passages: bool = False

    def example(
        self, history: History, prompt: Prompt, values: Mapping[str, str], said: str, *, label: str, part: int = 0
    ) -> Example:
        """Return an example of what a prompt of ours should have been replied."""
        language = self.language(history)
        filled = self.prompts.filled(prompt, language, marker=self.marker(history), **values)
        messages = (*((message.role, message.text) for message in filled.messages), ("assistant", said))
        meta = {**history.meta, **({"part": part} if part else {})}
        return Example(messages=messages, label=label, weight=history.weight(part), meta=meta)

    def marker(self, history: History) -> str:
        """Return the word that fences what is not ours; it tells nothing of the run."""
        return marker_of(str(history.meta["run"]))

    def language(self, history: History) -> str:
        """Return the language of the prompt."""
        return "zh" if language_of(history.question) == "zh" else "en"

    def nothing(self, history: History) -> str:
        """Return what stands where there is nothing."""
        return "（无）" if self.language(history) == "zh" else "(none)"

    def fenced(self, history: History, name: str, text: str) -> str:
        """Return a text that is not ours, in its fence."""
        return within(text, self.marker(history), name)

    def passages(self, history: History, shown: Iterable[Record]) -> str:
        """Return passages as prompts show them: titles, and their texts where these may be shown."""
        marker = self.marker(history)
        blocks: list[str] = []
        for number, item in enumerate(shown, 1):
            text = str(item["text"]) if self.include_passages else ""
            opened = f"<passage {marker} P{number}> {' '.join(str(item['title']).split())}"
            blocks.append(f"{opened}\n{text.replace(marker, ' ')}\n</passage {marker}>")
        return "\n".join(blocks) or self.nothing(history)
