"""Names that everybody writes in several ways: metrics, venues, and what may stand behind or before a name. Only data."""

# what is told of a thing behind its name: "the SQuAD dataset" is SQuAD
GENERIC = frozenset(
    "model models dataset datasets data-set corpus corpora benchmark benchmarks score scores metric metrics task tasks architecture "
    "architectures network networks algorithm algorithms method methods framework frameworks leaderboard challenge suite".split()
)
GENERIC_HAN = "模型|数据集|数据|语料库|语料|基准测试|基准|分数|得分|指标|任务|架构|网络|算法|方法|框架|榜单"
ARTICLES = frozenset({"the", "a", "an"})

_METRICS = {
    "accuracy": "acc accuracies 准确率 正确率 精度 精确度",
    "f1": "f1score f1measure f-1 fscore fmeasure macrof1score f1值 f值 f1分数",
    "exactmatch": "em exactmatches 精确匹配 完全匹配 精确匹配率",
    "perplexity": "ppl perplexities 困惑度",
    "precision": "prec 查准率 精确率",
    "recall": "rec 召回率 查全率",
    "wer": "worderrorrate 词错误率",
    "map": "meanaverageprecision",
    "mrr": "meanreciprocalrank 平均倒数排名",
    "ndcg": "normalizeddiscountedcumulativegain normaliseddiscountedcumulativegain",
    "auc": "areaunderthecurve auroc rocauc",
    "rmse": "rootmeansquareerror rootmeansquarederror 均方根误差",
    "mae": "meanabsoluteerror 平均绝对误差",
    "mse": "meansquareerror meansquarederror 均方误差",
    "bpc": "bitspercharacter bitperchar",
    "top1accuracy": "top1 top1acc",
    "top5accuracy": "top5 top5acc",
}
_VENUES = {
    "neurips": "neurip nips neuralinformationprocessingsystem advancesinneuralinformationprocessingsystem",
    "iclr": "internationalconferenceonlearningrepresentation",
    "icml": "internationalconferenceonmachinelearning",
    "naacl": "naaclhlt northamericanchapteroftheassociationforcomputationallinguistic",
    "eacl": "europeanchapteroftheassociationforcomputationallinguistic",
    "tacl": "transactionsoftheassociationforcomputationallinguistic",
    "findings": "findingsoftheassociationforcomputationallinguistic",
    "acl": "annualmeetingoftheassociationforcomputationallinguistic associationforcomputationallinguistic",
    "emnlp": "empiricalmethodsinnaturallanguageprocessing emnlpijcnlp",
    "coling": "internationalconferenceoncomputationallinguistic",
    "cvpr": "computervisionandpatternrecognition",
    "iccv": "internationalconferenceoncomputervision",
    "eccv": "europeanconferenceoncomputervision",
    "aaai": "aaaiconferenceonartificialintelligence",
    "ijcai": "internationaljointconferenceonartificialintelligence",
    "kdd": "sigkdd knowledgediscoveryanddatamining knowledgediscoverydatamining",
    "sigir": "researchanddevelopmentininformationretrieval",
    "www": "theworldwideweb worldwidewebconference thewebconf",
    "jmlr": "journalofmachinelearningresearch",
    "icassp": "acousticsspeechandsignalprocessing",
    "interspeech": "",
    "arxiv": "corr arxivpreprint computingresearchrepository arxivorg",
}


def _reversed(table: dict[str, str]) -> dict[str, str]:
    return {other: key for key, others in table.items() for other in (key, *others.split())}


METRICS = _reversed(_METRICS)
VENUES = _reversed(_VENUES)
VENUES_BY_LENGTH = tuple(sorted((name for name in VENUES if len(name) > 20), key=len, reverse=True))

# the size of a model, or how it was trained on: BERT-base, LLaMA-7B, Llama-2-7b-chat. "XL" is none: Transformer-XL
SIZES = frozenset(
    "base large small tiny mini medium huge giant big xlarge xxlarge xxl nano micro cased uncased chat instruct hf base-uncased "
    "base-cased large-uncased large-cased".split()
)
SIZES_HAN = "基础版|大型版|小型版|大模型版|基础|大型|小型|大号|小号"
