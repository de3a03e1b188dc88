"""Texts to work on: what a user asks to be translated, corrected, rewritten, summed up or written is in somebody's words.

The text stands in the request itself or is announced and comes with the next message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from zhiji.extract.fold import fold
from zhiji.types import Message

_TRANSFORM: Final = re.compile(
    r"(?:压缩|精简|缩短|浓缩|简化|优化|美化|纠正|纠错|改错|找错|挑错|挑毛病|断句|批改|点评|打分|评分|改短|改长|改通顺|加标点|标点|标拼音|注音|分词|缩减|扩充|改写|转写|重写)[^,。!?\n:我]{0,12}[:\n](?![/\d])|(?:这|那|下面|以下|简历|文案|自我介绍|求职信|摘要|论文)[^,。!?\n]{0,4}[段句篇封份]?[^,。!?\n]{0,3}(?:压缩|精简|缩短|浓缩|简化|美化|润|改短|改通顺)|[这那呢下][一两几]?[句段篇][^,。!?\n:我]{0,10}:|翻下|译[做作]|(?:用|以|拿)[^,。!?\n]{0,5}(?:文|语|话|体|腔|言|口吻|语气|风格)(?:来|怎么?|点样?|咋)?(?:说|讲|写|表达|复述|描述)(?!话)|"
    r"翻译|[英中日法德韩俄汉]译[英中日法德韩俄汉]|翻[成译为作做]|翻一下|翻个|译成|译为|译一下|(?<=[这那])段?译|润色|病句|改错|病句|语法|造句|改写|续写|仿写|扩写|缩写|校对|概括|归纳|总结(?:一下)?(?:这|下|以|如)|听写|填空|选择题|应用题|"
    r"阅读理解|朗读|什么意思|这句话|这段(?:话|文字|代码|日志)|下面(?:这|的|是)|以下(?:内容|文字|句子|是|这)|错别字|(?:呢|这|那|以下|下面)(?:一)?[段句篇封](?:英文|英语|中文|日文|作文|邮件|email|文章|法文|韩文|功课)|(?:改|睇|看|执|检查|查|修|修改|顺|润|读|译|校|批)(?:一?下|下|正|顺|好|埋|靓)*(?:呢|这|那|下面|以下|我)?(?:一)?[段句篇封](?!时间|路|日子|感情|经历|视频|关系)|(?:改|睇|检查|修改|执|批)(?:一?下|下|正|顺|好|埋|靓)*[^,。!?\n:]{0,6}(?:英文|英语|作文|文章|句子|文法|中文|日文|grammar|essay|email|作业|功课)[^,。!?\n:]{0,6}:|帮我(?:改|看)(?:一?下|下)?(?:这|下面|作文|句子)|"
    r"(?:^|[.!?,\n]\s{0,3})(?:(?:pls|please|plz|can you|could you|kindly) )*(?:shorten|correct|rewrite|reword|rephrase|polish|proofread|edit|condense|simplify|expand|tidy|improve|fix|trim|tighten|formali[sz]e|paraphrase|summari[sz]e|punctuate|check)(?: (?:this|it|that|pls|please|plz|up|for me|(?:my|the) (?!address|name|order|e-?mail|phone|number|account|details|booking|profile|record|delivery|info|fact|spelling of)\w+|\w+ing|(?:q|no\.? ?|ex\.? ?|#|(?:question|exercise|sentence|line|item|part|para|paragraph|number|answer) )?\d{1,3}[a-z]?))*\s*(?:[:\"\n]|-+ )|\b(?:does|do|is|are) (?:this|these|it|my \w+) (?:read|sound|look|flow|scan|make sense|ok|okay|correct|right|grammatical|natural)[^.!?\n:]{0,20}[?:]|\bmake (?:this|it) (?:sound )?(?:less|more|a bit|way|much|slightly) [^.!?\n:-]{2,24}\s*(?:[:\"\n]|-+ )|"
    r"translat(?!or|ion (?:agency|work|job|student))|grammar|proofread|rewrite|rephrase|paraphrase|summari[sz]e|(?:edit|correct|fix|polish|check|improve)(?: please| pls)? (?:this|the|my|these)\b(?! fact| info)"
    r"(?! (?:order|address|phone|number|account|name|email|profile|record))|"
    r"\b(?:edit|correct|fix|polish|check|improve|review|reword|tidy|mark|redo|shorten|look over|clean)(?: (?:up|please|pls))? (?:this|the|my|these|his|her|their|our)(?: [\w']+){0,3}:|\b(?:make|does|is) (?:this|it|my \w+) (?:sound|read|correct|right|ok|grammatical)[^.!?\n:]{0,24}:|"
    r"what does .{1,80} mean|how (?:do|would) (?:you|i) say|explain this|this sentence|\b(?:in|into|to) (?:french|spanish|german|chinese|english|japanese|dutch|italian|korean|portuguese|mandarin|cantonese|latin|russian|arabic|hindi|polish|welsh)(?: (?:for me|please|pls))*\s*[:\"]|"
    r"\b(?:put|turn|say|render|convert) (?:this|that|it|the following|these) (?:in|into) [a-z]+|"
    r"(?:[改变換换写转转][成为寫]|用)(?:被动|主动|疑问|反问|陈述|感叹|否定|肯定|过去|现在|将来|第[一二三]人称|书面|口语|间接|直接|比喻|拟人|排比)|[缩扩]句|仿句|连词成句|(?:排序|排列|判断|选出|找出|标出|划出|圈出|挑出|数一?数)[^,。!?\n]{0,6}(?:下列|下面|以下|语序|词性|对错|主语|谓语|动词|名词|形容词)|(?:下列|以下)[^,。!?\n]{0,6}(?:句|词|题|段)|"
    r"\b(?:in|into|to|as) (?:the )?(?:passive|active|past|present|future|simple|continuous|perfect|plural|singular|third[- ]person|first[- ]person|reported|direct|indirect|negative|formal|informal|imperative|question|bullet)(?: (?:voice|tense|speech|form|perfect|simple|continuous|english|points?|person))?\b(?=[^.!?\n]{0,24}(?:[:\n\"]|$))|"
    r"\b(?:conjugate|unscramble|reorder|underline|punctuate|spell[- ]?check|mark (?:these|this|my)|(?:identify|find|spot|label) the (?:\w+ )?(?:verbs?|nouns?|adjectives?|adverbs?|subjects?|mistakes?|errors?|tense)|true or false|fill (?:in )?the gaps?|make (?:these|this|it|them) (?:sound )?(?:more |less )?(?:formal|polite|shorter|longer|passive|plural|negative|concise|professional|natural))\b|"
    r"sentiment of|classify (?:this|the)|transcri|worksheet|example sentence|fill in the blank"
)
_GENRE: Final = "作文|诗|小说|故事|文案|邮件|信|情书|歌词|歌|日记|检讨|稿|脚本|剧本|介绍|简历|总结|报告|评语|回复|文章|段子|笑话|祝福|贺词|演讲|程序|代码|函数|广告|标题|对话|句子|申请|声明|通知|公告|道歉"
_WRITE: Final = re.compile(
    rf"(?<!^我)(?<![\s,。]我)(?<!我在)(?:写|编|拟|起草|作)(?:一?[个封篇首段份条句点下]|几[句条个]|一)[^,。!?;\n]{{0,12}}?(?:{_GENRE})|(?<!^我)(?<![\s,。]我)(?<!我在)(?<!会)(?:写|编)(?:{_GENRE})|作文(?:题|开头|:|\")|(?:改|看|批)[^,。!?\n]{{0,6}}作文|歌词里?|台词|例句|"
    r"(?<!\bi )(?<!\bi mostly )(?<!\bi also )(?<!\bi usually )\b(?:write|draft|compose|make up|come up with)\b[^.!?\n]{0,20}\b(?:an?|some|the|me)\b|\blyrics\b|short story|essay about|dialogue between"
)
_STANDING: Final = re.compile(
    r"以后|今后|往后|每次|一律|都(?:要|得|用|保留|给|带)|别|不要|不用|不好再|from now on|going forward|always|never|every time"
)
"""Whoever says how it shall be done each time announces no text."""


def spans(folded: str) -> Iterator[tuple[int, int]]:
    """Yield what an exercise, translation or writing request says in somebody's words."""
    for pattern in (_TRANSFORM, _WRITE):
        found = pattern.search(folded)
        if found is None or _STANDING.search(folded, max(0, found.start() - 12), found.end() + 8):
            continue
        end = len(folded)
        payload = re.search(r"[:\n\"]|\s-+\s", folded[found.end() - 1 :])
        if pattern is _TRANSFORM:
            follows = payload or len(re.findall(r"\w", folded[found.end() :])) >= LEAST_PAYLOAD_WORDS
            yield found.start() if follows else 0, end
        elif payload:
            yield found.start(), end
        else:
            stop = re.search(r"[。!?\n]|\.\s", folded[found.end() :])
            yield found.start(), found.end() + stop.end() if stop else end


_ASKS_FOR_IT: Final = re.compile(
    r"请|发|贴|原文|内容|哪|\?|\b(?:paste|send|share|sure|go ahead|of course|which|text|ready)\b"
)
_THANKS: Final = re.compile(
    r"\s*(?:谢|多谢|感谢|好的|好嘞|懂了|明白|thank|thx|cheers|ta\b|great|perfect|cool|ok|got it)"
)


def is_payload(reply: str, said: str) -> bool:
    """Return whether a message is the text that the user announced; ``reply``: what the assistant said in between."""
    return not _THANKS.match(fold(said)) and (not reply or bool(_ASKS_FOR_IT.search(fold(reply))))


MAX_ANNOUNCEMENT_CHARS: Final = 60
LEAST_PAYLOAD_WORDS: Final = 6
"""A request with fewer words of its own after it announces the text; one with more has it."""
_ANNOUNCING: Final = re.compile(
    r"[英中法日韩德俄西][文语]|文言文?|白话|一下|下面|这[句段个些]话?|以下|内容|帮我|好吗|可以吗|谢谢|\b(?:this|the|for|me|please|text|sentence|into|following|english|email|paragraph|thanks)\b"
)


def asks_for_text(message: Message) -> bool:
    """Return whether a user message announces a text to work on that is not in the message itself."""
    folded = fold(message.content)
    found = _TRANSFORM.search(folded)
    if (
        found is None
        or len(folded) >= MAX_ANNOUNCEMENT_CHARS
        or re.search(r"(?:[:\n\"]|\s-+\s).{4}|\bmean\b|什么意思", folded, re.S)
    ):
        return False
    rest = folded[found.end() :]
    return len(re.findall(r"[一-鿿]|[a-z]{3,}", _ANNOUNCING.sub("", rest))) < LEAST_PAYLOAD_WORDS
