"""The decision maker: whether what was found is enough for a sub-goal, or what to search for next."""

from collections.abc import Sequence
from dataclasses import dataclass

from scholarmind.llm.prompts import fenced, within
from scholarmind.model import Evidence
from scholarmind.planning.decomposition.clause_rewriting import names_in
from scholarmind.planning.protection import Protector, cleaned
from scholarmind.strategies.roadmap.actions import OF_DECISION_MAKER, Action
from scholarmind.strategies.roadmap.asking import Asking
from scholarmind.strategies.roadmap.worth import Worth
from scholarmind.text.analysis import spans
from scholarmind.text.language import language_of

_TOKENS = 200
_LONGEST_PASSAGE = 800
_MOST_SHOWN = 12  # passages: the best, and it is told how many there are
_ENOUGH = 0.9  # of the worth of a sub-goal's words, by all that was found together


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionState:
    """What the decision maker sees: the question, the documents gathered so far, and the roadmap, with what was searched for."""

    question: str
    documents: Sequence[Evidence]
    roadmap: str
    objective: str
    searched: Sequence[str]
    in_vain: Sequence[str] = ()
    part: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is done next, who says so, and why."""

    action: Action
    by: str  # model, rules
    reason: str = ""
    notes: tuple[str, ...] = ()


async def decided(state: DecisionState, worth: Worth, asking: Asking | None) -> Decision:
    """Return what to do next: a model says, and where it has no word of use, rules."""
    if asking is None:
        return by_rules(state, worth)
    action = await _said(state, asking)
    if isinstance(action, Action):
        return Decision(action=action, by="model")
    ruled = by_rules(state, worth)
    note = f"what to do next for part {state.part} was decided by rules: {action}"
    return Decision(action=ruled.action, by="rules", reason=ruled.reason, notes=(note,))


def by_rules(state: DecisionState, worth: Worth) -> Decision:
    """Stop when the passages have as good as every word of the sub-goal; until then search for those that they lack."""
    held = worth.held(state.documents)
    share = worth.share(held)
    if share >= _ENOUGH or not worth.weights:
        return Decision(action=Action("LLM"), by="rules", reason=f"{share:.0%} of what is asked for was found")
    query = _for_missing(state.objective, worth, held)
    asked = {normal(each) for each in (*state.searched, *state.in_vain)}
    if not query or normal(query) in asked:
        return Decision(action=Action("LLM"), by="rules", reason="there is no other way to ask")
    return Decision(
        action=Action("Retrieval", query), by="rules", reason=f"only {share:.0%} of what is asked for was found"
    )


def normal(query: str) -> str:
    """Return what makes two queries the same."""
    return " ".join(query.casefold().split()).strip(" ?？.。!！\"'“”")


def _for_missing(objective: str, worth: Worth, held: frozenset[str]) -> str:
    """Return the words of a sub-goal that no passage has, as they stand there, behind the names that it is about."""
    missing = [place for place in spans(objective) if place[2] & worth.weights.keys() - held]
    texts: list[str] = []
    end = -1
    for start, stop, _ in missing:
        if texts and start <= end:  # pairs of Chinese characters lap over each other
            texts[-1] += objective[end:stop]
        else:
            texts.append(objective[start:stop])
        end = max(end, stop)
    if not texts:
        return ""
    names = [name for name in names_in(Protector().line(cleaned(objective))) if name not in texts]
    return " ".join(dict.fromkeys((*names, *texts)))


async def _said(state: DecisionState, asking: Asking) -> Action | str:
    marker, language = asking.assistant.marker, "zh" if language_of(state.question) == "zh" else "en"
    shown = fenced(state.documents[:_MOST_SHOWN], marker, longest=_LONGEST_PASSAGE)
    vain = {normal(query) for query in state.in_vain}
    mark = "没有找到任何内容" if language == "zh" else "nothing found"
    queries = dict.fromkeys((*state.searched, *state.in_vain))
    searched = "\n".join(f"- {query}" + (f" ({mark})" if normal(query) in vain else "") for query in queries)
    nothing = "（无）" if language == "zh" else "(none)"
    request = asking.assistant.request(
        ("decide", language),
        purpose=f"decision on part {state.part}",
        max_tokens=_TOKENS,
        values={
            "passages": shown.text or nothing,
            "searched": within(searched, marker, "searched"),
            "question": within(state.question, marker, "question"),
            "roadmap": within(state.roadmap, marker, "roadmap"),
            "objective": within(state.objective, marker, "objective"),
        },
        part=state.part,
    )
    return await asking.action(request, OF_DECISION_MAKER)
