"""Thirty more dialogues, written in tens after the rules were thought to be done; the rules have been mended since.

At first sight 16 of 33, 17 of 33 and 19 of 30 follow-ups became what they should; of ten that came after these, 19 of 30.
"""

from gold_dialogues import Said

FIRST: list[list[Said]] = [
    [
        Said("What is the main idea of ELECTRA?", answer="replaced token detection"),
        Said("How does it differ from BERT?", "ELECTRA | differ | BERT"),
        Said("Which one needs less compute?", "less compute | ELECTRA | BERT"),
        Said("By how much?", "less compute | ELECTRA | BERT | how much"),
        Said("And on GLUE, which is better?", "GLUE | better | ELECTRA | BERT"),
    ],
    [
        Said("How does LoRA reduce the number of trainable parameters?"),
        Said("What rank do the authors use?", "rank | authors | LoRA"),
        Said("Does it slow down inference?", "LoRA | slow down inference"),
        Said("What about adapters?", "adapters | slow down inference"),
    ],
    [
        Said("Which paper introduced rotary position embeddings?", answer="RoFormer"),
        Said("Who wrote it?", "wrote | RoFormer", "Jianlin Su, Yu Lu and Shengfeng Pan"),
        Said("Are they from a university?", "university | Jianlin Su | Yu Lu | Shengfeng Pan"),
        Said("When was the paper published?", "published | RoFormer"),
    ],
    [
        Said("What perplexity does Transformer-XL reach on WikiText-103?", answer="18.3"),
        Said("And on enwik8?", "perplexity | Transformer-XL | enwik8"),
        Said("What about the Reformer there?", "perplexity | Reformer | enwik8"),
        Said("Actually, I meant Linformer.", "perplexity | Linformer | enwik8"),
        Said("How much memory does it need compared with the first one?", "memory | Linformer | Transformer-XL"),
    ],
    [
        Said("How does Mixtral choose its experts?"),
        Said("How many are there?", "How many | experts | Mixtral", "8"),
        Said("And in Switch Transformer?", "How many | experts | Switch Transformer"),
        Said("What are the training costs of both?", "training costs | Mixtral | Switch Transformer"),
    ],
    [
        Said("FlashAttention的主要思想是什么？"),
        Said("它为什么能省显存？", "FlashAttention | 为什么 | 省显存"),
        Said("第二代有哪些改进？", "FlashAttention | 第二代 | 改进"),
        Said("第三代呢？", "FlashAttention | 第三代 | 改进"),
    ],
    [
        Said("ERNIE和BERT-wwm在掩码策略上有什么不同？"),
        Said("哪个在XNLI上更好？", "ERNIE | BERT-wwm | XNLI | 更好"),
        Said("LCQMC呢？", "ERNIE | BERT-wwm | LCQMC | 更好"),
        Said("前者用了多少训练数据？", "ERNIE | 多少训练数据"),
    ],
    [
        Said("哪些论文研究了长文本建模？", answer="Longformer、BigBird和Reformer"),
        Said("它们的复杂度分别是多少？", "Longformer | BigBird | Reformer | 复杂度"),
        Said("第一篇的作者是谁？", "Longformer | 作者", "Iz Beltagy、Matthew Peters和Arman Cohan"),
        Said("他们还写过什么？", "Iz Beltagy | Matthew Peters | Arman Cohan | 写过"),
    ],
    [
        Said("DeepSeek-V2的MLA是怎么工作的？"),
        Said("相比GQA有什么优势？", "MLA | GQA | 优势"),
        Said("能节省多少显存？", "MLA | 节省多少显存"),
        Said("DeepSeek-V3也用了吗？", "DeepSeek-V3 | MLA | 用"),
    ],
    [
        Said("RoFormer是哪一年提出的？", answer="2021年"),
        Said("作者有哪些？", "RoFormer | 作者", "苏剑林等"),
        Said("在中文任务上表现怎么样？", "RoFormer | 中文任务 | 表现"),
        Said("和BERT比呢？", "RoFormer | BERT | 中文任务"),
        Said("那它的英文版呢？", "RoFormer | 英文版"),
    ],
]
SECOND: list[list[Said]] = [
    [
        Said("What accuracy does ViT-L/16 reach on ImageNet?", answer="87.8%"),
        Said("And CLIP?", "accuracy | CLIP | ImageNet"),
        Said("How was it trained?", "trained | CLIP"),
        Said("How many image-text pairs?", "image-text pairs | CLIP"),
        Said("What about robustness to distribution shift?", "robustness to distribution shift | CLIP"),
    ],
    [
        Said("Summarise the ablation study of DeBERTa."),
        Said("Which component matters most?", "component | matters most | DeBERTa"),
        Said("Is that also the case for XLNet?", "XLNet | matters most"),
    ],
    [
        Said("Who are the authors of the T5 paper?", answer="Colin Raffel, Noam Shazeer and Adam Roberts"),
        Said(
            "Which of them also worked on the Transformer?", "Colin Raffel | Noam Shazeer | Adam Roberts | Transformer"
        ),
        Said("What corpus did they build?", "corpus | build | Colin Raffel | Noam Shazeer | Adam Roberts", "C4"),
        Said("How large is this corpus?", "How large | C4"),
    ],
    [
        Said("What are state-space models?"),
        Said("Why are they faster than attention?", "state-space models | faster than attention"),
        Said("Which papers introduced them?", "papers | introduced | state-space models", "Mamba and Mamba-2"),
        Said("What is the difference between the two?", "difference | Mamba | Mamba-2"),
    ],
    [
        Said("Does Linformer lose accuracy compared with RoBERTa?"),
        Said("Why?", "Linformer | lose accuracy | RoBERTa | why"),
        Said("And Performer?", "Performer | lose accuracy | RoBERTa"),
        Said("On which tasks?", "Performer | lose accuracy | RoBERTa | which tasks"),
        Said("What do the authors recommend instead?", "authors | Performer | recommend"),
    ],
    [
        Said("Mixtral有多少个专家？", answer="8个"),
        Said("每次激活几个？", "Mixtral | 每次激活几个"),
        Said("Switch Transformer呢？", "Switch Transformer | 每次激活几个"),
        Said("这两个模型的训练成本分别是多少？", "Mixtral | Switch Transformer | 训练成本"),
    ],
    [
        Said("哪些数据集用来评测CLIP？", answer="ImageNet、CIFAR-100和Food101"),
        Said("最大的是哪个？", "ImageNet | CIFAR-100 | Food101 | 最大"),
        Said("CLIP在上面的准确率是多少？", "CLIP | 准确率"),
        Said("ViT呢？", "ViT | 准确率"),
    ],
    [
        Said("请总结一下原生稀疏注意力（NSA）的贡献。"),
        Said("它的加速比是多少？", "NSA | 加速比"),
        Said("硬件上有什么要求？", "NSA | 硬件 | 要求"),
        Said("为什么比全注意力快？", "NSA | 比全注意力快"),
    ],
    [
        Said("GPT-3和LLaMA谁的参数更多？", answer="GPT-3"),
        Said("训练数据呢？", "GPT-3 | LLaMA | 训练数据"),
        Said("后者是开源的吗？", "LLaMA | 开源"),
        Said("什么时候发布的？", "LLaMA | 什么时候发布"),
        Said("对不起，我问的是GPT-2", "GPT-2 | 什么时候发布"),
    ],
    [
        Said("DPR是怎么训练检索器的？"),
        Said("用了多少负样本？", "DPR | 多少负样本"),
        Said("REALM有什么不一样？", "REALM | DPR | 不一样"),
        Said("它们都在Natural Questions上评测过吗？", "DPR | REALM | Natural Questions | 评测"),
        Said("结果如何？", "DPR | REALM | Natural Questions | 结果"),
    ],
]
THIRD: list[list[Said]] = [
    [
        Said("What BLEU score does the Transformer reach on WMT14 English-German?", answer="28.4"),
        Said("and English-French?", "BLEU | Transformer | English-French"),
        Said("How long was it trained?", "How long | Transformer | trained"),
        Said("On what hardware?", "How long | Transformer | trained | hardware"),
    ],
    [
        Said("Compare Longformer and BigBird."),
        Said("Which of them uses random attention?", "Longformer | BigBird | random attention", "BigBird"),
        Said("Why does it need that?", "BigBird | need"),
        Said("And the other one?", "Longformer"),
    ],
    [
        Said("Who proposed grouped-query attention?", answer="Joshua Ainslie and James Lee-Thorp"),
        Said("What problem does it solve?", "problem | grouped-query attention"),
        Said("Which models use it?", "models | use | grouped-query attention", "LLaMA and Mixtral"),
        Said("Are they open?", "LLaMA | Mixtral | open"),
    ],
    [
        Said("How well does DPR do on Natural Questions?"),
        Said("And REALM?", "REALM | Natural Questions"),
        Said("What explains the gap?", "gap | DPR | REALM"),
        Said("Which retriever does RAG use?"),
    ],
    [
        Said("What is the vocabulary size of GPT-2?", answer="50,257"),
        Said("What tokenizer is used?", "tokenizer | GPT-2", "byte-level BPE"),
        Said("How does it work?", "How | work | byte-level BPE"),
    ],
    [
        Said("XLNet的预训练目标是什么？", answer="排列语言建模"),
        Said("它和掩码语言模型有什么区别？", "XLNet | 掩码语言模型 | 区别"),
        Said("训练用了多少数据？", "XLNet | 训练用了多少数据"),
        Said("RoBERTa呢？", "RoBERTa | 训练用了多少数据"),
    ],
    [
        Said("Mamba比Transformer快多少？"),
        Said("原因是什么？", "Mamba | Transformer | 快 | 原因"),
        Said("它的第二个版本有什么变化？", "Mamba | 第二个版本 | 变化"),
        Said("谁写的？", "Mamba | 谁写"),
    ],
    [
        Said("哪篇论文提出了低秩适配？", answer="LoRA"),
        Said("这篇论文的作者是谁？", "LoRA | 作者"),
        Said("它在GPT-3上的效果如何？", "LoRA | GPT-3 | 效果"),
        Said("在RoBERTa上呢？", "LoRA | RoBERTa | 效果"),
    ],
    [
        Said("T5和BART有什么共同点？"),
        Said("它们分别用了什么训练目标？", "T5 | BART | 训练目标"),
        Said("哪一个在摘要任务上更强？", "T5 | BART | 摘要任务 | 更强"),
        Said("翻译任务呢？", "T5 | BART | 翻译任务 | 更强"),
    ],
    [
        Said("What is DeepSeek-V3?"),
        Said("它有多少参数？", "DeepSeek-V3 | 多少参数", "671B"),
        Said("其中激活多少？", "DeepSeek-V3 | 激活多少"),
        Said("how does it compare to LLaMA?", "DeepSeek-V3 | compare | LLaMA"),
    ],
]
