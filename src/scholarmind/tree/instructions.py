"""Sentences of a document that give orders to a machine that reads it: text like any other, but they tell nothing of a subject."""

import re

_ADDRESSEE = r"(?:ai|a\.i\.|assistant|chatbot|(?:large )?language model|llm|gpt\S*|model|agent|summari[sz]er)"
_REPLY = r"(?:summary|answer|response|reply|output)"
_BEGINS = (
    r"(?:^|[.!?:;,\"“] ?|\b(?:please|must|should|to|now|and|then) )"  # models ignore instructions: that is no order
)
_ENGLISH = re.compile(
    rf"{_BEGINS}(?:ignore|disregard|forget|override|bypass)\b.{{0,40}}\b(?:instructions?|prompts?|rules|guidelines|everything"
    r"|(?:previous|above|prior)\b.{0,20}(?:text|context)|(?:said|written|told|stated) (?:above|before|earlier|so far))\b"
    r"|\bsummar(?:y|ies) of this\b.{0,40}\b(?:must|should|shall|has to|have to)\b"
    rf"|{_BEGINS}when(?:ever)? (?:you are )?asked\b.{{0,80}}\b(?:always|never|recommend|say|reply|answer)\b"
    r"|\bnew (?:task|role|rules?):"
    rf"|\b(?:you are|you're|act as|pretend to be|imagine you are)\b(?: now)?(?: an?| the)?.{{0,20}}\b{_ADDRESSEE}\b"
    rf"|\b(?:dear|hey|attention|note to|message to|instructions? (?:to|for))\b[ ,:]*(?:the |any |all )?{_ADDRESSEE}\b"
    r"|\b(?:system prompt|as an ai\b|new instructions?:)"
    r"|\b(?:if|when|while|before) you(?: are|'re)? (?:now )?(?:summari[sz]|read(?:ing)? this as)"
    r"|\b(?:include|write|add|put|mention|output|reply|respond|answer|say|print|repeat|state|begin|start)\b.{0,60}"
    rf"\b(?:your|the|this|any) {_REPLY}\b"
    rf"|\b(?:your|this|the) {_REPLY} (?:must|should|shall|has to|needs to) (?:say|state|begin|start|end|contain|include|mention|recommend)"
    r"|\byou must (?:answer|say|reply|respond|output|write)\b"
    r"|^(?:please )?(?:say|answer|reply|respond|output|print) (?:only|exactly|with|that)\b"
    r"|<\|?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[/?INST\]|^\s*(?:system|assistant)\s*:",
    re.IGNORECASE | re.DOTALL,
)
_CHINESE = re.compile(
    r"(?:忽略|无视|忘记|忘掉|不要理会|绕过).{0,15}(?:指令|指示|提示|要求|规则|上文|前文|以上内容)"
    r"|(?:总结|概括|摘要|回答)[^，。]{0,10}时[，,]?.{0,4}(?:请|必须|务必|应当)"
    r"|(?:你(?:现在)?(?:是|扮演)|请扮演|假装).{0,12}(?:AI|助手|助理|语言模型|人工智能|机器人)"
    r"|(?:作为|致|亲爱的)(?:一个|一名|一款|所有)?(?:AI|人工智能|大?语言模型|大模型|智能助手)"
    r"|(?:请|务必|必须|应当|一定要).{0,6}在(?:你的|本|该)?(?:总结|摘要|回答|回复|答案|输出)(?:中|里|开头|结尾)"
    r"|(?:你的)(?:总结|摘要|回答|回复|答案|输出)(?:中|里)?(?:必须|应当|务必|请|要)"
    r"|你(?:必须|只能|应该|要)(?:回答|回复|说|输出)|^请(?:只)?(?:回答|回复|输出)|系统提示",
    re.IGNORECASE,
)


def addresses_machine(sentence: str) -> bool:
    """Tell whether a sentence gives orders to a language model, or calls on one."""
    return bool(_ENGLISH.search(sentence) or _CHINESE.search(sentence))
