"""What the commands of LaTeX for single characters stand for."""

import unicodedata

_MARKS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "H": "\u030b", "u": "\u0306", "k": "\u0328", "r": "\u030a", "d": "\u0323", "b": "\u0331",
    "t": "\u0361", "h": "\u0309", "G": "\u030f",
}  # fmt: skip
ACCENTS = frozenset(_MARKS)
SIGNS = {
    "ss": "ß", "SS": "ẞ", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
    "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "dag": "†", "ddag": "‡", "ldots": "…", "dots": "…", "textellipsis": "…",
    "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textbar": "|", "textless": "<", "textgreater": ">",
    "textunderscore": "_", "textdollar": "$", "textdegree": "°", "degree": "°", "texttrademark": "™", "textregistered": "®",
    "textcopyright": "©", "textendash": "–", "textemdash": "—", "textbullet": "•", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "textquotesingle": "'", "guillemotleft": "«", "guillemotright": "»",
    "quotedblbase": "„", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»", "og": "« ", "fg": " »", "euro": "€", "texteuro": "€",
    "textmu": "µ", "micro": "µ", "textpm": "±", "texttimes": "×", "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "TeX": "TeX", "BibTeX": "BibTeX",
    "KOMAScript": "KOMA-Script", "XeTeX": "XeTeX", "eg": "e.g.", "ie": "i.e.", "etal": "et al.", "slash": "/", "newline": "\n",
    "linebreak": "\n", "par": "\n\n", "quad": " ", "qquad": " ", "space": " ", "hfill": " ", "enspace": " ", "thinspace": " ",
    "nobreakspace": " ", "textvisiblespace": " ", "tab": " ", "checkmark": "✓", "cmark": "✓", "xmark": "✗", "lq": "‘", "rq": "’",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "lambda": "λ", "mu": "μ", "pi": "π", "sigma": "σ", "tau": "τ",
    "omega": "ω", "Delta": "Δ", "Omega": "Ω", "rightarrow": "→", "to": "→", "leftarrow": "←", "times": "×", "pm": "±", "cdot": "·",
    "leq": "≤", "geq": "≥", "neq": "≠", "approx": "≈", "infty": "∞",
}  # fmt: skip


def accented(mark: str, letter: str) -> str:
    """Return the letter with the accent of this command on it; the rest of a longer text follows as it is."""
    letter = {"ı": "i", "ȷ": "j"}.get(letter, letter)
    return unicodedata.normalize("NFC", letter[:1] + _MARKS[mark] + letter[1:]) if letter.strip() else letter


def typeset(text: str) -> str:
    """Return plain text as LaTeX prints it: quotes, dashes and ties."""
    if "-" in text:
        text = text.replace("---", "—").replace("--", "–")
    if "`" in text or "''" in text:
        text = text.replace("``", "“").replace("''", "”").replace("`", "‘")
    return text.replace("~", " ")
