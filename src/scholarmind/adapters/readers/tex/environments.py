"""The environments of LaTeX whose inside is read in a way of its own. What takes arguments: how many."""

FORMULAS = frozenset(
    "equation align gather multline eqnarray displaymath math flalign alignat dmath IEEEeqnarray empheq subeqnarray gathered split".split()
)
DROPPED = frozenset("tikzpicture pgfpicture picture filecontents CCSXML comment forest axis tikzcd pspicture".split())
TABLES = {
    "tabular": 1,
    "tabularx": 2,
    "tabulary": 2,
    "longtable": 1,
    "array": 1,
    "supertabular": 1,
    "xtabular": 1,
    "tblr": 1,
    "NiceTabular": 1,
}
LISTS = frozenset(
    "itemize enumerate description compactitem compactenum inparaenum inparaitem dinglist labeling".split()
)
WITH_ARGUMENT = {
    "minipage": 1,
    "multicols": 1,
    "adjustbox": 1,
    "column": 1,
    "subfigure": 1,
    "subtable": 1,
    "wrapfigure": 2,
    "wraptable": 2,
    "spacing": 1,
    "textblock": 1,
    "thebibliography": 1,
}
