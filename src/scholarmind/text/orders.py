"""Sentences of a document that give orders to a machine that reads it: text like any other, but they tell nothing of a subject.

A sentence on such matters ("language models ignore instructions in long prompts") is none: an order begins a sentence or a clause, or
names the reply that is asked for.
"""

import re

_ADDRESSEE = r"(?:ai|a\.i\.|assistant|chatbot|(?:large )?language model|llm|gpt\S*|model|agent|summari[sz]er)"
_REPLY = r"(?:summary|answer|response|reply|output)"
_BEGINS_ANEW = r"(?:(?<![^.!?:;\"“])|(?<=[.!?:;\"“] )|(?<=\bplease ))"
_BEGINS = (
    rf"(?:{_BEGINS_ANEW}|(?<=,)|(?<=, )|(?<=\bmust )|(?<=\bshould )|(?<=\bto )|(?<=\bnow )|(?<=\band )|(?<=\bthen ))"
)
_IGNORE = r"(?:ignore|disregard|forget|override|bypass)"
_SAY = r"(?:include|write|add|put|mention|output|reply|respond|answer|say|print|repeat|state|begin|start)"
_ENGLISH = re.compile(
    rf"\b(?:(?={_IGNORE}\b){_BEGINS}{_IGNORE}\b.{{0,40}}\b(?:instructions?|prompts?|rules|guidelines|everything"
    r"|(?:previous|above|prior)\b.{0,20}(?:text|context)|(?:said|written|told|stated) (?:above|before|earlier|so far))\b"
    rf"|(?={_IGNORE}\b){_BEGINS_ANEW}{_IGNORE} (?:the|this|any|every|all|my|your)\b.{{0,20}}\bquestions?\b"
    rf"|(?={_IGNORE}\b){_BEGINS_ANEW}{_IGNORE} (?:(?:all|everything) )?(?:of )?(?:the |what is )?(?:above|previous|foregoing)[.!,;:]"
    r"|summar(?:y|ies) of this\b.{0,40}\b(?:must|should|shall|has to|have to)\b"
    rf"|(?=when){_BEGINS}when(?:ever)? (?:you are )?asked\b.{{0,80}}\b(?:always|never|recommend|say|reply|answer)\b"
    r"|new (?:task|role|rules?|instructions?):|system prompt|as an ai\b"
    rf"|(?:you are|you're|act as|pretend to be|imagine you are)\b(?: now)?(?: an?| the)?.{{0,20}}\b{_ADDRESSEE}\b"
    rf"|(?:dear|hey|attention|note to|message to|instructions? (?:to|for))\b[ ,:]*(?:the |any |all )?{_ADDRESSEE}\b"
    rf"|{_ADDRESSEE} must (?:only |always )?(?:answer|say|reply|respond|write|state|ignore)\b"
    r"|(?:if|when|while|before) you(?: are|'re)? (?:now )?(?:summari[sz]|read(?:ing)? this as)"
    rf"|{_SAY}\b.{{0,60}}\byour {_REPLY}\b"
    rf"|(?={_SAY}\b){_BEGINS_ANEW}{_SAY}\b.{{0,60}}\b(?:the|this|any) {_REPLY}\b"
    rf"|(?:your|this|the) {_REPLY} (?:must|should|shall|has to|needs to) (?:say|state|begin|start|end|contain|include|mention|recommend)"
    r"|you must (?:answer|say|reply|respond|output|write)\b"
    rf"|(?={_SAY}\b){_BEGINS_ANEW}{_SAY} (?:only|exactly|with|that|the (?:words?|following|sentence))\b)"
    r"|<\|?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[/?inst\]|^\s*(?:system|assistant)\s*:",
    re.DOTALL,
)
_CHINESE = re.compile(
    r"(?:忽略|无视|忘记|忘掉|不要理会|不要遵循|绕过)(?!了).{0,15}(?:指令|指示|提示|要求|规则|上文|前文|以上内容)"
    r"|(?:^|请|[，。！；：])(?:忽略|无视|忘记|忘掉|不要理会|不要遵循)(?!了).{0,20}(?:问题|内容|以上|之前)"
    r"|(?:总结|概括|摘要|回答)[^，。]{0,10}时[，,]?.{0,4}(?:请|必须|务必|应当)"
    r"|(?:你(?:现在)?(?:是|扮演)|请扮演|假装).{0,12}(?:ai|助手|助理|语言模型|人工智能|机器人)"
    r"|(?:作为|致|亲爱的)(?:一个|一名|一款|所有)?(?:ai|人工智能|大?语言模型|大模型|智能助手)"
    r"|(?:请|务必|必须|应当|一定要).{0,6}在(?:你的|本|该)?(?:总结|摘要|回答|回复|答案|输出)(?:中|里|开头|结尾)"
    r"|(?:你的)(?:总结|摘要|回答|回复|答案|输出)(?:中|里)?(?:必须|应当|务必|请|要)"
    r"|你(?:必须|只能|应该|要)(?:回答|回复|说|输出)|(?:^|[，。！；：])请(?:只|直接)?(?:回答|回复|输出)|系统提示",
)


def is_order(text: str) -> bool:
    """Tell whether a text gives orders to a language model that reads it, or calls on one."""
    small = text.lower()  # the patterns are in small letters: that takes half as long as not to mind
    return bool(_ENGLISH.search(small) or (not small.isascii() and _CHINESE.search(small)))
