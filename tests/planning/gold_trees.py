"""Nested questions with the trees that they are: each part by its text and, where it puts parts of its own together, its role and those.

`#N` is the answer of the part with that number; parts are numbered from the top, a part before its own parts.
"""

from typing import TypeAlias

Tree: TypeAlias = "str | tuple[str, str, list[Tree]]"

TREES: list[tuple[str, list[Tree]]] = [
    (
        "Compare how BERT and GPT-2 are pre-trained and how they are evaluated, and explain what RoBERTa changed and why.",
        [
            (
                "Compare how BERT and GPT-2 are pre-trained and how they are evaluated.",
                "compare",
                [
                    "How BERT is pre-trained",
                    "How GPT-2 is pre-trained",
                    "How BERT is evaluated?",
                    "How GPT-2 is evaluated?",
                ],
            ),
            "Explain what RoBERTa changed and why.",
        ],
    ),
    (
        "What are the causes and the remedies of hallucination in LLMs, and how do RAG and fine-tuning compare in cost and accuracy?",
        [
            (
                "What are the causes and the remedies of hallucination in LLMs?",
                "conclude",
                ["What are the causes of hallucination in LLMs?", "What are the remedies of hallucination in LLMs?"],
            ),
            (
                "How do RAG and fine-tuning compare in cost and accuracy?",
                "compare",
                ["RAG in cost", "Fine-tuning in cost", "RAG in accuracy", "Fine-tuning in accuracy"],
            ),
        ],
    ),
    (
        "Who proposed the Transformer, and how do LSTM and GRU differ in gating and speed?",
        [
            "Who proposed the Transformer?",
            (
                "How do LSTM and GRU differ in gating and speed?",
                "compare",
                ["LSTM in gating", "GRU in gating", "LSTM in speed", "GRU in speed"],
            ),
        ],
    ),
    (
        "Compare BERT and GPT-2 in depth and data; then compare ViT and Swin in accuracy and speed.",
        [
            (
                "Compare BERT and GPT-2 in depth and data.",
                "compare",
                ["BERT in depth", "GPT-2 in depth", "BERT in data", "GPT-2 in data"],
            ),
            (
                "Compare ViT and Swin in accuracy and speed.",
                "compare",
                ["ViT in accuracy", "Swin in accuracy", "ViT in speed", "Swin in speed"],
            ),
        ],
    ),
    (
        "Which model won the GLUE benchmark in 2019, and what are its training data and limitations?",
        [
            "Which model won the GLUE benchmark in 2019?",
            (
                "What are #1's training data and limitations?",
                "conclude",
                ["What are the training data of #1?", "What are the limitations of #1?"],
            ),
        ],
    ),
    (
        "What dataset did CLIP use? What is the size of it? How do ViT and ResNet compare on ImageNet?",
        [
            "What dataset did CLIP use?",
            "What is the size of #1?",
            ("How do ViT and ResNet compare on ImageNet?", "compare", ["ViT on ImageNet", "ResNet on ImageNet"]),
        ],
    ),
    (
        "Explain the causes, key events and consequences of the replication crisis, and compare preregistration and registered reports.",
        [
            (
                "Explain the causes, key events and consequences of the replication crisis.",
                "conclude",
                [
                    "Explain the causes of the replication crisis.",
                    "Explain the key events of the replication crisis.",
                    "Explain the consequences of the replication crisis.",
                ],
            ),
            (
                "Compare preregistration and registered reports.",
                "compare",
                ["What is preregistration?", "What are registered reports?"],
            ),
        ],
    ),
    (
        "What is the difference between ColBERT and SPLADE? Which datasets are in BEIR? Who built MTEB?",
        [
            ("What is the difference between ColBERT and SPLADE?", "compare", ["What is ColBERT?", "What is SPLADE?"]),
            "Which datasets are in BEIR?",
            "Who built MTEB?",
        ],
    ),
    (
        "List the methods and the datasets of Mamba. List the limitations and the costs of RWKV.",
        [
            (
                "List the methods and the datasets of Mamba.",
                "conclude",
                ["List the methods of Mamba.", "List the datasets of Mamba."],
            ),
            (
                "List the limitations and the costs of RWKV.",
                "conclude",
                ["List the limitations of RWKV.", "List the costs of RWKV."],
            ),
        ],
    ),
    (
        "How does chunk size affect recall in RAG, and how do BM25 and DPR differ in latency?",
        [
            "What is chunk size in RAG?",
            "What is recall in RAG?",
            "How does chunk size affect recall in RAG?",
            ("How do BM25 and DPR differ in latency?", "compare", ["BM25 in latency", "DPR in latency"]),
        ],
    ),
    (
        "Is T5 or BART better for summarization, and what datasets were used to train PEGASUS?",
        [
            (
                "Is T5 or BART better for summarization?",
                "compare",
                ["How good is T5 for summarization?", "How good is BART for summarization?"],
            ),
            "What datasets were used to train PEGASUS?",
        ],
    ),
    (
        "What are the advantages of Mamba over Transformer? What are the limitations and the costs of state space models?",
        [
            (
                "What are the advantages of Mamba over Transformer?",
                "compare",
                ["What is Mamba?", "What is Transformer?"],
            ),
            (
                "What are the limitations and the costs of state space models?",
                "conclude",
                ["What are the limitations of state space models?", "What are the costs of state space models?"],
            ),
        ],
    ),
    (
        "Who wrote the first paper on dropout? Compare BatchNorm and LayerNorm in stability. Overall, what can be concluded?",
        [
            "What is the first paper on dropout?",
            "Who wrote #1?",
            (
                "Compare BatchNorm and LayerNorm in stability.",
                "compare",
                ["BatchNorm in stability", "LayerNorm in stability"],
            ),
            ("Overall, what can be concluded?", "conclude", []),
        ],
    ),
    (
        "Which dataset did the authors of SQuAD build, and how do BERT and XLNet compare on it?",
        [
            "Who are the authors of SQuAD?",
            "Which dataset did #1 build?",
            ("How do BERT and XLNet compare on #2?", "compare", ["BERT on #2", "XLNet on #2"]),
        ],
    ),
    (
        "比较BERT和GPT-2的预训练目标与评测方法，并说明RoBERTa改变了什么。",
        [
            (
                "比较BERT和GPT-2的预训练目标与评测方法。",
                "compare",
                ["BERT的预训练目标", "GPT-2的预训练目标", "BERT的评测方法", "GPT-2的评测方法"],
            ),
            "说明RoBERTa改变了什么。",
        ],
    ),
    (
        "幻觉的成因和对策是什么？RAG与微调在成本上有什么区别？",
        [
            ("幻觉的成因和对策是什么？", "conclude", ["幻觉的成因是什么？", "幻觉的对策是什么？"]),
            ("RAG与微调在成本上有什么区别？", "compare", ["RAG的成本", "微调的成本"]),
        ],
    ),
    (
        "谁提出了Transformer？LSTM和GRU的区别是什么？",
        ["谁提出了Transformer？", ("LSTM和GRU的区别是什么？", "compare", ["LSTM是什么？", "GRU是什么？"])],
    ),
    (
        "对比稠密检索和稀疏检索的召回率与延迟；列出BEIR包含的数据集。",
        [
            (
                "对比稠密检索和稀疏检索的召回率与延迟。",
                "compare",
                ["稠密检索的召回率", "稀疏检索的召回率", "稠密检索的延迟", "稀疏检索的延迟"],
            ),
            "列出BEIR包含的数据集。",
        ],
    ),
    (
        "哪个模型赢得了2019年的GLUE，它的训练数据和局限是什么？",
        [
            "哪个模型赢得了2019年的GLUE？",
            ("#1 的训练数据和局限是什么？", "conclude", ["#1 的训练数据是什么？", "#1 的局限是什么？"]),
        ],
    ),
    (
        "比较ViT和Swin的精度；比较Adam和SGD的收敛速度。",
        [
            ("比较ViT和Swin的精度。", "compare", ["ViT的精度", "Swin的精度"]),
            ("比较Adam和SGD的收敛速度。", "compare", ["Adam的收敛速度", "SGD的收敛速度"]),
        ],
    ),
]

# What only looks nested: its clauses ask of the same things, or its steps hang on each other one by one
FLAT: list[str] = [
    "Compare machine learning and deep learning, and explain their applications in computer vision",
    "Compare BERT and GPT-2 on GLUE, explain their attention mechanisms, and who proposed each?",
    "Which datasets were used to train CLIP and ALIGN, and how large are they?",
    "What dataset did BERT use? What is the size of it?",
    "How do chunking strategies affect reranking in RAG?",
    "Explain the causes, key events, and consequences of World War II",
    "CLIP和ALIGN使用了哪些数据集，它们的规模有多大？",
    "比较机器学习和深度学习，并解释它们在计算机视觉中的应用",
]
