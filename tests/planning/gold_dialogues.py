"""Dialogues about papers with what each follow-up must become.

A follow-up must hold the names and words that are given with it; the other names of its dialogue are wrong in it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """What was typed, what it must hold once it stands alone ('' : it must stay as it was typed), and the short answer to it."""

    typed: str
    holds: str = ""
    answer: str = ""


ENGLISH: list[list[Said]] = [
    [
        Said("How many parameters does BERT-Large have?", answer="340 million"),
        Said("And RoBERTa?", "How many parameters | RoBERTa"),
        Said("What about GPT-2?", "How many parameters | GPT-2", "1.5 billion"),
        Said("compare them", "Compare | BERT-Large | RoBERTa | GPT-2"),
    ],
    [
        Said("What F1 does BERT reach on SQuAD 1.1?", answer="93.2"),
        Said("and on SQuAD 2.0?", "F1 | BERT | SQuAD 2.0", "83.1"),
        Said("What about ALBERT?", "F1 | ALBERT | SQuAD 2.0"),
        Said("And its authors?", "ALBERT | authors"),
        Said("no, I meant RoBERTa", "RoBERTa | authors"),
    ],
    [
        Said(
            "Who proposed FlashAttention?",
            answer="Tri Dao, Daniel Y. Fu, Stefano Ermon, Atri Rudra and Christopher Ré",
        ),
        Said("How fast is it?", "How fast | FlashAttention"),
        Said("why?", "How fast | FlashAttention | why"),
        Said("What is masked language modelling and why is it useful?"),
    ],
    [
        Said("Which datasets was RoBERTa trained on?", answer="BooksCorpus, CC-News, OpenWebText and Stories"),
        Said("How large are they?", "How large | BooksCorpus | CC-News | OpenWebText | Stories"),
        Said("the second one?", "How large | CC-News"),
        Said("And who collected it?", "Who collected | CC-News"),
    ],
    [
        Said("Compare BERT and GPT-2 on GLUE.", answer="BERT is ahead."),
        Said("and on SQuAD?", "Compare | BERT | GPT-2 | SQuAD"),
        Said("Who proposed the latter?", "Who proposed | GPT-2", "Alec Radford and Jeffrey Wu"),
        Said("And the former?", "Who proposed | BERT"),
        Said("in Chinese?"),
    ],
    [
        Said("Which papers on efficient attention were published at ICLR 2020?", answer="Reformer"),
        Said("the same for ACL 2020", "papers on efficient attention | published | ACL | 2020"),
        Said("and in 2021?", "papers on efficient attention | published | ACL | 2021"),
        Said("What are the limitations of Linformer?"),
    ],
    [
        Said("What is sparse attention?"),
        Said("What is its complexity?", "complexity | sparse attention", "O(n log n)"),
        Said("And linear attention?", "complexity | linear attention"),
        Said("How do they differ?", "differ | sparse attention | linear attention"),
    ],
    [
        Said(
            "Which model reached the best GLUE score in 2019?", answer="ALBERT reached the best GLUE score [Lan, 2020]."
        ),
        Said("How large is it?", "How large | ALBERT"),
        Said("Who are the authors?", "ALBERT | authors", "Zhenzhong Lan, Mingda Chen and Sebastian Goodman"),
        Said("Where did they work?", "Where | work | Zhenzhong Lan | Mingda Chen | Sebastian Goodman"),
        Said("And how many layers does it have?", "How many layers | ALBERT"),
    ],
    [
        Said("How does retrieval-augmented generation work?"),
        Said("What are the limitations?", "limitations | retrieval-augmented generation"),
        Said("Does it help on TriviaQA?", "help | retrieval-augmented generation | TriviaQA"),
        Said("And on Natural Questions?", "help | retrieval-augmented generation | Natural Questions"),
        Said("How does REALM differ from it?", "REALM | differ | retrieval-augmented generation"),
    ],
    [
        Said("Why is Longformer faster than the Transformer?"),
        Said("And BigBird?", "Why | faster | BigBird | Transformer"),
        Said("What context length does it support?", "context length | BigBird", "4096 tokens"),
        Said("and its training data?", "training data | BigBird"),
        Said("Which of these models is the oldest?", "oldest | BigBird | Transformer | Longformer"),
    ],
]

CHINESE: list[list[Said]] = [
    [
        Said("BERT有多少参数？", answer="3.4亿"),
        Said("那RoBERTa呢？", "RoBERTa | 多少参数"),
        Said("它们呢？", "BERT | RoBERTa | 多少参数"),
        Said("比较一下", "比较 | BERT | RoBERTa"),
    ],
    [
        Said("BERT在SQuAD 1.1上的F1是多少？", answer="93.2"),
        Said("那在SQuAD 2.0上呢？", "BERT | SQuAD 2.0 | F1"),
        Said("为什么？", "BERT | SQuAD 2.0 | F1 | 为什么"),
        Said("它的作者是谁？", "BERT | 作者"),
        Said("GPT-2呢？", "GPT-2 | 作者"),
    ],
    [
        Said("哪个模型在CMRC 2018上表现最好？", answer="RoBERTa-wwm-ext"),
        Said("它有多大？", "RoBERTa-wwm-ext | 多大"),
        Said("训练数据是什么？", "RoBERTa-wwm-ext | 训练数据"),
        Said("什么是全词掩码？"),
    ],
    [
        Said("比较BERT和GPT-2在GLUE上的表现"),
        Said("那RoBERTa呢？", "比较 | BERT | GPT-2 | RoBERTa | GLUE"),
        Said("前者是谁提出的？", "BERT | 谁提出"),
        Said("不，我是说ELECTRA", "ELECTRA | 谁提出"),
    ],
    [
        Said("什么是线性注意力？"),
        Said("是谁提出的？", "线性注意力 | 谁提出"),
        Said("有哪些局限？", "线性注意力 | 局限"),
        Said("稀疏注意力呢？", "稀疏注意力 | 局限"),
        Said("它们有什么区别？", "线性注意力 | 稀疏注意力 | 区别"),
    ],
    [
        Said("DeepSeek-V3是谁提出的？", answer="DeepSeek-AI"),
        Said("它用了哪些训练数据？", "DeepSeek-V3 | 训练数据", "14.8T高质量词元"),
        Said("DeepSeek-V2呢？", "DeepSeek-V2 | 训练数据"),
        Said("这两个模型的参数量是多少？", "DeepSeek-V3 | DeepSeek-V2 | 参数量"),
        Said("用英文回答"),
    ],
    [
        Said("2020年ICLR上有哪些关于高效注意力的论文？", answer="Reformer"),
        Said("那ACL呢？", "2020 | ACL | 高效注意力的论文"),
        Said("2021年呢？", "2021 | ACL | 高效注意力的论文"),
    ],
    [
        Said("RoBERTa用了哪些数据集？", answer="BooksCorpus、CC-News和OpenWebText"),
        Said("这些数据集有多大？", "BooksCorpus | CC-News | OpenWebText | 多大"),
        Said("第二个呢？", "CC-News | 多大"),
        Said("该数据集由谁收集？", "CC-News | 谁收集"),
    ],
    [
        Said("FlashAttention-2比FlashAttention快多少？", answer="约2倍"),
        Said("为什么？", "FlashAttention-2 | FlashAttention | 快多少 | 为什么"),
        Said("后者是什么时候发表的？", "FlashAttention | 什么时候 | 发表"),
        Said("它支持多长的上下文？", "FlashAttention | 上下文"),
    ],
    [
        Said("BERT-wwm是谁提出的？", answer="崔一鸣、车万翔、刘挺"),
        Said("他们来自哪个机构？", "崔一鸣 | 车万翔 | 刘挺 | 机构"),
        Said("它和ERNIE有什么不同？", "BERT-wwm | ERNIE | 不同"),
        Said("在CMRC 2018上呢？", "BERT-wwm | ERNIE | 不同 | CMRC 2018"),
        Said("BERT-wwm的词表有多大，它用的是什么分词工具？"),
    ],
]

# after a turn about BERT on SQuAD, none of these may change
STAND_ALONE: list[str] = [
    "What is BERT?",
    "What is BERT and who wrote it?",
    "Who proposed ELECTRA?",
    "And who proposed the Transformer architecture?",
    "How does GPT-3 perform on LAMBADA compared with its predecessor?",
    "Is it possible to train GPT-3 on one GPU?",
    "What are the advantages of mixture-of-experts models?",
    "Compare T5 and BART on XSum.",
    "Which datasets were used to train CLIP, and how large are they?",
    "Why do transformers need positional encodings in their inputs?",
    "What is perplexity?",
    "What is the complexity of self-attention?",
    "How is accuracy measured on ImageNet?",
    "Does LoRA reduce the memory that it takes to fine-tune GPT-3?",
    "Summarise the recent work on long-context models.",
    "What do the authors of Reformer say about their hashing scheme?",
    "Can a language model be distilled if it is very large?",
    "Which of Mamba and RWKV is faster?",
    "How many papers in this library are about distillation?",
    "什么是BERT？",
    "ELECTRA是谁提出的？",
    "什么是注意力机制？它有什么作用？",
    "比较T5和BART在XSum上的表现。",
    "FlashAttention如何提高其速度？",
    "有哪些高效注意力方法？",
    "如何训练大语言模型？",
    "DeepSeek-V3和Mixtral相比有什么优势？",
    "谁提出了旋转位置编码？",
    "2020年以来混合专家模型有哪些进展？",
    "其中一种方法是LoRA，LoRA的原理是什么？",
]
