"""What must not get into training data: addresses, telephone numbers, keys and passwords in texts are replaced by what they are."""

import re
from collections.abc import Mapping
from typing import Any, cast

_A = re.ASCII  # so that a Chinese character beside a key or a number is no part of it
_I = re.ASCII | re.IGNORECASE
# each rule looks only so far: a long text must not take long
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b[a-z][a-z0-9+.-]{0,30}://[^\s/@]+@[^\s<>\"']*", _I), "[address]"),  # with a password in it
    (
        re.compile(
            r"\bhttps?://[^\s<>\"']{0,2000}[?&;](?:[\w-]*(?:key|token|secret|password|sig|auth)[\w-]*)=[^\s<>\"']*", _I
        ),
        "[address]",
    ),
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL), "[key]"),
    (re.compile(r"\b(?:bearer|basic)\s+[\w.~+/=-]{12,}", _I), "[key]"),
    (
        re.compile(
            r"(?<![\w-])(?:[a-z0-9]+[_-])*(?:api[_ -]?key|(?:access|secret|private)[_ -]?(?:key|token)|token|secret"
            r"|password|passwd|pwd)\s*[:=：]\s*\S+",
            _I,
        ),
        "[key]",
    ),
    (re.compile(r"(?:密码|密钥|口令)\s*(?:[:：=]|是|为)\s*[\x21-\x7e]+"), "[key]"),
    (re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|xox[abp]|glpat|hf)[-_][A-Za-z0-9_-]{12,}", _A), "[key]"),
    (
        re.compile(r"\bgithub_pat_\w{20,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*", _A),
        "[key]",
    ),
    (re.compile(r"(?<![\w/])(?=[A-Za-z0-9+_]*\d)(?=[A-Za-z0-9+_]*[A-Za-z])[A-Za-z0-9+_]{32,}(?![\w/])", _A), "[key]"),
    (re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}[@＠][\w-]+(?:\.[\w-]+)+"), "[e-mail]"),
    (
        re.compile(r"(?<![\w.])[1-9]\d{5}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dx](?!\w)", _I),
        "[identity number]",  # of a Chinese citizen: place, day of birth, number, check digit
    ),
    (re.compile(r"(?<![\w.+-])\+\d{1,3}[ ()./-]{0,2}(?:\d[ ()./-]{0,2}){6,13}\d(?![\w-])", _A), "[telephone]"),
    (re.compile(r"(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w-])", _A), "[telephone]"),
    (
        re.compile(
            r"(?<![\w.-])(?:\(0\d{2,4}\)[ -]?\d{6,8}|0\d{1,4}[ /-]\d{2,4}[ -]?\d{2,4}(?:[ -]?\d{2,4})?)(?![\w-])", _A
        ),
        "[telephone]",
    ),
    (re.compile(r"(?<![\d.])1[3-9]\d(?:\d{8}|([ -])\d{4}\1\d{4})(?!\d)", _A), "[telephone]"),
)


def masked(text: str) -> str:
    """Return the text without what belongs to somebody."""
    for pattern, name in _RULES:
        text = pattern.sub(name, text)
    return text


def all_masked(value: Any) -> Any:
    """Return JSON with every text in it masked."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        return {name: all_masked(item) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [all_masked(item) for item in cast("list[Any]", value)]
    return value
