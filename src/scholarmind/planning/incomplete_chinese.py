"""Chinese questions that lack their subject, as Chinese may: 有多少参数？, 作者是谁？, 哪个更大？, 能节省多少显存？"""

from scholarmind.planning.earlier import Earlier, Rewritten, in_chinese
from scholarmind.planning.mentions import is_aspect
from scholarmind.planning.pointers_chinese import PLACE, named, said
from scholarmind.planning.pointing import referents, where
from scholarmind.planning.replacing import VERSION_CHINESE
from scholarmind.planning.words import CHINESE_ASKING, CHINESE_QUESTION, question
from scholarmind.text.patterns import lazy_regex

_ZERO = lazy_regex(
    r"^(?:是?由?谁|是|有|用|使用|采用|需要|支持|能|可以|为什么|为何|如何|怎么|什么时候|何时|多[大少快长久高]|几|训练|发表|提出"
    r"|总共|一共|共|主要|具体|最大|最后|发布)"
)
_PREDICATE = lazy_regex(r"是|有|如何|怎|多|在|用|包")
_AMOUNT = lazy_regex(r"多少|几")
_ALSO = lazy_regex(r"^(?P<x>.+?)也(?P<verb>用了?|使用了?|采用了?|支持|有|基于)吗?$")
_CAN = lazy_regex(r"^(?:能够?|会|可以|能否|是否|是不是|需要|比.{1,20}更?)(?!不)")
_MOST = lazy_regex(r"^(?:其中)?(?P<rest>最[大小好快慢新早高低强多少]的?(?:是)?(?:哪|谁|什么).*)$")
_DIFFERS = lazy_regex(
    r"^(?P<x>[A-Z][^，有和与跟及、在]{0,30})(?P<rest>有(?:什么|何|哪些)(?:不同|不一样|区别|差异|差别))$"
)
_BESIDE = lazy_regex(r"^[和与跟同][^，有]{1,30}有(?:什么|何|哪些)(?:不同|不一样|区别|差异|差别|关系|联系)$")
_DOES = lazy_regex(
    r"^(?:用|使用|采用|训练|提升|提高|降低|减少|节省|激活|达到|包含|引入|改进|增加|花|学|预测|编码)了"
    r"|^其中(?!一)|^(?:每次|每层|每个|总共|一共|最多|至少|平均)"
    r"|^为什么(?:会)?比"
    r"|^(?:硬件|数据|训练|推理|速度|性能|参数|内存|显存|结构|架构|实验|效果|质量|成本)(?:上|方面)"
)
_OWNER = lazy_regex(rf"^(?:作者|论文|文章|文中|实验(?!室)|{VERSION_CHINESE.pattern})")


def incomplete(body: str, earlier: Earlier) -> Rewritten | None:
    """Return a question with the subject that it lacks, or None where it has one."""
    things = in_chinese(earlier.subjects)
    if not CHINESE_QUESTION.search(body) or not things:
        return None
    if among := _among(body, earlier, things):
        return among
    lead = PLACE.match(body)
    if lead and CHINESE_QUESTION.search(lead[0]):
        return None
    place, rest = (body[: lead.end()], body[lead.end() :]) if lead else ("", body)
    place += (
        "，"
        if (place.startswith(("相比", "比起", "不同于")) or place.endswith("相比")) and not place.endswith("，")
        else ""
    )
    joint = None if named(rest, ()) else _joint(rest)
    if joint is None:
        return None
    on = where(earlier, rest) if not said(rest) else ""
    return question(f"{place}{things}{on}{joint}{rest}"), f"问的是{things}"


def _among(body: str, earlier: Earlier, things: str) -> Rewritten | None:
    """Read what lays things beside each other: 最大的是哪个？, REALM有什么不同？, GPT-2也用了吗？"""
    if (most := _MOST.match(body)) and (pair := referents(earlier, "pair")):
        return question(f"{in_chinese(pair)}中{most['rest']}"), f"要比较的是{in_chinese(pair)}"
    if (alone := _DIFFERS.match(body)) and alone["x"] not in earlier.subjects:
        return question(f"{alone['x']}和{things}{alone['rest']}"), f"要比较的是{things}"
    if _BESIDE.match(body):
        return question(things + body), f"要比较的是{things}"
    also = _ALSO.match(body)
    return (question(f"{also['x']}也{also['verb']}{things}吗"), f"问的是{things}") if also else None


def _joint(body: str) -> str | None:
    """Return what stands between a subject and the question that lacks it; None where it lacks none."""
    if _OWNER.match(body):
        return "的"
    if _DOES.match(body) or (_CAN.match(body) and not CHINESE_ASKING.search(_CAN.sub("", body))):
        return ""
    if said(body):
        return None
    if is_aspect(_PREDICATE.split(body, maxsplit=1)[0]):
        return "的"
    if _ZERO.match(body):
        return "有" if _AMOUNT.match(body) else ""
    return None
