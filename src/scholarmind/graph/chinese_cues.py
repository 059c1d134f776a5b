"""How Chinese sentences say that one method builds on, beats or uses another. Pure data: a cue stands between subject and object."""

import re

from scholarmind.graph.cues import Cue

_FRAME = r"(?=[^，。；]{1,40}"
CUES = (
    Cue("IMPROVES_ON", re.compile(
        r"优于|超过了?|超越了?|胜过|好于|强于|改进了?|扩展了?|拓展了?|继承了?|沿用了?|承接了?|源自|脱胎于|取代了?|推广了?"
        rf"|前代|上一代|建立在|建基于|以{_FRAME}为(?:骨架|起点|基础|骨干|底座|主干))|在{_FRAME}的?基础上)|从{_FRAME}的?权重)"
    )),
    Cue("USES", re.compile(
        r"采用了?|使用了?|利用了?|借鉴了?|借用了?|依赖|选用了?|引入了?|运用了?|将(?=[^，。；]{1,40}(?:结合|融合))|基于|结合了?|借助|用(?=[A-Z\u4e00-\u9fff])|由(?=[^，。；]{1,20}扩展)"
        r"|从(?=[^，。；]{1,20}(?:蒸馏|初始化))|(?<=结构)(?:就是|与)|与(?=[^，。；]{1,20}一致)"
    )),
)  # fmt: skip

REVERSED = (
    Cue("USES", re.compile(r"(?:后来)?(?:普遍)?被(?=[^，。；]{1,30}(?:采用|使用|沿用|借鉴))")),
    Cue("IMPROVES_ON", re.compile(r"被(?=[^，。；]{1,30}(?:超越|超过|改进|取代))|不如|不及|逊于")),
)  # fmt: skip

PROPOSES = re.compile(r"(?:提出|引入|设计|称为|称之为|叫做|命名为|即|增加)(?:了|的)?(?:一种|一个|新的|名为|称为)*")
OURS = re.compile(r"本文(?:的|所提)?(?:方法|模型|算法)|我们的(?:方法|模型|算法)|所提(?:出的)?(?:方法|模型|算法)")
IT = re.compile(
    r"(?:该|此|这一)(?:方法|模型|算法|网络|系统|框架)|(?<![其])它(?=[\u4e00-\u9fff])|(?<=[。！？\n])模型(?=在|采用|使用|基于)"
)

PRONOUN = re.compile(r"[它其]$")
AUTHORS = re.compile(r"本文|我们|作者|论文|本研究|该文|这项工作|称为|称之为|叫做|命名为")
SELF = re.compile(r"^\W*(?:本文|我们|作者|该|这|它|其|论文|报告|模型|本研究|后训练|训练)")
JOINED = re.compile(r"(?:，|、|并|且|并且|同时|还|也|则|再)(?:[\u4e00-\u9fff]{0,8})$")
BREAK = re.compile(r"[；;：]|但|而(?!非)|却|因为|因此|由于|虽然|尽管|低于|高于")
LISTED = re.compile(r"^(?:的[^，。；]{0,8})?(?:[（(][^（）()]{1,40}[）)])?(?:和|与|及|以及|、|或)$")
GAP = re.compile(r"^[^，。；：]{0,16}$")
AFTER_LISTED = re.compile(r"")
LEADING: tuple[Cue, ...] = ()
COMPARED = Cue("IMPROVES_ON", re.compile(r"与(?=[^，。；]{1,30}相比)|相比于?|相较于?"))
BETTER = re.compile(r"更高|更好|更优|更准|更强|更快|提升|提高|改善|优")
