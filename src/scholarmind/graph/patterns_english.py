"""How English sentences say that one method builds on, beats or uses another. Pure data: a cue stands between subject and object."""

import re

from scholarmind.graph.patterns import Cue

_ADVERB = r"(?:\w+ly[ ]|also[ ]|later[ ]|already[ ]|even[ ]|far[ ]|much[ ]|itself[ ])?"
_BE = r"(?:is|are|was|were|been|being|be)[ ]"

_IMPROVES = (
    r"out-?perform(?:s|ed|ing)?|beats?|surpass(?:es|ed|ing)?|exceed(?:s|ed)|improv(?:es?|ed|ing)[ ](?:up)?on",
    r"improv(?:es?|ed|ing)[ ](?:\w+[ ]){0,4}over|(?:an[ ])?improvement[ ](?:of|on|over)",
    rf"{_BE}{_ADVERB}(?:better|stronger|more[ ]accurate)[ ]than|does[ ]better[ ]than|comes[ ]out[ ]ahead[ ]of|{_BE}ahead[ ]of",
    r"extends?|extended|extending|refin(?:es|ed|ing)|generali[sz](?:es|ed)|simplif(?:ies|ied)|modif(?:ies|ied)|compress(?:es|ed)",
    rf"enlarg(?:es|ed)|builds?[ ]{_ADVERB}(?:up)?on|built[ ](?:up)?on|building[ ]on|{_BE}based[ ]on|{_BE}derived[ ]from|derives[ ]from",
    r"descends[ ]from|descendant[ ]of|successor[ ](?:of|to)|stands?[ ]on|returns?[ ]to",
    r"(?:an?[ ](?:\w+[ ])?)(?:variant|extension|refinement|replication|scale-up)[ ]of",
)
_USES = (
    r"uses?|used|using|takes?|took|taken|borrow(?:s|ed)|re-?uses?|adopts?|adopted|adapts?|adapted|keeps?|inherits?",
    r"follow(?:s|ed|ing)|appl(?:y|ies|ied)|combin(?:es|ed)|joins?|depends?[ ]on|relies[ ]on|rel(?:y|ied)[ ]on|employ(?:s|ed)",
    rf"{_BE}(?:tested|tried|tried[ ]out|applied)[ ](?:on|to)|searched[ ]with|start(?:s|ed)[ ]from|begins?[ ]with|continues?[ ]the",
    r"initiali[sz]ed[ ](?:from|with)|warm-started[ ]from|copies|laid[ ]out[ ]like|in[ ]the[ ]line[ ]of|(?:taken|borrowed)[ ]from",
    rf"(?:encoder|decoder|retriever|generator|backbone)[ ]from|{_BE}an?[ ](?=(?:\w[\w-]*[ ]){{0,5}}Transformer\b)|{_BE}a[ ]stack[ ]of",
)
CUES = (
    Cue("IMPROVES_ON", re.compile(rf"\b{_ADVERB}(?:{'|'.join(_IMPROVES)})\b(?![ ]by\b)")),
    Cue("USES", re.compile(rf"\b{_ADVERB}(?:{'|'.join(_USES)})\b(?![ ]by\b)")),
)
_BEATEN = r"outperformed|beaten|surpassed|exceeded|extended|refined|improved(?:[ ](?:up)?on)?|superseded|compressed"
_TAKEN = r"used|adopted|borrowed|reused|inherited|taken[ ]over"
REVERSED = (
    Cue("IMPROVES_ON", re.compile(rf"\b{_BE}{_ADVERB}(?:{_BEATEN})[ ]by\b")),
    Cue("USES", re.compile(rf"\b{_BE}{_ADVERB}(?:{_TAKEN})[ ](?:by|in)\b")),
)
PROPOSES = re.compile(
    r"\b(?:propos(?:es?|ed|ing)|introduc(?:es?|ed|ing)|[Ww]e[ ](?:present|develop|describe|call|name|release)"
    r"|(?:authors|paper|work)[ ](?:call|name|present)s?(?:[ ]this(?:[ ]\w+)?)?|(?:is|are)[ ](?:called|termed|dubbed|named)"
    r"|(?:which|that)[ ]we[ ](?:call|term|dub|name)|dubbed|termed|coined)"
    r"[ ](?:(?:an?|the|our|new|novel|simple|it|them|method|model|called|named)[ ])*"
)
# the document's own method, where it is not called by its name
OURS = re.compile(
    r"\b[Oo]ur[ ](?:(?:best|full|final|large|base|largest|proposed|own|new)[ ])*(?:models?|method|approach|system|network|framework)\b"
    r"|\b[Ww]e(?=[ ](?:obtain|achieve|reach|outperform|improve)\b)|\b[Tt]he[ ]proposed[ ](?:model|method|approach|system|network)\b"
)
AUTHORS = re.compile(
    r"\b(?:we|our|this|authors?|paper|called|termed|dubbed|named)\b", re.IGNORECASE
)  # who proposes, if no method does
# who speaks where a sentence names nobody before its verb
SELF = re.compile(
    r"^\W*(?:we|it|its|our|this|the[ ](?:authors?|paper|model|method|network|student|approach|work|report))\b",
    re.IGNORECASE,
)
JOINED = re.compile(
    r"(?:,|\band|,[ ]and|\bthen|\bbut)[ ](?:\w+ly[ ]|then[ ]|later[ ])?$"
)  # a second verb of the same subject
BREAK = re.compile(
    r"[;:]|\b(?:while|whereas|but|because|since|so[ ]that|although|which|who|when|where|if|unlike|than|against)\b"
)
LISTED = re.compile(
    r"^['’]?s?(?:[ ][\w-]+){0,3},?[ ]*(?:and|or|as[ ]well[ ]as|,|&)"
    r"(?:[ ](?:from|of|on|to|by|the|its|in|for))*(?:[ ](?:the|its)[ ](?:[\w-]+[ ]){1,4}of)?(?:[ ]the)?[ ]$"
)
# what stands between a verb and its object: "builds on the recipe of", "combines known pieces, the"
GAP = re.compile(r"^[ ]?(?:(?!when\b|where\b|who\b|with\b)[\w'’-]+[ ]){0,10}(?:[\w'’-]+,[ ]the[ ])?[(\"“]?$")
AFTER_LISTED = re.compile(r"['’]s\b|[ ]*[,.;:)]|[ ]*$|[ ](?:and|or|in|on|with|by|for|at|as|but|while|to)\b")
