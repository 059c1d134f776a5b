"""Verbs that tell where a description ends: no parser, but the forms that questions use most."""

_REGULAR = (
    "appear attend belong border bomb broadcast build call change claim collapse compete compose conquer contain "
    "contribute cover create "
    "debut declare design develop die direct discover distribute dissolve drop earn employ enter establish exist "
    "experience explore "
    "export feature finish form found govern graduate handle happen help host house include inspire introduce "
    "invade invent join kill land last "
    "launch live locate marry mention move name occur open operate originate own perform play portray predate "
    "premiere present produce "
    "propose publish record refuse release remain report represent reside resign rule score separate serve share "
    "sign star start state stop study suffer "
    "support surrender train travel use visit vote want work provide issue achieve attack adopt air end fail "
    "look need change convert defeat "
    "celebrate cost call cause host pass rank reach receive lie apply differ compare relate scale improve "
    "increase reduce affect"
)
_IRREGULAR = (
    "be:is:was be:are:were become:becomes:became:become begin:begins:began:begun break:breaks:broke:broken "
    "bring:brings:brought:brought "
    "build:builds:built:built buy:buys:bought:bought come:comes:came:come draw:draws:drew:drawn "
    "fall:falls:fell:fallen fight:fights:fought:fought "
    "find:finds:found:found flow:flows:flowed:flowed fly:flies:flew:flown get:gets:got:gotten "
    "give:gives:gave:given go:goes:went:gone "
    "grow:grows:grew:grown have:has:had:had hold:holds:held:held know:knows:knew:known lead:leads:led:led "
    "leave:leaves:left:left "
    "lose:loses:lost:lost make:makes:made:made meet:meets:met:met pay:pays:paid:paid put:puts:put:put "
    "run:runs:ran:run say:says:said:said "
    "see:sees:saw:seen sell:sells:sold:sold send:sends:sent:sent sing:sings:sang:sung speak:speaks:spoke:spoken "
    "spend:spends:spent:spent "
    "stand:stands:stood:stood take:takes:took:taken teach:teaches:taught:taught tell:tells:told:told "
    "win:wins:won:won write:writes:wrote:written "
    "wear:wears:wore:worn carry:carries:carried:carried marry:marries:married:married bear:bears:bore:born "
    "set:sets:set:set fight:fights:fought:fought"
)


def _third(verb: str) -> str:
    if verb.endswith(("sh", "ch", "s", "x")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"


def _past(verb: str) -> str:
    doubled = {"star": "starred", "stop": "stopped", "drop": "dropped", "debut": "debuted", "die": "died", "lie": "lay"}
    if verb in doubled:
        return doubled[verb]
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "ed"


_FORMS = [row.split(":") for row in _IRREGULAR.split()]
_VERBS = _REGULAR.split()
_NOUNS_TOO = frozenset(
    "state name host land study work house record rank star form cost report report score present issue house cover record".split()
)
BASE_VERBS = frozenset(_VERBS) - {"state", "name", "house", "land", "last", "found", "record", "form"} | {
    row[0] for row in _FORMS
}
FINITE_VERBS = (
    frozenset(_third(verb) for verb in _VERBS if verb not in _NOUNS_TOO)
    | frozenset(_past(verb) for verb in _VERBS)
    | frozenset(form for row in _FORMS for form in row[1:3])
)
_PARTICIPLES = frozenset(row[3] for row in _FORMS if len(row) > 3)
_NO_PARTICIPLES = frozenset(
    "during king spring string ring thing something nothing anything everything building evening morning being "
    "wing bring united red bed "
    "speed seed need indeed hundred feed breed including following regarding according concerning using learning "
    "training meaning ceiling "
    "reading writing hearing setting engineering computing modeling modelling processing programming marketing "
    "banking mining tuning "
    "embedding encoding sampling ranking reranking chunking clustering prompting reasoning planning pre-training fine-tuning".split()
)


def is_participle(word: str) -> bool:
    """Tell whether a word can open a shortened clause behind a noun: `directed by`, `starring`."""
    return (word in _PARTICIPLES or (word.endswith(("ed", "ing")) and len(word) > 4)) and word not in _NO_PARTICIPLES
