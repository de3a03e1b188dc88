"""What endpoints say when a prompt is too long, and what only sounds like it: statuses, codes, wordings, numbers.

Tables without a rule; ``overflow`` reads an error by them. Wordings are matched in lower case, after NFKC, with straight
apostrophes and single blanks, so that full-width Chinese forms need no rows of their own.
"""

from __future__ import annotations

import re
from typing import Final

OTHER_STATUSES: Final = frozenset({401, 402, 403, 404, 405, 408, 429})
"""Keys, money, rights, paths, time and rates. Every other status has been seen with an overflow, 200 and 500 too."""

CODES: Final = frozenset(
    {
        "context_length_exceeded",  # OpenAI, Azure, Groq, Cerebras
        "context_window_exceeded",
        "contextwindowexceedederror",  # LiteLLM
        "model_context_window_exceeded",  # Z.ai
        "model_max_prompt_tokens_exceeded",  # GitHub Copilot
        "exceed_context_size_error",  # llama.cpp server
        "tokens_too_long",  # Baidu Qianfan
        "characters_too_long",  # Baidu Qianfan
        "tokens_limit_reached",  # GitHub Models
        "input_too_long",
        "prompt_too_long",
        "context_too_long",
        "context_overflow",
        "1261",  # Zhipu: docs.bigmodel.cn/cn/api/api-code
    }
)
"""Values of ``code`` or ``type`` that say it all."""

OTHER_CODES: Final = re.compile(
    r"rate_?limit|^(?:tokens|requests)$|throttl|exhausted|quota|billing|balance|credit|payment|auth|api_?key|permission"
    r"|forbidden|json|parse|schema|content_(?:filter|policy)|safety|moderation|not_?found|image|tool|function|overloaded"
    r"|unavailable|timeout|(?:string|array|integer|decimal)_(?:above|below)|unsupported|unknown_|missing"
    r"|(?:request|payload)_too_large"
)
"""Values of ``code`` or ``type`` that are about something else. Anthropic's ``request_too_large`` (413) counts bytes."""

_N: Final = r"(?<!\d)(\d{1,3}(?:[,_' ]\d{3}){1,4}(?!\d)|\d{1,12}(?!\d)(?:\.\d{1,6})?(?: ?[km](?![a-z])| ?万)?)"
"""One number: ``8192``, ``169,692``, ``128k``, ``12.8 万``."""
_WINDOW: Final = r"context (?:length|window|size|limit)"

WORDINGS: Final = tuple(
    re.compile(words)
    for words in (
        rf"maximum {_WINDOW}",  # OpenAI, Azure, DeepSeek, vLLM, OpenRouter, SGLang, Mistral
        rf"exceed(?:s|ed|ing)? (?:the |this |its |your |our )?(?:model'?s? )?(?:max(?:imum)? |available |total )*{_WINDOW}",
        rf"{_WINDOW} (?:has been |was |is )?exceed(?:s|ed)",  # llama.cpp in a stream, MiniMax, the article's sample
        rf"(?:longer|greater|larger|more) than (?:the |this |its )?(?:model'?s? )?(?:max(?:imum)? )?{_WINDOW}",  # SGLang, LM Studio
        rf"{_WINDOW} (?:is|of) (?:only )?{_N}",  # vLLM 0.11, LM Studio, DS4
        r"input tokens? exceeds? the configured limit",  # Azure, gpt-5
        r"number of input tokens exceeds",  # Bedrock
        r"(?:prompt|input|context|conversation)s? (?:is|are|was) too (?:long|large)",  # Anthropic, Bedrock, Vertex
        r"(?:(?:prompt|input)(?: tokens?)?|token length) too long",  # Ollama, Baidu, Moonshot
        r"input token count.{0,40}(?:exceeds the maximum|only supports up to)",  # Gemini, Vertex AI
        r"longer than the maximum model length",  # vLLM 0.8 and later
        rf"prompt \((?:total length )?{_N}(?: tokens)?\) is too long",  # vLLM
        rf"max_(?:completion_)?tokens must be at least 1, got -{_N}",  # vLLM 0.4: what the prompt left for the reply
        r"input length.{1,24}exceeds the maximum (?:allowed|length|of)",  # SGLang
        r"must be less than (?:or equal to )?max_seq_len",  # SiliconFlow
        r"exceeds? (?:the )?(?:n_ctx|num_ctx|max_model_len|max_seq_len|max_req_input_len)",  # llama.cpp, Ollama, vLLM, SGLang
        rf"requested tokens (?:\({_N}\) )?exceed context window",  # llama-cpp-python
        rf"inputs. must have less than {_N} tokens",  # TGI
        r"inputs. tokens \+ .max_new_tokens. must be",  # TGI, Together
        r"reduce the length of the (?:messages|input|prompt)",  # OpenAI, Groq, Cerebras
        r"input length should be",  # Qwen on DashScope
        r"(?:prompt|input|request) exceeds? (?:the )?max(?:imum)? (?:prompt |input )?length",  # Zhipu
        r"exceed(?:s|ed) (?:the )?model token limit",  # Moonshot
        r"(?:tokens?|messages?|prompt|input)\b[^.;]{0,24} exceeds? (?:the |this )?model'?s? (?:\w+ )?limit",  # Qwen on DashScope
        rf"maximum prompt length is {_N}",  # xAI
        rf"prompt token count of {_N} exceeds",  # GitHub Copilot
        r"too many (?:input |prompt )?tokens",  # Cohere, Bedrock
        r"exceeds? max message tokens",  # Doubao on Volcengine
        r"max input characters",  # Baidu Qianfan
        r"(?:上下文|输入|提示词|prompt|对话|消息|请求|内容|tokens?)[^。;!?]{0,12}(?:超长|过长|太长|超限)",
        r"(?:上下文|输入|提示词|prompt|对话|消息|请求|tokens? ?(?:数|总数|长度))[^。;!?]{0,24}(?:超出|超过|大于)[^。;!?]{0,24}"
        r"(?:限制|上限|最大|长度|窗口|范围|支持|\d)",
        r"(?:上下文|提示词)长度已?(?:超出|超过)",
        r"(?:超出|超过|大于)[^。;!?]{0,12}(?:上下文|最大(?:输入)?长度|输入长度|最大 ?tokens?)",
        "|".join(sorted(code for code in CODES if not code.isdigit())),
    )
)
"""What endpoints say when the prompt is too long, lower case, after NFKC.

Source: public issue threads and manuals of the engines and providers named beside each; the Chinese ones are generic.
"""

TOO_LARGE: Final = 413
"""Status of a request that is too long, in bytes if not in tokens: sending less is right for both."""

OTHER_LIMITS: Final = re.compile(
    r"rate.?limit|too many requests|(?:tokens?|requests?) per (?:min|sec|hour|day|month)|\b[io]?[tr]p[mds]\b"  # OpenAI 429, Groq 413
    r"|throttl|please wait|try again (?:in \d|later)|retry.after"  # Bedrock
    r"|quota|billing|(?:credit|account) balance|insufficient[_ ](?:quota|balance|credit|funds)|usage limit|your plan"
    r"|每(?:分钟|秒|天|小时)|频率|限流|限速|并发|速率|配额|余额|额度|欠费|调用次数|套餐"
)
"""Rates and money."""

LOOK_ALIKES: Final = (
    OTHER_LIMITS,
    *map(
        re.compile,
        (
            rf"^(?!.*(?:{_WINDOW}|max_seq_len|inputs. tokens|input length|at least 1, got -)).*"
            r"(?:max_(?:\w+_)?tokens|max(?:imum)? (?:output|completion|new) tokens|(?:output|completion) tokens?)",
            r"\bbytes?\b|\b[kmg]i?b\b|(?:entity|payload) too large",
            r"image (?:size|url|exceeds|is too|dimension)|\.image|too many images|pixels|audio|attachment|file size",
            r"too many (?:tools|functions|stop|inputs|messages)|stop sequences?|array too long|string too long|batch size",
            r"(?:invalid|not valid|decode|decoding|parse|parsing|malformed)[^.]{0,20}json|json[^.]{0,20}(?:invalid|decode|parse)"
            r"|could not parse|failed to parse|unterminated string|expecting value|unexpected token",
            r"content (?:policy|filter|management)|safety system|flagged|moderation",
            r"unsupported (?:parameter|value)|unknown parameter|unrecognized request argument|does not support (?:the )?(?:parameter|value|tool|function|image|stream|temperature)",
            r"^(?!.*(?:输入|上下文|prompt|提示词)).*(?:输出|最大生成|回复长度)",
            r"图片|图像|音频|附件|文件大小|字节|工具(?:数量|个数|数)|停止词|批量|条数|json",
        ),
    ),
)
"""What looks like it and is not: rates, money, the reply's length, bytes, pictures, counts, syntax, policy."""

NUMBERS: Final = tuple(
    re.compile(words.replace("<N>", _N))
    for words in (
        # Each names what its groups are; the first row that matches gives a number its value.
        r"exceed context limit: (?P<requested><N>) ?\+ ?(?P<reply><N>) ?> ?(?P<limit><N>)",
        r"too long: (?P<requested><N>) tokens? ?> ?(?P<limit><N>)",
        r"(?P<requested><N>) ?> ?(?P<limit><N>)(?! ?-)",
        r"token count\D{0,6}(?P<requested><N>)\D{1,20}(?:exceeds the maximum|only supports)[^\d]{0,40}(?P<limit><N>)",
        r"token count exceeds the maximum[^\d]{0,40}(?P<limit><N>)",
        r"\((?P<requested><N>) tokens?\) (?:is longer than|exceeds)[^\d(]{0,50}\((?P<limit><N>)",
        r"\((?:length )?(?P<requested><N>)(?: tokens)?\) is (?:too long and exceeds limit of|longer than the maximum model length of) (?P<limit><N>)",
        r"length of (?P<requested><N>) is longer than the maximum model length of (?P<limit><N>)",
        r"\((?:total )?length (?P<requested><N>)\)",
        r"\((?P<requested><N>)\) must be less than (?:or equal to )?max_seq_len \((?P<limit><N>)\)",
        r"max_seq_len \((?P<limit><N>)\)",
        r"(?:prompt|input) (?:tokens?|length) (?P<requested><N>)(?: tokens)? exceeds? [^\d.;]{1,40}(?P<limit><N>)",
        r"(?:n_ctx|num_ctx|max_model_len|max_seq_len|max_req_input_len)[ :=(]{1,4}(?P<limit><N>)",
        r"requested tokens (?:\((?P<requested><N>)\) )?exceed context window of (?P<limit><N>)",
        r"must have less than (?P<limit><N>) tokens?\. given: (?P<requested><N>)",
        r"must be <= (?P<limit><N>)\. given: (?P<requested><N>) .inputs. tokens and (?P<reply><N>)",
        r"must be <= (?P<limit><N>)",
        r"(?:input length|范围)\D{0,30}\[\d+, ?(?P<limit><N>)\]",
        r"token limit: (?P<limit><N>)(?:\D{0,3}requested: (?P<requested><N>))?",
        r"prompt length is (?P<limit><N>) but the request contains (?P<requested><N>)",
        r"prompt token count of (?P<requested><N>) exceeds the limit of (?P<limit><N>)",
        r"prompt contains (?P<requested><N>) tokens.{0,60}model with (?P<limit><N>)",
        r"prompt has (?P<requested><N>) tokens.{0,40}context size is (?P<limit><N>)",
        r"cannot exceed (?P<limit><N>)(?:\D{0,12}received (?P<requested><N>))?",
        r"current length is (?P<requested><N>) while limit is (?P<limit><N>)",
        r"(?:configured limit of|model'?s? limit(?: of)?|max size:) ?\(?(?P<limit><N>)",
        r"at most (?P<limit><N>) (?:tokens|are)\b",
        r"keep the first (?P<requested><N>) tokens",
        r"context (?:length|window|size|limit)(?:[ :=(]|is|of|was|limit|only)*(?P<limit><N>)",
        r"(?P<requested><N>) (?:tokens )?(?:in|from) (?:the|your) (?:input )?(?:messages|prompt|text)\b",
        r"(?P<requested><N>) of text input\D{0,4}(?P<reply><N>) in the output",
        r"(?P<reply><N>) (?:tokens )?(?:in|for) the completion",
        r"(?P<requested><N>) input tokens and requested (?P<reply><N>) output",
        r"is too large: (?P<reply><N>).{0,80}?request has (?P<requested><N>) input tokens",
        r"request has (?P<requested><N>) input tokens",
        r"(?:requested(?: about| a total of)?|resulted in|contains|exceeded \() ?(?P<requested><N>) tokens",
        r"(?:上限|限制|最多|最大|不能超过|不得超过|窗口|仅支持)(?:(?!输入|实际|当前|本次)[^\d。;,]){0,16}(?P<limit><N>)",
        r"(?:超出|超过|大于)[^\d。;,]{0,16}(?P<limit><N>)",
        r"(?:实际|当前|本次|您的|共|已有|输入)[^\d。;,超限最\[]{0,12}(?P<requested><N>)",
    )
)
"""Where the numbers stand, in the order in which they are believed."""
