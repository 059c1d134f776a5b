"""Sentences as a model would write them from the demo notes: what a section says in other words, and the same with one thing wrong.

Each is (sections, honest, wrong, what is wrong); a section is named by its note and its heading, several are joined by `+`.
"""

from pathlib import Path

import scholarmind.demo

_NOTES = Path(scholarmind.demo.__file__).with_name("notes")

ENGLISH = (
    (
        "bert:Idea",
        "BERT learns to recover hidden tokens: 15% of the input is chosen for prediction, and 80% of it is swapped for a mask symbol.",
        "BERT learns to recover hidden tokens: 25% of the input is chosen for prediction, and 80% of it is swapped for a mask symbol.",
        "number",
    ),
    (
        "bert:Idea",
        "A second objective has the model decide whether one segment followed another in the source document.",
        "A second objective has the model decide whether one segment never followed another in the source document.",
        "negation",
    ),
    (
        "bert:Architecture and attention",
        "Every layer of BERT lets each token attend to context on both sides at once.",
        "No layer of BERT lets a token attend to context on both sides at once.",
        "negation",
    ),
    (
        "bert:Training data",
        "The pre-training corpus of BERT combined 800 million words of BooksCorpus with 2.5 billion words of Wikipedia.",
        "The pre-training corpus of BERT combined 800 million words of BooksCorpus with 25 billion words of Wikipedia.",
        "number",
    ),
    (
        "bert:Limits",
        "Since the mask symbol does not appear during fine-tuning, there is a mismatch between how BERT is trained and how it is used.",
        "Since the mask symbol does appear during fine-tuning, there is a match between how BERT is trained and how it is used.",
        "negation",
    ),
    (
        "bert:Results",
        "On the GLUE leaderboard, BERT-Large scored 80.5, well ahead of GPT's 72.8.",
        "On the GLUE leaderboard, GPT scored 80.5, well ahead of BERT-Large's 72.8.",
        "names swapped",
    ),
    (
        "albert:Idea",
        "ALBERT shrinks the embedding table by factorising it, and it reuses the same weights in every layer.",
        "DeBERTa shrinks the embedding table by factorising it, and it reuses the same weights in every layer.",
        "name",
    ),
    (
        "albert:Idea",
        "It also swaps next sentence prediction for sentence-order prediction, a more demanding task that topic cues alone cannot solve.",
        "It also swaps next sentence prediction for sentence-order prediction, an easier task that topic cues alone can solve.",
        "direction",
    ),
    (
        "albert:Caveats",
        "Having fewer parameters does not make ALBERT cheaper: ALBERT-xxlarge trains about three times more slowly than BERT-Large.",
        "Having fewer parameters does not make ALBERT cheaper: ALBERT-xxlarge trains about five times more slowly than BERT-Large.",
        "number word",
    ),
    (
        "albert:Results",
        "An ensemble of ALBERT models achieved 89.4 on GLUE, surpassing RoBERTa's 88.5.",
        "An ensemble of ALBERT models achieved 89.4 on GLUE, surpassing RoBERTa's 87.5.",
        "number",
    ),
    (
        "albert:Architecture and attention",
        "ALBERT-large therefore needs roughly 18 times fewer parameters than BERT-Large.",
        "ALBERT-large therefore needs roughly 18 times more parameters than BERT-Large.",
        "direction",
    ),
    (
        "bart:Idea",
        "BART is pre-trained by corrupting text and learning to reconstruct the original with a sequence-to-sequence model.",
        "ELECTRA is pre-trained by corrupting text and learning to reconstruct the original with a sequence-to-sequence model.",
        "name",
    ),
    (
        "bart:Results",
        "Its main strength lies in generation: on XSum it scores 45.14 ROUGE-1, around 6 points better than earlier systems.",
        "Its main strength lies in generation: on XSum it scores 45.14 ROUGE-2, around 6 points better than earlier systems.",
        "measure",
    ),
    (
        "bart:Limits",
        "BART's summaries can contain claims that are not supported by the source text.",
        "BART's summaries can never contain claims that are not supported by the source text.",
        "negation",
    ),
    (
        "bart:Limits",
        "The released model accepts at most 1024 tokens and was pre-trained on English only.",
        "The released model accepts at most 2048 tokens and was pre-trained on English only.",
        "number",
    ),
    (
        "electra:Limits",
        "Because its discriminator does not yield a distribution over words, ELECTRA is unable to generate text.",
        "Because its discriminator yields a distribution over words, ELECTRA is able to generate text.",
        "negation",
    ),
    (
        "electra:Results",
        "ELECTRA-Small, which was trained on one V100 GPU in four days, outperforms GPT despite using about 30 times less compute.",
        "ELECTRA-Small, which was trained on one V100 GPU in four days, outperforms GPT despite using about 50 times less compute.",
        "number",
    ),
    (
        "longformer:Limits",
        "Which Longformer tokens get global attention must be chosen manually for each task.",
        "Which Longformer tokens get global attention is not chosen manually for each task.",
        "negation",
    ),
    (
        "bert:Architecture and attention+albert:Architecture and attention",
        "BERT-Large has 340 million parameters, whereas ALBERT-large gets by with 18 million.",
        "BERT-Large has 18 million parameters, whereas ALBERT-large gets by with 340 million.",
        "numbers swapped",
    ),
    (
        "bert:Results+bart:Results",
        "On the SQuAD 1.1 development set, BART-Large (94.6 F1) is stronger than a single BERT-Large model (90.9 F1).",
        "On the SQuAD 1.1 development set, BART-Large (94.6 F1) is weaker than a single BERT-Large model (90.9 F1).",
        "direction",
    ),
)
CHINESE = (
    (
        "bert-wwm.zh:作者与机构",
        "BERT-wwm出自哈工大与科大讯飞联合实验室的崔一鸣、车万翔等研究者之手。",
        "BERT-wwm出自清华大学与百度联合实验室的崔一鸣、车万翔等研究者之手。",
        "name",
    ),
    (
        "bert-wwm.zh:想法",
        "全词掩码的做法是：一个词里只要有一个字被选中，整个词的字都要预测。",
        "全词掩码的做法是：一个词里即使有一个字被选中，整个词的字也不预测。",
        "negation",
    ),
    (
        "bert-wwm.zh:训练数据",
        "该模型先用长度128训练10万步，再用长度512训练10万步。",
        "该模型先用长度128训练20万步，再用长度512训练10万步。",
        "number",
    ),
    (
        "bert-wwm.zh:注意力机制",
        "由于分词只在预训练掩码时起作用，BERT-wwm能够直接取代原先的中文BERT。",
        "由于分词不只在预训练掩码时起作用，BERT-wwm不能直接取代原先的中文BERT。",
        "negation",
    ),
    (
        "bert-wwm.zh:结果",
        "CMRC 2018测试集上BERT-wwm取得87.4的F1，略好于BERT的87.0。",
        "CMRC 2018测试集上BERT-wwm取得89.4的F1，略好于BERT的87.0。",
        "number of another model",
    ),
    (
        "bert-wwm.zh:局限",
        "仅使用全词掩码时，BERT-wwm带来的提升通常不到一个百分点。",
        "仅使用全词掩码时，BERT-wwm带来的提升通常超过三个百分点。",
        "number",
    ),
    (
        "bert-wwm.zh:与其他工作的关系",
        "与ERNIE 1.0不同，BERT-wwm没有遮盖实体，但保留了繁体字，因此更适合处理繁体文本。",
        "与ERNIE 1.0不同，BERT-wwm遮盖实体，也没有保留繁体字，因此更适合处理简体文本。",
        "negation",
    ),
    (
        "ernie.zh:想法",
        "ERNIE 1.0把短语和命名实体作为整体遮盖，让模型必须利用更远的上下文。",
        "RoBERTa把短语和命名实体作为整体遮盖，让模型必须利用更远的上下文。",
        "name",
    ),
    (
        "ernie.zh:注意力机制",
        "ERNIE 1.0沿用BERT-base的结构，没有修改自注意力，仍是12层编码器。",
        "ERNIE 1.0沿用BERT-base的结构，没有修改自注意力，仍是24层编码器。",
        "number",
    ),
    (
        "ernie.zh:训练数据",
        "其语料由中文维基百科、百度百科、百度新闻和百度贴吧组成，总计173M句。",
        "其语料由中文维基百科、百度百科、百度新闻和百度贴吧组成，总计731M句。",
        "number",
    ),
    (
        "ernie.zh:结果",
        "在XNLI测试集上，ERNIE 1.0以78.4的准确率超过BERT的77.2。",
        "在LCQMC测试集上，ERNIE 1.0以78.4的准确率超过BERT的77.2。",
        "data set",
    ),
    (
        "ernie.zh:局限",
        "由于词表里几乎没有繁体字，ERNIE 1.0不适合直接用于繁体文本。",
        "由于词表里几乎全是繁体字，ERNIE 1.0适合直接用于繁体文本。",
        "negation",
    ),
    (
        "ernie.zh:作者与机构",
        "ERNIE 1.0是百度孙宇等人在2019年4月提出的。",
        "ERNIE 1.0是百度孙宇等人在2018年4月提出的。",
        "year",
    ),
    (
        "deepseek-v2.zh:注意力机制",
        "MLA将各注意力头的键和值联合压缩为512维的潜在向量，而不是直接缓存。",
        "MLA将各注意力头的键和值联合压缩为576维的潜在向量，而不是直接缓存。",
        "number of another thing",
    ),
    (
        "deepseek-v2.zh:训练数据",
        "DeepSeek-V2总参数量为236B，每个词元只激活其中的21B。",
        "DeepSeek-V2总参数量为21B，每个词元只激活其中的236B。",
        "numbers swapped",
    ),
    (
        "deepseek-v2.zh:结果",
        "相较DeepSeek 67B，DeepSeek-V2的训练成本降低了42.5%，KV缓存缩减了93.3%。",
        "相较DeepSeek 67B，DeepSeek-V2的训练成本增加了42.5%，KV缓存扩大了93.3%。",
        "direction",
    ),
    (
        "deepseek-v2.zh:局限",
        "93.3%这一数字包含KV缓存量化的贡献，因此不能完全算作MLA的功劳。",
        "93.3%这一数字不包含KV缓存量化的贡献，因此能完全算作MLA的功劳。",
        "negation",
    ),
    (
        "deepseek-v3.zh:训练数据",
        "DeepSeek-V3的预训练使用了14.8T词元，总参数671B，上下文长度128K。",
        "DeepSeek-V3的预训练使用了8.1T词元，总参数671B，上下文长度128K。",
        "number",
    ),
    (
        "deepseek-v3.zh:注意力机制",
        "其前馈层为混合专家结构，含256个路由专家和1个共享专家，每个词元使用其中8个路由专家。",
        "其前馈层为混合专家结构，含8个路由专家和1个共享专家，每个词元使用其中256个路由专家。",
        "numbers swapped",
    ),
    (
        "deepseek-v2.zh:训练数据+deepseek-v3.zh:训练数据",
        "DeepSeek-V3的预训练数据达到14.8T词元，多于DeepSeek-V2的8.1T。",
        "DeepSeek-V2的预训练数据达到14.8T词元，多于DeepSeek-V3的8.1T。",
        "names swapped",
    ),
)


MORE = (  # a second set; the rules for whose a number is were made with it
    (
        "distilbert:Motivation",
        "Instead of compressing a fine-tuned model for one task, DistilBERT applies distillation already in pre-training.",
        "Instead of compressing a model in pre-training, DistilBERT never applies distillation before fine-tuning.",
        "negation",
    ),
    (
        "electra:Results",
        "ELECTRA-Base averages 85.1 on the GLUE development set, compared with 82.2 for BERT-Base.",
        "ELECTRA-Base averages 82.2 on the GLUE development set, compared with 85.1 for BERT-Base.",
        "numbers or names swapped",
    ),
    (
        "longformer:Training data",
        "Longformer is initialised from RoBERTa and extends its position embeddings to 4,096 by copying them eight times.",
        "Longformer is initialised from BERT and extends its position embeddings to 4,096 by copying them eight times.",
        "name",
    ),
    (
        "longformer:Limits",
        "Removing global attention costs Longformer 8.3 points of accuracy on WikiHop.",
        "Removing global attention gains Longformer 8.3 points of accuracy on WikiHop.",
        "direction",
    ),
    (
        "longformer:Results",
        "On the WikiHop test set Longformer-large reached 81.9 accuracy, the best published result at that time.",
        "On the TriviaQA test set Longformer-large reached 81.9 accuracy, the best published result at that time.",
        "data set",
    ),
    (
        "bigbird:Results",
        "BigBird-ETC outperforms Longformer on TriviaQA, with 84.5 F1 versus 77.3.",
        "Longformer outperforms BigBird-ETC on TriviaQA, with 84.5 F1 versus 77.3.",
        "numbers or names swapped",
    ),
    (
        "bigbird:Training data",
        "BigBird starts from RoBERTa's public checkpoint and handles 4,096 tokens, eight times as many as BERT.",
        "BigBird starts from RoBERTa's public checkpoint and handles 4,096 tokens, six times as many as BERT.",
        "number word",
    ),
    (
        "bart:Architecture and attention",
        "The larger BART has 12 layers in both encoder and decoder, and a hidden size of 1024.",
        "The larger BART has 6 layers in both encoder and decoder, and a hidden size of 1024.",
        "number",
    ),
    (
        "albert:Results",
        "On RACE, a single ALBERT model reached 86.5%, while the ensemble reached 89.4%.",
        "On RACE, a single ALBERT model reached 89.4%, while the ensemble reached 86.5%.",
        "numbers or names swapped",
    ),
    (
        "bert:Training data",
        "Training lasted four days per model, using 4 Cloud TPUs for BERT-Base and 16 for BERT-Large.",
        "Training lasted four days per model, using 16 Cloud TPUs for BERT-Base and 4 for BERT-Large.",
        "numbers or names swapped",
    ),
    (
        "deepseek-v3.zh:结果",
        "完整训练DeepSeek-V3共耗费2.788M H800 GPU小时，折合约557.6万美元。",
        "完整训练DeepSeek-V3共耗费2.788M H800 GPU小时，折合约5576万美元。",
        "number",
    ),
    (
        "deepseek-v3.zh:结果",
        "在MMLU上，DeepSeek-V3得分88.5，超过GPT-4o-0513的87.2。",
        "在MMLU上，DeepSeek-V3得分87.2，低于GPT-4o-0513的88.5。",
        "numbers or names swapped",
    ),
    (
        "deepseek-v3.zh:局限",
        "在SWE-bench Verified上，DeepSeek-V3得分42.0，不及Claude 3.5 Sonnet的50.8。",
        "在SWE-bench Verified上，DeepSeek-V3得分50.8，超过Claude 3.5 Sonnet的42.0。",
        "numbers or names swapped",
    ),
    (
        "deepseek-v2.zh:与其他工作的关系",
        "GQA与MLA的目标一致，但前者靠减少头数，后者靠低秩压缩。",
        "GQA与MLA的目标不一致，前者靠增加头数，后者靠低秩压缩。",
        "negation",
    ),
    (
        "ernie.zh:结果",
        "去掉DLM任务后，XNLI测试准确率下降约1.0个百分点。",
        "去掉DLM任务后，XNLI测试准确率上升约1.0个百分点。",
        "direction",
    ),
    (
        "ernie.zh:与其他工作的关系",
        "与BERT-wwm不同，ERNIE 1.0还利用了实体和对话数据。",
        "与BERT-wwm相同，ERNIE 1.0没有利用实体和对话数据。",
        "negation",
    ),
    (
        "bert-wwm.zh:结果",
        "在DRCD测试集上，RoBERTa-wwm-ext以92.0的F1领先于BERT-wwm的89.7。",
        "在CJRC测试集上，RoBERTa-wwm-ext以92.0的F1领先于BERT-wwm的89.7。",
        "data set",
    ),
    (
        "bert-wwm.zh:局限",
        "BERT-wwm与BERT在THUCNews测试集上的准确率都是97.8。",
        "BERT-wwm与BERT在CMRC测试集上的准确率都是97.8。",
        "data set",
    ),
    (
        "deepseek-v2.zh:结果",
        "训练每1T词元，DeepSeek-V2只需172.8K个H800 GPU小时，而DeepSeek 67B需要300.6K个。",
        "训练每1T词元，DeepSeek-V2需要300.6K个H800 GPU小时，而DeepSeek 67B只需172.8K个。",
        "numbers or names swapped",
    ),
    (
        "bert-wwm.zh:作者与机构",
        "中文BERT-wwm由哈尔滨工业大学和科大讯飞的联合实验室完成。",
        "中文BERT-wwm由北京大学和科大讯飞的联合实验室完成。",
        "name",
    ),
)
ACROSS = (  # in the other language than the section
    (
        "bert:Architecture and attention",
        "BERT-Large有24层、16个注意力头，共3.4亿参数。",
        "BERT-Large有12层、16个注意力头，共3.4亿参数。",
    ),
    ("bert:Architecture and attention", "BERT-Base有12层和1.1亿参数。", "BERT-Base有24层和3.4亿参数。"),
    (
        "bert:Results",
        "在GLUE排行榜上，BERT-Large得分80.5，高于GPT的72.8。",
        "在GLUE排行榜上，GPT得分80.5，高于BERT-Large的72.8。",
    ),
    ("bert:Limits", "BERT没有生成文本的自然方式。", "BERT有生成文本的自然方式。"),
    (
        "bart:Architecture and attention",
        "BART-Large的编码器和解码器各有12层，隐藏维度为1024。",
        "BART-Large的编码器和解码器各有6层，隐藏维度为1024。",
    ),
    ("albert:Idea", "ALBERT用句子顺序预测取代了BERT的下一句预测。", "RoBERTa用句子顺序预测取代了BERT的下一句预测。"),
    (
        "ernie.zh:结果",
        "On the XNLI test set, ERNIE 1.0 reaches an accuracy of 78.4, against 77.2 for BERT.",
        "On the XNLI test set, ERNIE 1.0 reaches an accuracy of 77.2, against 78.4 for BERT.",
    ),
    (
        "ernie.zh:注意力机制",
        "ERNIE 1.0 has 12 Transformer encoder layers and 12 attention heads.",
        "ERNIE 1.0 has 24 Transformer encoder layers and 12 attention heads.",
    ),
    (
        "deepseek-v2.zh:训练数据",
        "DeepSeek-V2 has 236B parameters, of which 21B are activated for each token.",
        "DeepSeek-V2 has 21B parameters, of which 236B are activated for each token.",
    ),
    (
        "deepseek-v3.zh:作者与机构",
        "DeepSeek-V3 was released in December 2024 and trained on 2048 H800 GPUs.",
        "DeepSeek-V3 was released in December 2023 and trained on 2048 H800 GPUs.",
    ),
)
INVENTED = (  # about the subject of the section, without a wrong number or name, and not said there
    (
        "bert:Idea",
        "BERT outperforms humans on most reading tasks because masked language modelling mimics how people read.",
    ),
    (
        "bert:Architecture and attention",
        "The attention heads of BERT specialise in syntax, coreference and rare words.",
    ),
    ("bert:Limits", "BERT is expensive to deploy on mobile devices and leaks private training data."),
    ("bert:Training data", "BERT was pre-trained on books and news articles that were filtered for quality by hand."),
    ("albert:Idea", "ALBERT improves translation quality for low-resource languages by sharing weights across tokens."),
    ("albert:Caveats", "Sharing weights makes ALBERT more robust against adversarial examples."),
    ("bart:Limits", "BART suffers from gender bias in its summaries."),
    ("bart:Idea", "The authors conclude that document rotation is the best kind of damage."),
    ("electra:Limits", "ELECTRA is well suited for dialogue systems and has been adopted by several companies."),
    ("longformer:Limits", "Longformer needs twice the memory of a full Transformer on short inputs."),
    ("bert-wwm.zh:想法", "BERT-wwm通过引入知识图谱来增强中文词语的表示能力。"),
    ("bert-wwm.zh:局限", "BERT-wwm在长文本上容易过拟合，需要更大的显存。"),
    ("bert-wwm.zh:训练数据", "BERT-wwm的训练语料经过人工清洗，并去除了重复的新闻文本。"),
    ("ernie.zh:局限", "ERNIE 1.0在多语言翻译任务上的表现优于所有同类模型。"),
    ("ernie.zh:注意力机制", "ERNIE 1.0采用稀疏注意力来降低长序列的计算量。"),
    ("ernie.zh:训练数据", "ERNIE 1.0的语料主要来自英文书籍和社交媒体。"),
    ("deepseek-v2.zh:注意力机制", "MLA通过量化权重提高了推理的准确性，并被多家公司采用。"),
    ("deepseek-v2.zh:想法", "DeepSeek-V2的训练需要大量人工标注数据来保证安全性。"),
    ("deepseek-v3.zh:局限", "DeepSeek-V3在数学推理上容易产生幻觉，因此不适合用于教育。"),
    ("deepseek-v3.zh:想法", "DeepSeek-V3的主要目标是降低能源消耗并支持移动设备。"),
)


def sections(named: str) -> list[str]:
    """Return the texts of the sections that an entry names."""
    return [_section(*one.split(":", maxsplit=1)) for one in named.split("+")]


def _section(note: str, heading: str) -> str:
    text = (_NOTES / f"{note}.md").read_text(encoding="utf-8")
    _, found, rest = text.partition(f"\n## {heading}\n")
    assert found, f"{note} has no section {heading!r}"
    return rest.partition("\n## ")[0].strip()
