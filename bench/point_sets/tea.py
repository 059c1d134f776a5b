"""A Chinese library about tea houses of mountains that never were: every text is made from the tables beside this module."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from point_sets.made import Field, Made, Subject
from point_sets.valley import rows

_TOLD: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

HOUSE_FIELDS = {
    "建厂": Field(
        (
            "{name}于{built}年由{founder}创办",
            "{built}年，{founder}在山脚办起{name}",
            "{founder}于{built}年开出这家厂的第一口锅",
        ),
        "{name}由{founder}在{built}年创办。",
        "{founder} & {built}",
    ),
    "山": Field(
        ("茶园在{mountain}，海拔{height}米", "园子开在{mountain}上，高处海拔{height}米"),
        "{name}的茶园在{mountain}，海拔{height}米。",
        "{mountain} & {height}",
    ),
    "品种": Field(("主栽品种是{kind}", "园里种的多是{kind}"), "{name}主要种{kind}。", "{kind}"),
    "产量": Field(
        ("一年出干茶{yield_}吨", "每年的产量是{yield_}吨", "{name}年产{yield_}吨"),
        "{name}每年产茶{yield_}吨。",
        "{yield_}吨",
    ),
    "工艺": Field(("看家的工艺是{craft}", "制法以{craft}见长"), "{name}的工艺是{craft}。", "{craft}"),
    "奖": Field(("曾获{prize}", "展柜里摆着{prize}的奖状"), "{name}获得过{prize}。", "{prize}"),
    "灾": Field(
        ("{harm}", "厂史里记得最重的一笔：{harm}"),
        "{name}遭过灾：{harm}。",
        "{harm}",
    ),
    "厂长": Field(("现任厂长是{head}", "如今管事的是{head}"), "{name}现任厂长是{head}。", "{head}"),
    "销路": Field(("茶叶销往{market}", "买主多在{market}"), "{name}的茶销往{market}。", "{market}"),
    "职工": Field(("全厂有职工{hands}人", "在册的职工共{hands}人"), "{name}有职工{hands}人。", "{hands}人"),
}
PEOPLE_FIELDS = {
    "生": Field(
        ("{name}{born}年生于{home}", "{home}的族谱写明，{name}生于{born}年"),
        "{name}{born}年生在{home}。",
        "{home} & {born}",
    ),
    "师": Field(("制茶的手艺学自{teacher}", "{name}拜{teacher}为师"), "{name}师从{teacher}。", "{teacher}"),
    "业": Field(("早年做过{trade}", "做茶之前，{name}是{trade}"), "{name}早年是{trade}。", "{trade}"),
    "书": Field(
        ("著有《{book}》，{year}年刊行", "{year}年，{name}写成《{book}》"), "{name}在{year}年写成《{book}》。", "{book}"
    ),
    "卒": Field(("{died}年去世", "{name}卒于{died}年"), "{name}于{died}年去世。", "{died}"),
}
HOUSE_SECTIONS = (
    ("来历", ("建厂", "山")),
    ("茶园与产量", ("品种", "产量")),
    ("制作", ("工艺", "奖")),
    ("灾情", ("灾",)),
    ("现状", ("厂长", "销路", "职工")),
)
FILLERS = {
    "来历": "老人说，开山那天雾大得看不见自己的鞋，只听见锄头碰石头的声音",
    "茶园与产量": "梯地一层压着一层，采茶的人背着竹篓沿石阶上下，歌声隔着山谷也能听见",
    "制作": "学徒头三年只许看火，第四年才准伸手，师傅用手背试锅，从不用温度表",
    "灾情": "那一年的账页边上有水渍，数字写得很小，像是怕人看见",
    "现状": "厂门口新铺了石板，游客可以坐下喝一碗粗茶，不收钱",
    "生平": "邻里记得此人话少，走路快，口袋里总有几片干叶子",
    "事业": "后辈整理遗物时找到几十本小册子，字迹细密，页角都翻圆了",
}


def library() -> Made:
    """The tea houses, those who founded them, and what is written about the ages of their craft."""
    subjects = [
        Subject(name=row[0], fields=HOUSE_FIELDS, sections=HOUSE_SECTIONS, values=values)
        for row, values in rows(
            _TOLD["houses"], "name built founder mountain height kind yield_ craft prize harm head market hands"
        )
    ]
    subjects += [
        Subject(
            name=row[0],
            fields=PEOPLE_FIELDS,
            sections=(("生平", ("生", "师", "业")), ("事业", ("书", "卒"))),
            values=values,
        )
        for row, values in rows(_TOLD["people"], "name born home teacher trade book year died")
    ]
    return Made(language="zh", subjects=tuple(subjects), essays=_TOLD["essays"], fillers=FILLERS, stop="。")
