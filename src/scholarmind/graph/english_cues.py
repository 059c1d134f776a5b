"""How English sentences say that one method builds on, beats or uses another. Pure data: a cue stands between subject and object."""

import re

from scholarmind.graph.cues import Cue

_ADVERB = r"(?:\w+ly[ ]|also[ ]|later[ ]|already[ ]|even[ ]|far[ ]|much[ ]|itself[ ])?"
_BE = r"(?:is|are|was|were|been|being|be)[ ]"
_IMPROVES = (
    r"out-?perform(?:s|ed|ing)?|beats?|surpass(?:es|ed|ing)?|exceed(?:s|ed)?(?:[ ]th(?:at|ose)[ ]of)?|improv(?:es?|ed|ing)[ ](?:up)?on",
    r"improv(?:es?|ed|ing)[ ](?:[\w.%×-]+[ ]){0,4}over|(?:an[ ])?improvement[ ](?:of|on|over)",
    rf"(?:{_BE}{_ADVERB}|performs?[ ]|performed[ ]|works?[ ])(?:better|stronger|more[ ]accurate)[ ]than|does[ ]better[ ]than",
    rf"comes[ ]out[ ]ahead[ ]of|{_BE}ahead[ ]of",
    r"extends?|extended|extending|refin(?:es|ed|ing)|generali[sz](?:es|ed)|simplif(?:ies|ied)|modif(?:ies|ied)|compress(?:es|ed)",
    rf"enlarg(?:es|ed)|builds?[ ]{_ADVERB}(?:up)?on|built[ ](?:up)?on|building[ ](?:up)?on|based[ ](?:up)?on",
    rf"{_BE}derived[ ]from|derives[ ]from",
    r"descends[ ]from|descendant[ ]of|successor[ ](?:of|to)|stands?[ ]on|returns?[ ]to",
    r"(?:an?[ ](?:\w+[ ])?)(?:variant|extension|refinement|replication|scale-up)[ ]of",
)

_USES = (
    r"uses?|used|using|takes?|took|taken|borrow(?:s|ed)|re-?uses?|adopts?|adopted|adapts?|adapted|augment(?:s|ed)|keeps?|inherits?",
    r"follow(?:s|ed|ing)|appl(?:y|ies|ied)|combin(?:es|ed)|joins?|depends?[ ]on|relies[ ]on|rel(?:y|ied)[ ]on|employ(?:s|ed)",
    rf"{_BE}(?:tested|tried|tried[ ]out|applied)[ ](?:on|to)|searched[ ]with|start(?:s|ed)[ ]from|begins?[ ]with|continues?[ ]the",
    r"(?:initiali[sz]|distill?)ed[ ](?:from|with)|(?:trained|optimi[sz]ed)[ ]with",
    r"warm-started[ ]from|copies|laid[ ]out[ ]like|in[ ]the[ ]line[ ]of|(?:taken|borrowed)[ ]from",
    r"(?<=[Ww]e[ ])(?:fine-?tuned?|pre-?train(?:ed)?|train(?:ed)?)",
    rf"(?:encoder|decoder|retriever|generator|backbone)[ ]from|{_BE}an?[ ](?=(?:\w[\w-]*[ ]){{0,5}}Transformer\b)|{_BE}a[ ]stack[ ]of",
)

CUES = (
    Cue("IMPROVES_ON", re.compile(rf"\b(?:{'|'.join(_IMPROVES)})\b(?![ ]by\b)")),
    Cue("USES", re.compile(rf"\b(?:{'|'.join(_USES)})\b(?![ ]by\b)")),
)

_BEATEN = r"outperformed|beaten|surpassed|exceeded|extended|refined|improved(?:[ ](?:up)?on)?|superseded|compressed"
_TAKEN = r"used|adopted|borrowed|reused|inherited|taken[ ]over"
REVERSED = (
    Cue(
        "IMPROVES_ON",
        re.compile(rf"\b(?:{_BE}{_ADVERB}(?:{_BEATEN})[ ]by|(?:{_BE}|performs?[ ]|performed[ ])worse[ ]than)\b"),
    ),
    Cue("USES", re.compile(rf"\b{_BE}{_ADVERB}(?:{_TAKEN})[ ](?:by|in)\b")),
)

_KIND = (
    r"(?:models?|methods?|approach|systems?|networks?|frameworks?|algorithms?|architectures?|technique|tool|pipeline|backbone|engine|library"
    r"|data ?sets?|benchmarks?|corpus)"
)

PROPOSES = re.compile(
    rf"\b(?:propos(?:es?|ed|ing)|introduc(?:es?|ed|ing)|[Ww]e[ ]{_ADVERB}(?:(?:present|develop|release|design)(?:ed)?|describe|call|name"
    r"|devised?|construct|creat(?:e|ed)|implement(?:ed)?|contribute|buil[dt](?![ ](?:up)?on)|design[ ]and[ ]implement)"
    r"|(?:authors|paper|work|study|article|report)[ ](?:call|name|present|describe|develop)s?(?:[ ]this(?:[ ]\w+)?)?"
    r"|(?:is|are|was)[ ](?:called|termed|dubbed|named)|(?:which|that)[ ]we[ ](?:call|term|dub|name)|dubbed|termed|coined"
    rf"|[Oo]ur[ ](?:\w+[ ])?{_KIND},|{_KIND},?[ ](?:called|named))"
    r"[ ](?:(?:an?|the|our|new|novel|simple|it|them|method|model|called|named)[ ])*"
)

# at the head of a sentence, of what is named behind the comma: "Building on Foo, Bar ..."
LEADING = (
    Cue("IMPROVES_ON", re.compile(r"(?:Building|Built|Based|Improving)[ ](?:up)?on\b|Extending\b|Inspired[ ]by\b")),
    Cue("USES", re.compile(r"(?:Using|Combining|Employing|Adopting)\b|(?:Initiali[sz]ed|Starting)[ ](?:from|with)\b")),
)

COMPARED = Cue("IMPROVES_ON", re.compile(r"(?:Compared|Relative|In[ ]comparison)[ ](?:with|to)\b"))
BETTER = re.compile(r"\b(?:better|higher|stronger|faster|superior|improve\w*|gains?|more[ ]accurate|wins?)\b")
# the document's own method, where it is not called by its name
OURS = re.compile(
    r"\b[Oo]ur[ ](?:(?:best|full|final|large|base|largest|proposed|own|new)[ ])*(?:models?|method|approach|system|network|framework)\b"
    r"|\b[Ww]e(?=[ ](?:obtain|achieve|reach|outperform|improve)\b)|\b[Tt]he[ ]proposed[ ](?:model|method|approach|system|network)\b"
)

# the same, where the sentences before are about it
IT = re.compile(
    r"\b(?:[Ii]t|[Tt]h(?:e|is)[ ](?:model|method|network|system|approach|algorithm|agent|framework|architecture))"
    rf"(?=[ ]{_ADVERB}(?:reach|achiev|obtain|attain|out-?perform|improv|surpass|exceed|beat|extend"
    r"|builds?[ ]|adopt|uses?[ ]|used[ ]|employ|combin|scor|sets?[ ]|had[ ]|has[ ]an?[ ]|gets?[ ]|ranks?|inherit|replac|refin|modif|match"
    r"|lower|reduc|yield|relies|follows?[ ]|takes?[ ]|performs?[ ]"
    rf"|{_BE}{_ADVERB}(?:evaluat|test|train|pre-?train|fine-?tun|bas|built|initiali|appl|validat|benchmark|distil|deriv|better|faster|stronger)))"
)

PRONOUN = re.compile(r"\b(?:it|they|this)[ ]$")
AUTHORS = re.compile(
    r"\b(?:we|our|this|authors?|paper|called|termed|dubbed|named)\b", re.IGNORECASE
)  # who proposes, if no method does

# who speaks where a sentence names nobody before its verb
SELF = re.compile(
    r"^\W*(?:we|it|its|our|this|(?:these|our)[ ]results|the[ ](?:authors?|paper|model|method|network|student|approach|work|report))\b",
    re.IGNORECASE,
)

JOINED = re.compile(
    r"(?:,|\band|,[ ]and|\bthen|\bbut)[ ](?:(?:is|are|was|were|has been)[ ])?"
    r"(?:\w+ly[ ]|(?:then|also|later|already|even|far|much|itself)[ ])?$"
)  # a second verb of the same subject

BREAK = re.compile(
    r"[;:]|\b(?:while|whereas|but|because|since|so[ ]that|although|which|who|when|where|if|unlike|than|against)\b"
)

LISTED = re.compile(
    r"^['’]?s?(?:[ ][\w-]+){0,3}(?:[ ]\([^()]{1,40}\))?(?:[ ]by[ ][\d.]+[%x×]?(?:[ ]\w+){0,2})?,?[ ]*(?:and|or|as[ ]well[ ]as|,|&)"
    r"(?:[ ](?:from|of|on|to|by|the|its|in|for|over|[\d.]+[%x×]))*(?:[ ](?:the|its)[ ](?:[\w-]+[ ]){1,4}of)?(?:[ ]the)?[ ]$"
)

# what stands between a verb and its object: "builds on the recipe of", "combines known pieces, the"
GAP = re.compile(r"^[ ]?(?:(?!when\b|where\b|who\b|with\b)[\w'’-]+[ ]){0,10}(?:[\w'’-]+,[ ]the[ ])?[(\"“]?$")

AFTER_LISTED = re.compile(r"['’]s\b|[ ]*[,.;:()]|[ ]*$|[ ](?:and|or|in|on|with|by|for|at|as|but|while|to)\b")
