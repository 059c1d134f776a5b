"""What was counted, as a plain Chinese sentence."""

from collections.abc import Callable, Mapping

from scholarmind.library.relating.paper_sets import Subject
from scholarmind.library.relating.sentence_parts import Told, listing, noun
from scholarmind.relations import Form, NodeKind, Relation

_THAT: Mapping[Relation, str] = {  # which papers or methods
    "IMPROVES_ON": "基于{x}改进的",
    "EVALUATED_ON": "在{x}上评测的",
    "REPORTS": "在{x}上评测的",
    "USES": "使用{x}的",
    "CITES": "引用{x}的",
    "ADDRESSES": "研究{x}的",
    "PROPOSES": "提出{x}的",
}

_OF: Mapping[NodeKind, str] = {"author": "{x}的", "institution": "{x}的", "venue": "发表于{x}的", "year": "{x}的"}
_STATED: Mapping[NodeKind, str] = {
    "author": "{x}由{names}提出。",
    "institution": "{x}来自{names}。",
    "venue": "{x}发表于{names}。",
}

_WRITTEN = "{x}由{names}撰写。"
_MEASURE: Mapping[NodeKind, str] = {"paper": "篇", "author": "位", "institution": "家"}
_MOST: Mapping[Relation, str] = {
    "USES": "使用最多的",
    "EVALUATED_ON": "评测最多的",
    "REPORTS": "评测最多的",
    "IMPROVES_ON": "改进最多的",
    "CITES": "引用最多的",
}


def sentence(told: Told) -> str:
    """Return the sentence."""
    forms: Mapping[Form, Callable[[Told], str]] = {
        "count": _list,
        "list": _list,
        "ranking": _ranking,
        "first": _order,
        "latest": _order,
        "results": _results,
        "contradictions": _contradictions,
        "lineage": _lineage,
        "common": _common,
    }
    return forms[told.query.form](told)


def which(told: Told, subject: Subject) -> str:
    """Return which papers are left out."""
    return f"{_that(told, subject)}论文"


def left_out(names: list[str]) -> str:
    """Return that something is left out, behind a sentence."""
    return f"（不含{_joined(names)}）"


def _joined(names: list[str]) -> str:
    return "、".join(names[:-1]) + f"和{names[-1]}" if len(names) > 1 else "".join(names)


def _about(told: Told) -> str:
    return _joined(list(map(_text, told.subjects)))


def _text(subject: Subject) -> str:
    """Return a subject as it is named; a list of names, as the answer of another part is filled in, with Chinese commas."""
    return subject.text.replace(", ", "、") if len(subject.nodes) > 1 else subject.text


def _kind(told: Told) -> str:
    return noun(told.query.wanted, chinese=True)


def _names(told: Told) -> str:
    """Return what was found by name, as a list behind a colon or as a part of a sentence; of a count, how many of what."""
    if told.counts:
        return f"{told.items[0]}{_MEASURE.get(told.query.wanted, '个')}{_kind(told)}"
    titles = told.query.wanted == "paper" and told.query.form != "common"
    names = [f"《{item}》" for item in told.items] if titles else list(told.items)
    return _joined(names) if len(names) <= told.most else listing(names, chinese=True, most=told.most)


def _which(told: Told) -> str:
    """Return which papers are meant, before the word: of when, by whom, on what."""
    return (
        told.years
        + ("的" if told.years and not told.subjects else "")
        + "".join(_that(told, subject) for subject in told.subjects)
    )


def _that(told: Told, subject: Subject) -> str:
    people, relation = told.people(subject), told.query.relation
    if people:
        return _OF[people].format(x=_text(subject))
    if (that := _THAT.get(relation or "MENTIONS")) and told.is_named(subject):
        return that.format(x=_text(subject))
    return f"关于{subject.text}的"


def _list(told: Told) -> str:
    wanted = told.query.wanted
    if told.query.least is not None:
        return _often(told)
    if wanted in {"paper", "method"}:
        return _papers(told) if wanted == "paper" else _methods(told)
    if wanted in _STATED:
        of_paper = all(subject.of("paper") and not subject.of("method", "dataset") for subject in told.subjects)
        form = _WRITTEN if wanted == "author" and (of_paper or not told.states) else _STATED[wanted]
        subject = _about(told) if told.states else f"库中{_which(told)}论文"
        return form.format(x=subject, names=_names(told))
    subject = _about(told) if told.of_things else f"库中{_which(told)}论文"
    if wanted == "task":
        return f"{subject}面向{_names(told)}。"
    if told.query.relation in {"EVALUATED_ON", "REPORTS"}:
        return f"{subject}在{_names(told)}上做过评测。"
    return f"{subject}使用了{_names(told)}。"


def _papers(told: Told) -> str:
    if told.query.relation == "CITES" and told.query.inverse:
        return f"{_about(told)}引用了{_names(told)}。"
    papers = f"库中{_which(told)}论文"
    return f"{papers}共{told.items[0]}篇。" if told.counts else f"{papers}有：{_names(told)}。"


def _methods(told: Told) -> str:
    that = _THAT.get(told.query.relation or "MENTIONS")
    if that is None or told.query.relation == "PROPOSES" or not told.of_things:
        return f"库中{_which(told)}论文提出了{_names(told)}。"
    if told.query.inverse:
        return f"{_about(told)}基于{_names(told)}。"
    methods = f"库中{told.years}{that.format(x=_about(told))}方法"
    return f"{methods}共{told.items[0]}个。" if told.counts else f"{methods}有：{_names(told)}。"


def _ranking(told: Told) -> str:
    if told.query.least is not None:
        return _often(told)
    query, kind = told.query, _kind(told)
    among = f"库中{_which(told) if told.subjects else told.years}论文"
    if query.wanted in {"method", "dataset", "paper"} or query.relation == "CITES":
        topics = "".join(_topic(told, subject) for subject in told.subjects)
        most = _MOST.get(query.relation or "USES", "使用最多的")
        return f"库中{told.years}{topics}论文{most}{kind}是{_names(told)}，{_each(told)}{told.best}篇。"
    if query.most:
        return f"{among}最多的{kind}依次是{_names(told)}。"
    return f"{among}最多的{kind}是{_names(told)}，{_each(told)}{told.best}篇。"


def _often(told: Told) -> str:
    """Return what has so many papers at least."""
    query = told.query
    if query.wanted == "year" and query.least == 1:
        return f"库中{_which(told)}论文按年份为：{'、'.join(told.items)}。"
    which = "".join(_topic(told, subject) for subject in told.subjects)
    does = {"EVALUATED_ON": "评测", "REPORTS": "评测", "CITES": "引用", "IMPROVES_ON": "改进"}.get(
        query.relation or "USES", "使用"
    )
    by = "有" if query.wanted in _OF and query.relation != "CITES" else f"被{does}于"
    names = _names(told) if told.counts else f"{_kind(told)}有：{_names(told)}"
    return f"库中{by}至少{query.least}篇{told.years}{which}论文的{names}。"


def _topic(told: Told, subject: Subject) -> str:
    people = told.people(subject)
    return _OF[people].format(x=_text(subject)) if people else f"关于{subject.text}的"


def _each(told: Told) -> str:
    return "各" if told.several else "共"


def _order(told: Told) -> str:
    which = "最早" if told.query.form == "first" else "最新"
    return f"库中{_which(told).removesuffix('的')}{which}的论文是{_names(told)}（{told.best}年）。"


def _results(told: Told) -> str:
    if told.query.best:
        best = "最高" if told.query.best == "highest" else "最低"
        return f"库中{_methods_on(told)}{best}的{told.query.metric or '结果'}是{_names(told)}。"
    if not told.methods:
        return f"库中{_methods_on(told)}有结果的是{_names(told)}。"
    return f"库中{_methods_on(told)}的结果：{_names(told)}。"


def _methods_on(told: Told) -> str:
    return _joined(told.methods) + (f"在{_joined(told.beside)}上" if told.beside else "")


def _contradictions(told: Told) -> str:
    thing = f"{_methods_on(told)}的结果" if told.methods else _about(told) or "同一结果"
    return f"{_names(told)}对{thing}给出了不同的数字。"


def _lineage(told: Told) -> str:
    if told.query.inverse:
        names = list(reversed(told.items))
        return f"{names[-1]}的演进脉络：{' → '.join(names)}。"
    directly = f"，其中{told.best}个直接基于它" if told.several else ""
    return f"库中由{_about(told)}发展而来的方法共{len(told.items)}个{directly}：{_names(told)}。"


def _common(told: Told) -> str:
    if told.query.relation in {"IMPROVES_ON", "CITES"}:
        verb = "引用了" if told.query.relation == "CITES" else "源自" if told.query.inverse else "基于"
        return f"{_about(told)}都{verb}{_names(told)}。"
    if told.query.wanted == "paper" and told.query.relation is None:
        return f"{_about(told)}的共同之处：{_names(told)}。"
    return f"{_about(told)}共同的{_kind(told)}有：{_names(told)}。"
