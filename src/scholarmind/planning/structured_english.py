"""English questions that the graph of papers answers by counting, sorting or following: their forms and kinds."""

import re
from collections.abc import Mapping

from scholarmind.planning.structured_performance import ENGLISH_PERFORMANCE
from scholarmind.planning.structured_relations import ENGLISH_SAYS
from scholarmind.planning.structured_words import Words
from scholarmind.relations import NodeKind

_KINDS: Mapping[NodeKind, str] = {
    "paper": r"papers?|articles?|publications?|preprints?|studies|study|works?",
    "author": r"authors?|researchers?|scientists?|scholars?|co-?authors?",
    "institution": (
        r"(?:research )?(?:institutions?|institutes?|groups?|labs?|laborator(?:y|ies)|teams?|organi[sz]ations?|affiliations?)"
        r"|universities|university|companies|company"
    ),
    "method": (
        r"methods?|models?|approach(?:es)?|techniques?|architectures?|algorithms?|variants?|successors?|improvements?"
        r"|predecessors?|encoders?|systems?"
    ),
    "dataset": (
        r"data ?sets?|data(?= (?:was|were|did|does|do|is|are|has|have)\b)|benchmarks?|corpora|corpus|test sets?|collections of data"
    ),
    "metric": r"metrics?|measures?",
    "task": r"tasks?",
    "venue": r"venues?|conferences?|journals?",
    "year": r"years?",
}
_ANY = "|".join(_KINDS.values())
_KIND = rf"\b(?:{'|'.join(f'(?P<{name}>{nouns})' for name, nouns in _KINDS.items())})\b"

_FIGURES = r"numbers?|values?|scores?|results?|figures?|measurements?|claims?"
_METRIC = (
    r"accurac(?:y|ies)|(?:macro-?|micro-?|joint )?f1(?:[ -]scores?)?|(?:exact match|em)(?: scores?)?|bleu"
    r"|rouge(?:-[12l])?"
    r"|perplexit(?:y|ies)|bits per (?:character|byte|dimension)|pass@\d+|recall(?:@\d+)?|precision|map|mrr"
    r"|ndcg(?:@\d+)?"
    r"|auc|error rates?|word error rates?|wer|(?:top-\d+ )?accurac(?:y|ies)|(?:average )?scores?|results?"
    r"|performance|numbers?"
)
_REACH = r"reach(?:es|ed)?|achieve[sd]?|get|gets|got|obtain(?:s|ed)?|score[sd]?|have|has|had|report(?:s|ed)?|attain(?:s|ed)?|show(?:s|ed)?"

# what a question begins with that asks for reasons or meanings, whatever else stands in it
_NEVER = re.compile(
    r"^(?:why|explain|describe|discuss|define|summari[sz]e|how (?!many\b|(?:well )?(?:do|does|did|is"
    r"|are) .{2,80} (?:perform|score|do) on\b"
    r"|(?:do|does|did) .{2,60} (?:contradict|disagree)|(?:much|well) (?:do|does|did|has|have|can) .{1,60} "
    r"(?:performance|results|scores|accuracy)(?: by)?$|much (?:performance )?(?:improve|gain|increase|boost)"
    r"|(?:well )?(?:do|does|did) .{1,60} perform$)|what (?:is|are|was|were) (?:a|an) )"
    r"|^(?:is|are(?! there\b)|was|were|did|has|have|had|would|can|could|should|will|between|(?:do"
    r"|does)(?! (?:any |the |our |my )*(?:papers|studies|articles)\b))\b"
    # who has to do with both is no union of who has to do with either; nor is a best score, or a way from one to another, a node
    r"|^(?!which (?:authors?|researchers?) (?:of|behind) (?-i:[A-Z])[\w\-]* also (?:co-?)?(?:wrote|authored) (?-i:[A-Z])[\w\-]*$)"
    r".*\b(?:authors?|researchers?|scientists?|who|groups?|labs?|institutions?)\b.*\balso\b"
    r"|^(?:who|(?:which|what) (?:authors?|researchers?|scientists?|groups?|labs?|institutions?)) \w+ both\b"
    rf"|\b(?:highest|lowest|best|worst|greatest|largest|smallest)\b.{{0,30}}\b(?:{_METRIC})\b"
    rf"|\b(?:best|worst)[ -]performing\b|\b(?:scores?|performs?|reach(?:es)?) (?:the )?(?:highest|lowest|best|worst)\b"
    r"|\b(?:chain|line|lineage|path|way|evolution|development|history)\b.* from\b.+ to\b"
    r"|\b(?:why|what if|census)\b|\b(?:tv|season|episodes?|songs?|movies?|films?|album|game|nfl|nba|bible|band|lyrics|book|novel)\b",
    re.IGNORECASE,
)
_CONTRADICTIONS = re.compile(
    rf"\b(?:contradict(?:s|ing|ory|ions?)?|disagree(?:s|ing|ments?)?|inconsisten(?:t|cy|cies)|conflict(?:s"
    rf"|ing)?|mismatch(?:es)?)\b"
    rf"|\b(?:different|differing|diverging)\b(?=(?: \S+){{0,3}}? (?:{_FIGURES})\b)|\bdiscrepanc(?:y|ies)\b",
    re.IGNORECASE,
)
_OF_NUMBERS = re.compile(rf"\b(?:{_FIGURES}|{_METRIC}|numerical(?:ly)?)\b", re.IGNORECASE)
_COMMON = re.compile(
    r"\b(?:have in common|in common|share[sd]?|shared (?:by|between|among)|common (?:to|between|among)"
    rf"|common (?:{'|'.join(_KINDS.values())}|citations?|references?)|(?:do|did|are|were) both"
    rf"|(?<!papers )both (?:use|cite|build|evaluate|test)|also (?:co-?)?(?:wrote|authored))\b",
    re.IGNORECASE,
)
_LINEAGE = re.compile(
    r"\b(?:lineages?|ancestry|ancestors?|genealog(?:y|ies)|family tree|pedigree|line of descent|descendants?"
    r"|chain of (?:improvements|methods|models)"
    r"|evolutionary (?:line|chain)|(?:do|does|did) .{1,60} descend from)\b|^trace (?:the )?(?:origins?|development|evolution"
    r"|history|roots?) of\b",
    re.IGNORECASE,
)
_DESCENDANTS = re.compile(r"\b(?:descendants?|successors?)\b", re.IGNORECASE)
_COUNT = re.compile(
    rf"^(?:(?:on|in|at|by|for|with|from) )?(?:how many|(?:what (?:is|was) |give |tell me "
    rf"|find )?(?:the )?(?:total )?number of|count (?:of )?)\s*"
    rf"(?:all |the |of |different |distinct |such )*(?:{_ANY})\b(?! of (?:heads|layers))",
    re.IGNORECASE,
)
_FIRST = r"first|earliest|oldest|very first"
_LATEST = r"latest|newest|most recent|last|youngest"
_ORDER = re.compile(
    rf"\b(?:(?P<first>{_FIRST})|(?P<latest>{_LATEST}))\s+(?:\w+\s+)?(?:{_ANY})\b"
    rf"|^(?:which|what) (?:{_ANY}) (?:(?:was|is|were) )?(?:the )?(?:(?P<firstly>{_FIRST})|(?P<lastly>{_LATEST}))\b"
    rf"|^(?:which|what) (?:{_ANY})\b.{{2,80}} (?:was|is|came|appeared) (?:the )?(?:(?P<first_of_all>{_FIRST})"
    rf"|(?P<last_of_all>{_LATEST}))$",
    re.IGNORECASE,
)
_RANKING = re.compile(
    r"\bmost (?:active|prolific|productive|frequent(?:ly)?|often|used|cited|popular|common(?:ly)?|widely"
    r"|papers?|articles?|publications?|works?"
    r"|methods?|models?|datasets?)\b|\b(?:publish(?:es|ed)?|writes?|wrote|written|contribut(?:es?|ed)"
    r"|propose[sd]?|appear(?:s|ed)?) (?:the )?most\b(?! of)"
    r"|\bmost\b(?= (?:on|about|in|since|at|between|from|over)\b|$)|\btop[ -](?:\d+|two|three|four|five|ten)\b"
    r"|\bby number of papers\b",
    re.IGNORECASE,
)
_RANKED_BY = re.compile(
    r"\b(?:active|prolific|productive|papers?|articles?|publications?|publish\w*|writ\w+|wrote|contribut\w+"
    r"|used?|cited|popular|common\w*"
    r"|propose\w*|frequent\w*|appear\w*|evaluat\w+)\b",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\btop[ -](?P<top>\d+|two|three|four|five|ten)\b|\b(?:which|what|the) (?P<so>\d+|two|three|four|five"
    r"|ten) (?=\w)",
    re.IGNORECASE,
)
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_METRICS = re.compile(rf"\b(?:{_METRIC}|{_REACH}|perform\w*|well)\b", re.IGNORECASE)
_RESULTS = re.compile(
    rf"^(?:what|which) (?P<metric>(?:\S+ ){{0,2}}?(?:{_METRIC})) (?:do|does|did|has|have|is|are|was|were)\b.* on\b"
    rf"|^(?:what|which) (?:is|are|was|were) (?:the )?(?P<metric2>(?:\S+ ){{0,2}}?(?:{_METRIC})) (?:of|for|that"
    rf"|on|reported|by)\b.* on\b"
    rf"|^(?:what|which) (?:is|are|was|were) \S+(?: \S+)?['’]s? (?P<metric4>(?:\S+ )?(?:{_METRIC})) on\b"
    rf"|^how (?:well )?(?:do|does|did) .{{2,80}} (?:perform|score|do) on\b"
    rf"|^(?:compare|list|show|give|tabulate)\b.{{0,20}}\b(?P<metric3>{_METRIC})\b.* on\b",
    re.IGNORECASE,
)
_LIST = re.compile(
    rf"^(?:(?:on|in|at|by|for|with|from|to) )?(?:which|what|whose|list|name|give(?: me)?|show(?: me)?|find"
    rf"|identify|enumerate)"
    rf"(?: (?:is|are|was|were))?(?: (?:all|the|of|these|main|major|key|most important|important|notable|other"
    rf"|two|three|four|five|\d+))*"
    rf" (?:{_ANY})\b",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"^(?:who|whom|by whom)(?: first| originally)? (?P<verb>(?:(?:has |have |had )?(?:proposed|proposes"
    r"|introduced|introduces|developed|develops|created"
    r"|invented|presented|authored|wrote|written|published|designed|built|released|devised|came up with))"
    r"|(?:is|are|was|were) (?:the )?(?:authors?|creators?|inventors?|developers?|researchers) (?:of|behind)"
    r"|(?:is|are|was|were) behind)\s+"
    r"(?P<x>\S.*)$|^(?:by whom|who) (?:is|was|are|were|has|have) (?P<y>\S.*?)(?: been)? (?:proposed|introduced"
    r"|developed|created|invented|presented|written"
    r"|published)(?: by)?$",
    re.IGNORECASE,
)
_WHO_MOST = re.compile(r"^who\b", re.IGNORECASE)
_WHERE = re.compile(
    r"^(?:where|at which (?:venue|conference)|in which journal) (?:was|were"
    r"|is) (?P<x>\S.*?) published$",
    re.IGNORECASE,
)
_BUILDS = re.compile(
    r"^(?:(?:on|upon|from) )?(?:what|which)(?: (?:models?|methods?|architectures?|approach(?:es)?|works?|systems?))?"
    r" (?:(?:do|does|did) (?P<x>\S.*?) (?:build|improve|extend|rely|expand|draw|outperform|refine|descend"
    r"|derive)s?(?: (?:up)?on| from)?"
    r"|(?:is|was|are|were) (?P<y>\S.*?) (?:based|built|derived|adapted|inspired|developed)(?: (?:up)?on| from| by)?)$"
    r"|^(?:what|which)\b.*\b(?:that|which) \S.*? (?:builds?|improves?|extends?|rel(?:y|ies)|(?:is|are|was"
    r"|were) (?:based|built))(?: (?:up)?on)$",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\b(?:on|about|concerning|regarding|related to|in the (?:area|field) of|working on|for|in|from|(?:have|has|had) at)\b",
    re.IGNORECASE,
)
_LIBRARY = re.compile(
    r"\b(?:(?:in|of|from) )?(?:the|my|our|this|your) (?:library|collection|corpus|knowledge base|database)\b"
    r"|\bin the notes\b"
    r"|\b(?:are|is) there\b|\bdo (?:i|we|you) have\b|\b(?:does|do) (?:the|my|our|this) (?:library"
    r"|collection) (?:have|hold|contain|include)\b",
    re.IGNORECASE,
)
_BEGINS = frozenset(
    "which what who whose whom how list name find show give count in on at by for from the do does did are is"
    " was were tell trace compare rank top "
    "where all any has have".split()
)
# what may stand around names and says nothing of what a question is about
_EMPTY = frozenset(
    "a an the of on in at by for to with from and or do does did is are was were be been being has have had "
    "that which who whose what all any each every also their its it they them most more number numbers total "
    "paper papers article articles publication publications work works research published publish publishes "
    "first latest earliest recent newest oldest last main major key method methods model models dataset "
    "datasets results result report reports reported give gives gave given different various several there same "
    "other one ones architecture how many well perform performs score scores reach reaches achieve achieves get "
    "obtain active productive prolific top often list name show find me ever so far since out library about two "
    "three four five ten both common share shared between among author authors wrote written write writes group "
    "groups conference conferences venue venues trace lineage part contradict contradicts disagree conflict "
    "conflicting where when as can could value values than used uses use using new own led leads leading rank "
    "ranks much dates tell us please whom made make makes not ranking ranked order performance contain contains "
    "hold".split()
)


_NESTED = re.compile(
    rf"^(?:(?:on|in|at|by|for|with|from) )?(?:which|what|who) .*?\b(?:is|are|was|were|do|does|did|have"
    rf"|has) (?P<np>(?:all |the |those )*(?:{_KINDS['method']}"
    rf"|{_KINDS['paper']}) (?:that|which|\w+ing|based|built|evaluated|by) .+?) (?:been )?(?:evaluated|tested"
    rf"|benchmarked|trained|measured|published|proposed|introduced"
    r"|written|use|report|cite)(?: on| in| with| by)?$|^(?:which|what) .+? (?:by|of|use|cite|evaluate|proposed"
    r"|introduced|developed|published|wrote|built) (?P<of>(?:all |the |those )*"
    rf"(?:{_KINDS['method']}|{_KINDS['paper']}) (?:that|which) .+)$",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"^(?:(?:all|the|those|these) )*(?P<noun>{_KINDS['method']}|{_KINDS['paper']})(?: (?:that"
    rf"|which))? (?P<x>\S.*?) (?P<verb>builds?|improves?|extends?|relies|rely"
    r"|outperforms?|refines?|is based|are based|was based|were based|is built|was built)(?: (?:up)?on)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"^(?:(?:all|the|those|these|any) )*(?P<noun>{_ANY}) (?:(?:that|which|who) )?(?P<rest>\S.*)$", re.IGNORECASE
)


def _nested(text: str) -> str:
    match = _NESTED.match(text)
    return (match["np"] or match["of"]) if match else ""


def _described(text: str) -> str:
    if match := _BEFORE.match(text):
        return f"what does {match['x']} build on"
    if _ORDER.match(re.sub(r"^the ", "", text)):
        return f"what is {text}"
    match = _AFTER.match(text)
    return f"which {match['noun']} {match['rest']}" if match else ""


def _subject(text: str) -> str:
    match = _WHO.match(text)
    return (match["x"] or match["y"]) if match else ""


def _asks(form: str, text: str) -> bool:
    if form == "common":
        return bool(re.match(r"^(?:what|which|do|does|are|list|name|show|find|by)\b", text, re.IGNORECASE))
    if form == "first":
        return bool(
            re.match(
                r"^(?:what|which|(?:list |find |show |name )?the (?:first|earl|old|lat|new|most recent))\b"
                r"|^(?:what|which)",
                text,
                re.IGNORECASE,
            )
        )
    return bool(
        re.search(r"^(?:who|which|what|whose|list|rank|show|the|top|most)\b|\bwh(?:o|ich|at)\b", text, re.IGNORECASE)
    )


def _trimmed(text: str) -> str:
    words = text.split()
    while words and _is_empty(words[0]):
        words = words[1:]
    while words and _is_empty(words[-1]):
        words = words[:-1]
    return " ".join(words).strip(' ,;:.?"“”')


def _is_empty(word: str) -> bool:
    bare = word.strip(",;:.?()\"“”'’")
    return not bare or (bare.lower() in _EMPTY and (bare.islower() or bare.lower() in _BEGINS))


ENGLISH = Words(
    kind=re.compile(_KIND, re.IGNORECASE),
    noun=re.compile(_KIND, re.IGNORECASE),
    kinds=_KINDS,
    never=_NEVER,
    contradictions=_CONTRADICTIONS,
    of_numbers=_OF_NUMBERS,
    common=_COMMON,
    lineage=_LINEAGE,
    descendants=_DESCENDANTS,
    count=_COUNT,
    order=_ORDER,
    ranking=_RANKING,
    ranked_by=_RANKED_BY,
    most=_MOST,
    numbers=_NUMBERS,
    results=_RESULTS,
    performance=ENGLISH_PERFORMANCE,
    listed=_LIST,
    who=_WHO,
    whose=_WHO_MOST,
    where=_WHERE,
    builds=_BUILDS,
    relations=ENGLISH_SAYS,
    topic=_TOPIC,
    library=_LIBRARY,
    metrics=_METRICS,
    nested=_nested,
    subject=_subject,
    asks=_asks,
    described=_described,
    trimmed=_trimmed,
)
