"""The cues of English questions, by families; see `gate_cues` for what a cue is."""

from scholarmind.planning.gate_cues import cue

_WH = "(?:what|who|whom|whose|which|when|where|why|how)"
_ASK = (
    "(?:what|who|whom|whose|which|when|where|why|how|explain|describe|compare|discuss"
    "|summari[sz]e|list|name|give|tell|identify|evaluate|analy[sz]e)"
)
_BE = "(?:is|are|was|were|be|been)"
_AUX = "(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)"
# what people call a thing that they do not name
_KIND = (
    r"(?:country|countries|nation|cit(?:y|ies)|towns?|villages?|states?|count(?:y|ies)|provinces?"
    r"|districts?|regions?|continents?|areas?|islands?|birthplace"
    r"|place of birth|birth ?place|place of death|location|headquarters|hometown|capital|rivers?"
    r"|persons?|man|woman|people|individual|figure"
    r"|actors?|actress(?:es)?|singers?|players?|footballer|director|authors?|writers?|performers?"
    r"|composer|producer|founders?|creator|inventor|designer"
    r"|developer|architect|artist|musician|lyricist|screenwriter|poet|painter|scientist|politician"
    r"|president|ruler|leader|king|queen|emperor|governor|mayor"
    r"|owner|manufacturer|publisher|distributor|employer|members?|stars?|spouse|wife|husband"
    r"|father|mother|parents?|child|children|son|daughter|siblings?"
    r"|brother|sister|grandfather|grandmother|uncle|aunt|bands?|groups?|teams?|clubs?|compan(?:y"
    r"|ies)|organi[sz]ations?|association|institut(?:e|ion)s?"
    r"|school|university|college|alma [a-z]+|employer|part(?:y|ies)|league|network|channel|station"
    r"|record label|label|films?|movies?|songs?|singles?|albums?|books?"
    r"|novels?|poem|play|shows?|series|episodes?|games?|magazine|newspaper|journal|publication"
    r"|piece|opera|event|war|battle|treaty|languages?|religion|currency"
    r"|breed|species|genus|models?|methods?|data ?sets?|benchmarks?|papers?|algorithms?|systems?"
    r"|architectures?|stud(?:y|ies)|framework|technique|plane|craft|character|drug|gene|protein)"
)
_RELATION = (
    r"(?:director|authors?|writers?|performers?|composer|producers?|founders?|creators?|inventor"
    r"|designer|developers?|publisher|owner|manufacturer|distributor|singer|artist|star|stars"
    r"|employer|spouse|wife|husband|father|mother|parents|child|children|son|daughter|siblings?"
    r"|brother|sister|grandfather|grandmother|birthplace|birth place|place of birth"
    r"|place of death|city of birth|birth city|country of birth|birth country|country of origin"
    r"|country of citizenship|hometown|alma [a-z]+|headquarters"
    r"|performer|team|club|band|record label|label|country|city|state|county|continent|capital"
    r"|president|coach|manager|successor|predecessor|proposers?|method|(?!number|center|border"
    r"|order|color|colour|power|water|letter|chapter|member|paper|other|further|majority|major"
    r"|error|factor|layer|river|sector)[a-z]{2,}(?:er|or|is(?:t|an)|ian|ress))"
)


ENGLISH = (
    cue(
        "several questions",
        0.95,
        r"\?\s*\S[^?]{5,400}\?",
        rf"[.;:]\s(?:and )?{_ASK}\b",
        r"(?:^|\s)(?:1[.)]|\(1\)|\(a\))\s.{1,500}\s(?:2[.)]|\(2\)|\(b\))\s",
    ),
    cue(
        "a second request",
        0.9,
        r"(?:,|;)? (?:and|but|(?<!who )(?<!where )(?<!what )or) (?:also |then |finally |if so,? "
        rf"|in )?{_ASK}\b(?!ever)(?! not\b)",
        r"\band (?:are|is|was|were|do|does|did|can) (?:they|it|he|she|there|these|this|that)\b",
        r"\band also\b|\bas well as\b|\bin addition,|\badditionally\b|\bfurthermore\b|\bmoreover\b"
        r"|\balong with (?:its|their|his|her)\b|\brespectively\b|\brespective\b",
    ),
    cue(
        "a comparison",
        0.9,
        r"\bcompar(?:e|es|ed|ing|ison|isons)\b|\bversus\b|\bvs\b|\bcontrast(?:s|ed|ing)?\b"
        r"|\bdistinguish(?:es)? .{1,80} from\b",
        r"\bdifferences?\b.{0,60} (?:between|among|from)\b|\bdiffers?\b .{0,60}\bfrom\b"
        r"|\bdifferent from\b|\bhow (?:do|does|did) .{1,120} differ\b|\bas opposed to\b"
        r"|\bin contrast\b",
        r"\bsimilarit(?:y|ies)\b|\bin common\b|\bsimilar to\b|\bsimilar way\b|\bthe same .{1,60} (?:as"
        r"|of)\b|\b(?:share|have|in|from|of|at) the same\b|\bunlike\b|\balike\b",
        rf"^{_AUX}\b.{{1,300}}(?:\bwhile\b|\bwhereas\b|\bboth\b|\bdifferent \w+ (?:than|from|to)\b"
        r"|\bdo these\b|\brather than (?:the )?@|,? and (?:does|did|is|are|was|were|has|have|do|can) )",
        rf"(?:^|, ?){_AUX}\b.{{1,300}}\b(?:before|after)\b (?:the )?(?:[\w-]+ ){{0,2}}(?:@|quoted)",
        rf"^(?:before|after|between)\b.{{1,400}}, {_AUX}\b",
        r"\b(?:more|less|fewer|better|worse|larger|smaller|bigger|older|younger|longer|shorter|higher"
        r"|lower|earlier|later|faster|slower|taller|greater|closer|farther|further|newer)"
        r" (?:[\w'’-]+ ){0,4}than (?:the |an? )?(?:[\w-]+ ){0,2}[@#]",
        r"\bwhile the\b.{1,200}\barticles?\b|\b(?:in)?(?:consistent|consistently|consistency)\b|\b(?:discrepancy"
        r"|discrepancies|aligned|contradicts?|contradictory)\b|\bwas there (?:a |an |any )?(?:change"
        r"|shift|agreement|disagreement)\b|\bbetween the\b.{1,200}\band the\b|\b(?:both"
        r"|either) .{1,200}\barticles?\b",
    ),
    cue(
        "a choice between things",
        0.9,
        r"@ or (?:the |an? )?@",
        r"\bwhich (?:of the two |one |of these )?\b.{1,80}(?:, | )(?:the )?@,? or (?:the )?",
        r"\b(?:first|last|older|oldest|younger|larger|smaller|bigger|longer|higher|later|earlier|more"
        r"|most|better)\b.{0,60}[,:] ?(?:the |an? )?[^,?]{1,60},? or (?:the |an? )?[^,?]{1,60}\?",
        r"\b(?:older|younger|taller|larger|smaller|bigger|longer|higher|later|earlier|closer|farther|better), ",
        r"\b(?:first|earlier|later|longer|more)(?:, | )(?:the )?@.{0,80} or ",
    ),
    cue(
        "several entities",
        0.85,
        rf"^\s*(?:{_AUX}|both)(?: both)?(?: [\w'’]+){{0,4}}(?: the| an?)?,? ?@,? (?:and|or|&)(?: the| an?)? ?@",
        r"\bbetween (?:the )?@ and (?:the )?@",
        r"\bboth (?:the |of )?(?:[\w-]+,? ){0,3}@(?: and|,)",
        r"^(?:are|were|do|did|have) (?:both|the two|either)\b",
        r"@ and (?:the )?@ both\b|@ and (?:the )?@ (?:are|were) (?:both )?\w+ ",
        r"^(?:the )?@ and (?:the )?@(?: (?:in|for|on) .{1,80})?[?.]?$",
        r"@, (?:the )?@,? and (?:the )?@",
        r"\bof (?:the )?@ and (?:the )?@(?: in\b|\?| at\b| on\b| for\b)",
        r"@ in (?:@|\d{4}) and (?:the )?@",
        r"\bout of (?:the )?@ (?:and|or) (?:the )?@",
        r"\b(?:are|were|is|was|does|do|did|have|has) (?:the )?@ and (?:the )?@ [a-z]",
    ),
    cue(
        "several aspects",
        0.8,
        r"\b(?:explain|describe|discuss|outline|summari[sz]e)\b[^,]{1,120}, [^,]{2,60},? and ",
        r"\bthe (?:[\w-]+ ){1,3}of [^?,]{1,60}? and the (?:[\w-]+ ){1,3}of\b",
        r"\bthe (?:[\w-]+ ){1,3}(?:and|, (?:[\w-]+ ){1,3},? ?and"
        r"|, (?:[\w-]+ ){0,2}[\w-]+,? and) (?:the |its |their )?(?:[\w-]+ ){1,3}of (?:the )?(?:@"
        r"|[\w-]+ and )",
        r"\b(?:what|which|list|explain|describe|summari[sz]e) .{0,80}\b(?:advantages?|causes?|methods?"
        r"|datasets?|challenges?|limitations?|benefits?|principles?|metrics|measures|changes"
        r"|indicators)"
        r",? (?:and|[\w-]+, and) (?:[\w-]+ )?[\w-]+",
        r"\b(?:and|&) (?:its|their) (?:[\w-]+ )?(?:impacts?|effects?|applications?|limitations?|role"
        r"|factors?|causes?|consequences?|influenc\w+|advantages?)",
    ),
    cue(
        "an effect or a relation",
        0.85,
        r"\bhow (?:do|does|did|can|could|might|would|will|has|have|is|are) .{2,200}\b(?:affect|impact"
        r"|influence|relate|interact|correlate|shape|contribute to|lead to|connected|linked"
        r"|related)(?:ed|s|d|ly)?\b",
        r"\b(?:effects?|impacts?|influences?|consequences?) of .{2,120} (?:on|upon|for) ",
        r"\bwhat (?:\w+ )?(?:effects?|impacts?|influence) (?:do|does|did|has|have) .{2,120} (?:have |had )?on ",
        r"\b(?:relation|relationship|correlation|connection|link|trade-?off|interplay"
        r"|interaction)s? (?:between|among)\b",
    ),
    cue(
        "a difference of numbers",
        0.85,
        r"\bhow (?:many|much) (?:[\w-]+ ){0,3}(?:more|fewer|less|longer|older|larger|higher|lower"
        r"|later|earlier|after|before|between)\b.{1,200}"
        r"(?:\bthan\b|\bcompared\b|\bwas\b|\bdid\b|\band\b)",
    ),
)
BRIDGES = (
    cue(
        "something described instead of named",
        0.8,
        rf"(?<!^)(?<!(?:is|re|as|me) )\b(?:the|an?|that|whose|this) (?:[\w-]+ ){{0,2}}{_KIND} (?:in|on"
        r"|of|at|from|to|by|for|under|with)? ?(?:who|whom|whose|which|where|when) ",
        r"(?:\b(?:of|in|by|for|from|to|with|on|at|than|did|does|do|has|had|stars?|starring"
        r"|(?<!who )(?<!what )(?:was|is|were)) )(?:the"
        rf"|an?) (?:[\w-]+ ){{0,2}}{_KIND} that (?!{_BE}? ?the\b)",
        r"\b(?:in|of|from|through|by) (?:the |an? )?(?:[\w-]+ ){0,3}where (?!(?:is|are|was|were|do|does|did)\b)",
        r"\b(?:of|in|by|for|from|to|with|on|at|did|does|do|has|had|under|than|through|flows through"
        rf"|borders?|after|before) (?:the|an?) (?:[\w-]+ )?{_KIND} (?:the )?@ (?:is|was|are|were|has"
        r"|had|\w+ed|died|plays?|comes?|belongs?|holds?|lives?|\w+s|\w+) ",
        r"\b(?:of|in|by|for|from|to|with|on|at|did|does|do|has|had|under|than|through) (?:the"
        rf"|an?) (?:[\w-]+ ){{0,2}}{_KIND} (?:\w+ed|containing|known|born|featuring|named|called"
        r"|starring|responsible|shown|built|made|set|held|won|written|sung|led"
        rf"|run) (?:\w+ ){{0,2}}(?:in|by|for|as|after|on|from|with|@|to)",
    ),
    cue(
        "a relation of a relation",
        0.8,
        r"^(?!(?:what|who) (?:is|are|was|were) ).{0,120}\b(?:in|through|from|to|for|with|by|of|near) the (?:capital|birthplace|hometown"
        r"|director|author|founder|creator|inventor|composer|performer|producer|spouse|wife|husband|father|mother|son|daughter"
        r"|successor|predecessor|ceo|owner|publisher|developer|manufacturer) of ",
        rf"\b(?:of|in|by|for|from|to|with|on|at) (?:the )?(?:[\w-]+ )?{_RELATION} (?:of|for) (?:the "
        rf"|an? )?(?:[\w-]+ )?(?:@|{_KIND}|[\w]+['’]s?)",
        rf"\b(?:of|in|by|for|from|to|with|on|at|than) (?:the )?(?:@|[\w-]+)['’]s? (?:[\w-]+ )?{_RELATION}\b",
        rf"[\w@]['’]s? (?:[\w-]+ )?{_RELATION}['’]s? (?!(?:full |real |first |last |maiden )?names?\b)",
        r"(?:\b(?:did|does|do|has|had|have|can|will|which \w+)|(?<!what )(?<!who )\b(?:was|were|is"
        rf"|are)) (?:the |an? )?(?:[\w-]+ )?{_RELATION} (?:of|for) (?:the |an? )?(?:[\w-]+ ){{0,2}}(?:@"
        r"|[\w-]+)",
        r"^(?:when|where|why|how|(?:in |at )?(?:which"
        rf"|what) \w+)\b.{{1,120}}[\w@]['’]s? (?:[\w-]+ )?{_RELATION} (?!in\b|of\b|called\b)[\w@]",
        rf"\b{_RELATION} (?:of|who|that|where|whose) (?:[\w-]+ ){{0,4}}[\w@]+['’]s? (?:[\w-]+ )?{_RELATION}\b",
        r"\b(?:(?:grand|step)(?:father|mother|parents?|son|daughter|child|children)|(?:father|mother"
        r"|brother|sister|son|daughter)-in-law|uncle|aunt|nephew|niece|cousin)\b",
        r"\b(?:did|does|do|has|had|have|was|were|is|are|when|where) (?:the )?(?:@"
        rf"|[\w-]+)['’]s? (?:[\w-]+ )?{_RELATION} [\w@]",
        rf"(?:^|, )(?:the |an? )?(?:[\w-]+ ){{0,2}}{_RELATION} of (?:the "
        rf"|an? )?(?:[\w-]+ ){{0,2}}@.{{1,120}}\b{_WH}\b",
        rf"^(?:the |an? )(?:[\w-]+ ){{0,2}}{_KIND} (?:that|who|which|where|whose|[\w]+ed"
        rf"|in which) .{{1,200}}\b{_WH}\b",
        rf"\b{_KIND} (?:that|which|whom?|in which|where) (?:the|an?) (?:[\w-]+ )?{_KIND}\b",
        rf"\b{_RELATION} (?:of|who|that) .{{1,60}}\b{_RELATION} of\b",
    ),
    cue(
        "a fact first, then the question",
        0.7,
        rf"^[^?]{{20,400}}[.!] (?:(?:and|in|at|on|of|to|from|for|with|by) )?{_ASK}\b",
        rf"^(?!{_WH}\b|in\b|on\b|at\b|to\b|for\b|by\b|from\b|of\b|{_AUX}\b|after\b|during\b|besides\b"
        rf"|until\b|under\b|with\b|according\b|along\b)(?=.{{50}})[^?]{{20,400}} (?:by|of|in|on|at|to"
        rf"|from|with|for|and|is|was|are|were|,|as) {_WH}\b[^?]{{0,80}}\??$",
    ),
    cue(
        "two restrictions at once",
        0.55,
        r"^(?:in |on |at |to |from |for |of )?(?:what|which) (?:[\w@-]+ ){1,6}(?:that|who|which"
        r"|whose) .{10,200} (?:and|is also|was also|has also|also)\b",
        r"\bwho (?:else )?(?:\w+ed) (?:in )?both\b",
        r"\bwho (?:has|had|was|is) .{8,160}, .{8,160}\band (?:is|was|has|had|who|are)\b",
    ),
)
