"""The one classifier of context-length errors: what providers say, what only looks like it, and any text at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhiji.overflow import MAX_TOKENS, Overflow, classify, read


def openai(message: str, code: str | int | None = None, type: str = "invalid_request_error") -> str:
    """Return a body of the shape that most endpoints share."""
    return json.dumps({"error": {"message": message, "type": type, "param": None, "code": code}}, ensure_ascii=False)


def anthropic(message: str, type: str = "invalid_request_error") -> str:
    return json.dumps({"type": "error", "error": {"type": type, "message": message}})


def vllm(message: str) -> str:
    return json.dumps({"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": 400})


def gemini(message: str) -> str:
    return json.dumps({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}})


def openrouter(raw: str) -> str:
    metadata = {"raw": raw, "provider_name": "Upstream"}
    return json.dumps({"error": {"message": "Provider returned error", "code": 400, "metadata": metadata}})


ARTICLE = (
    "api error: 400 this models maximum context length is 1048576 tokens. however, the total tokens in your request including "
    "system, history, memory and user input exceed the limit. context length exceeded (169,692 tokens). cannot compress further."
)
OPENAI = "This model's maximum context length is 16385 tokens. However, your messages resulted in 17012 tokens. Please reduce the length of the messages."

# name, status, code, text, limit, requested, reply
OVERFLOWS: list[tuple[str, int | None, str, str, int | None, int | None, int | None]] = [
    ("article", 400, "", ARTICLE, 1048576, 169692, None),
    ("article, no status", None, "", ARTICLE, 1048576, 169692, None),
    ("openai chat", 400, "context_length_exceeded", openai(OPENAI, "context_length_exceeded"), 16385, 17012, None),
    ("openai code alone", 400, "context_length_exceeded", "", None, None, None),
    ("openai no code", 400, "", openai(OPENAI), 16385, 17012, None),
    ("openai with reply", 400, "", openai("This model's maximum context length is 8192 tokens. However, you requested 9216 tokens (8192 in the messages, 1024 in the completion). Please reduce the length of the messages or completion."), 8192, 8192, 1024),
    ("openai with functions", 400, "", openai("This model's maximum context length is 128000 tokens. However, your messages resulted in 131004 tokens (130500 in the messages, 504 in the functions). Please reduce the length of the messages or functions.", "context_length_exceeded"), 128000, 130500, None),
    ("openai completions", 400, "", openai("This model's maximum context length is 4097 tokens, however you requested 4300 tokens (4044 in your prompt; 256 for the completion). Please reduce your prompt; or completion length."), 4097, 4044, 256),
    ("openai responses", 400, "context_length_exceeded", openai("Your input exceeds the context window of this model. Please adjust your input and try again.", "context_length_exceeded"), None, None, None),
    ("openai responses, no code", None, "", "Your input exceeds the context window of this model. Please adjust your input and try again.", None, None, None),
    ("openai python error", 400, "", 'Error code: 400 - {\'error\': {\'message\': "This model\'s maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.", \'type\': \'invalid_request_error\', \'param\': \'messages\', \'code\': \'context_length_exceeded\'}}', 8192, 9001, None),
    ("azure", 400, "", openai("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300110 tokens. Please reduce the length of the messages.", "context_length_exceeded"), 272000, 300110, None),
    ("azure no code", 400, "", openai("Input tokens exceed the configured limit of 272,000 tokens. Your messages resulted in 300,110 tokens."), 272000, 300110, None),
    ("anthropic", 400, "", anthropic("prompt is too long: 212345 tokens > 200000 maximum"), 200000, 212345, None),
    ("anthropic plain", 400, "", "Prompt is too long", None, None, None),
    ("anthropic with reply", 400, "", anthropic("input length and `max_tokens` exceed context limit: 190100 + 16000 > 200000, decrease input length or `max_tokens` and try again"), 200000, 190100, 16000),
    ("vertex claude", 400, "", gemini("Prompt is too long: 201000 tokens > 200000 maximum"), 200000, 201000, None),
    ("litellm around anthropic", 400, "", "litellm.BadRequestError: AnthropicException - " + anthropic("prompt is too long: 212345 tokens > 200000 maximum"), 200000, 212345, None),
    ("litellm class", None, "", "litellm.ContextWindowExceededError: the prompt does not fit", None, None, None),
    ("bedrock", 400, "ValidationException", "An error occurred (ValidationException) when calling the Converse operation: Input is too long for requested model.", None, None, None),
    ("bedrock count", 400, "", "ValidationException: Number of input tokens exceeds maximum length. Please update the input to try again.", None, None, None),
    ("gemini", 400, "", gemini("The input token count (1200345) exceeds the maximum number of tokens allowed (1048576)."), 1048576, 1200345, None),
    ("gemini text in json in a list", 400, "", json.dumps([{"error": {"code": 400, "message": gemini("The input token count (140000) exceeds the maximum number of tokens allowed (131072)."), "status": "Bad Request"}}]), 131072, 140000, None),
    ("gemini older", 400, "", gemini("The input token count exceeds the maximum number of tokens allowed 32768."), 32768, None, None),
    ("vertex", 400, "", gemini("Unable to submit request because the input token count is 40000 but the model only supports up to 32768. Reduce the input token count and try again."), 32768, 40000, None),
    ("vllm", 400, "", vllm("This model's maximum context length is 4096 tokens. However, you requested 5072 tokens (4072 in the messages, 1000 in the completion). Please reduce the length of the messages or completion."), 4096, 4072, 1000),
    ("vllm value error", 500, "", "ValueError: This model's maximum context length is 4096 tokens. However, you requested 5072 tokens in the messages, Please reduce the length of the messages.", 4096, 5072, None),
    ("vllm v1", 400, "", vllm("The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens."), 4096, 5000, None),
    ("vllm passed", 400, "", vllm("You passed 4000 input tokens and requested 1000 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 3096 tokens. Please reduce the length of the input messages."), 4096, 4000, 1000),
    ("vllm max_tokens beside the prompt", 400, "", vllm("'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 4096 tokens and your request has 3500 input tokens (1000 > 4096 - 3500)."), 4096, 3500, 1000),
    ("vllm nothing left", 400, "", vllm("max_tokens must be at least 1, got -186."), None, None, None),
    ("vllm scheduler", 500, "", "Input prompt (35247 tokens) is too long and exceeds limit of 8192", 8192, 35247, None),
    ("sglang", 400, "", vllm("The input (61709 tokens) is longer than the model's context length (40960 tokens)."), 40960, 61709, None),
    ("sglang total", 400, "", vllm("Requested token count exceeds the model's maximum context length of 262144 tokens. You requested a total of 271206 tokens: 265000 tokens from the input messages and 6206 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit."), 262144, 265000, 6206),
    ("sglang kv", 400, "", vllm("Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use a shorter input or enable --allow-auto-truncate."), 59862, 160062, None),
    ("llama.cpp", 400, "exceed_context_size_error", json.dumps({"error": {"code": 400, "message": "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 9412, "n_ctx": 8192}}), 8192, 9412, None),
    ("llama.cpp fields only", 400, "", json.dumps({"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}}), 4096, 5000, None),
    ("llama.cpp older", 400, "", openai("the request exceeds the available context size. try increasing the context size or enable context shift", 400), None, None, None),
    ("llama.cpp in the stream", None, "", "Context size has been exceeded.", None, None, None),
    ("llama-cpp-python", 500, "", "Requested tokens (4837) exceed context window of 4096", 4096, 4837, None),
    ("llama-cpp-python older", 500, "", "ValueError: Requested tokens exceed context window of 2048", 2048, None, None),
    ("llama-cpp-python server", 400, "", openai("This model's maximum context length is 2048 tokens. However, you requested 2300 tokens (2100 in the messages, 200 in the completion). Please reduce the length of the messages or completion.", "context_length_exceeded"), 2048, 2100, 200),
    ("ollama", 400, "", json.dumps({"error": "prompt too long; exceeded max context length by 1234 tokens"}), None, None, None),
    ("ollama input", 500, "", json.dumps({"error": "the input length exceeds the context length"}), None, None, None),
    ("tgi", 422, "", json.dumps({"error": "Input validation error: `inputs` must have less than 4095 tokens. Given: 5123", "error_type": "validation"}), 4095, 5123, None),
    ("tgi sum", 422, "", json.dumps({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`", "error_type": "validation"}), 4096, 4000, 500),
    ("together", 422, "", openai("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32769. Given: 33000 `inputs` tokens and 512 `max_new_tokens`"), 32769, 33000, 512),
    ("lm studio", 400, "", json.dumps({"error": "Trying to keep the first 9000 tokens when context overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}), 4096, 9000, None),
    ("lm studio older", 400, "", json.dumps({"error": "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input"}), None, None, None),
    ("deepseek", 400, "invalid_request_error", openai("This model's maximum context length is 131072 tokens. However, you requested 139264 tokens (131072 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.", "invalid_request_error"), 131072, 131072, 8192),
    ("qwen", 400, "invalid_parameter_error", openai("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]", "invalid_parameter_error"), 129024, None, None),
    ("dashscope native", 400, "InvalidParameter", json.dumps({"code": "InvalidParameter", "message": "Range of input length should be [1, 30720]", "request_id": "r-1"}), 30720, None, None),
    ("xunfei around qwen", 400, "", json.dumps({"error": {"code": "10012", "message": "InternalError.Algo.InvalidParameter: Range of input length should be [1, 202745]"}}), 202745, None, None),
    ("zhipu code", 400, "1261", json.dumps({"error": {"code": "1261", "message": "Prompt 超长"}}, ensure_ascii=False), None, None, None),
    ("zhipu english", 400, "", json.dumps({"error": {"code": "1261", "message": "Prompt exceeds max length"}}), None, None, None),
    ("zhipu wording", 400, "", "Prompt exceeds max length", None, None, None),
    ("moonshot", 400, "invalid_request_error", openai("Invalid request: Your request exceeded model token limit: 8192", None), 8192, None, None),
    ("kimi", 400, "", openai("Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"), 262144, 291351, None),
    ("minimax", 400, "", json.dumps({"error": "invalid params, context window exceeds limit (2013)"}), None, None, None),
    ("minimax native", 200, "", json.dumps({"base_resp": {"status_code": 2013, "status_msg": "invalid params, context window exceeds limit"}}), None, None, None),
    ("mistral", 400, "", json.dumps({"object": "error", "message": "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length", "type": "invalid_request_prompt", "code": "3051"}), 131072, 140000, None),
    ("groq", 400, "context_length_exceeded", openai("Please reduce the length of the messages or completion.", "context_length_exceeded"), None, None, None),
    ("cerebras", 400, "", openai("Please reduce the length of the messages or completion. Current length is 12010 while limit is 8192", "context_length_exceeded"), 8192, 12010, None),
    ("openrouter", 400, "", json.dumps({"error": {"message": "This endpoint's maximum context length is 131072 tokens. However, you requested about 148000 tokens (130000 of text input, 18000 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.", "code": 400}}), 131072, 130000, 18000),
    ("openrouter around anthropic", 400, "", openrouter(anthropic("prompt is too long: 212345 tokens > 200000 maximum")), 200000, 212345, None),
    ("openrouter around text", 502, "", openrouter("Input is too long for requested model"), None, None, None),
    ("cohere", 400, "", json.dumps({"message": "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5012. Try using a shorter prompt."}), 4081, 5012, None),
    ("xai", 400, "", json.dumps({"code": "Client specified an invalid argument", "error": "This model's maximum prompt length is 131072 but the request contains 150000 tokens."}), 131072, 150000, None),
    ("copilot", 400, "", openai("prompt token count of 140000 exceeds the limit of 128000", "model_max_prompt_tokens_exceeded"), 128000, 140000, None),
    ("doubao", 400, "InvalidParameter", openai("Total tokens of image and text exceed max message tokens. Request id: 0217", "InvalidParameter"), None, None, None),
    ("qianfan", 400, "tokens_too_long", openai("Prompt tokens too long", "tokens_too_long"), None, None, None),
    ("qianfan characters", 400, "", openai("the max input characters is 20000", "characters_too_long"), None, None, None),
    ("z.ai", 400, "model_context_window_exceeded", openai("", "model_context_window_exceeded"), None, None, None),
    ("ds4", 400, "", openai("Prompt has 32769 tokens, but the configured context size is 32768 tokens"), 32768, 32769, None),
    ("zh", 400, "", openai("超出上下文长度"), None, None, None),
    ("zh input", 400, "", openai("输入长度超过限制，最大支持 8192 tokens，当前 9500 tokens"), 8192, 9500, None),
    ("zh tokens", 400, "", openai("请求的 token 数超过模型上限 32768，实际为 40000"), 32768, 40000, None),
    ("zh full width", 400, "", openai("输入的ｔｏｋｅｎ数超过上限（３２，７６８）"), 32768, None, None),
    ("zh context", None, "", "对话上下文过长，请新建会话后重试", None, None, None),
    ("zh content", 500, "", "输入内容超长，请缩短后重试", None, None, None),
    ("zh 万", 400, "", "输入长度超过模型最大限制 12.8 万", 128000, None, None),
    ("zh window", 400, "", "本次请求超出模型的上下文窗口（131072）", 131072, None, None),
    ("vllm with pictures", 400, "", vllm("The prompt (total length 33000) is too long to fit into the model (context length 32768). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens."), 32768, 33000, None),
    ("vllm input tokens", 400, "", vllm("This model's maximum context length is 8192 tokens. However, your request has 9001 input tokens. Please reduce the length of the input messages."), 8192, 9001, None),
    ("vllm detail", 400, "", json.dumps({"detail": "Prompt length of 5012 is longer than the maximum model length of 4096."}), 4096, 5012, None),
    ("sglang request", 400, "", vllm("Input token ids length 7001 exceeds max_req_input_len 4090"), 4090, None, None),
    ("llama.cpp n_ctx", 400, "", json.dumps({"error": "prompt too long: n_ctx = 4096, n_prompt = 5210"}), 4096, None, None),
    ("ollama comparison", 500, "", json.dumps({"error": "exceeded context length: 9120 > 8192"}), 8192, 9120, None),
    ("ollama num_ctx", 400, "", openai("the prompt of 12000 tokens exceeds num_ctx (8192)"), 8192, None, None),
    ("github models", 413, "", json.dumps({"error": {"code": "tokens_limit_reached", "message": "Request body too large for gpt-4o-mini model. Max size: 8000 tokens."}}), 8000, None, None),
    ("gemini at most", 400, "", gemini("Request contains too many tokens: 1200000 tokens were given, at most 1048576 are supported by this model."), 1048576, None, None),
    ("deepseek input", 400, "", openai("Input length 130000 exceeds the maximum length 128000", "invalid_request_error"), 128000, 130000, None),
    ("siliconflow", 400, "", json.dumps({"code": 20015, "message": "length of prompt_tokens (70121) must be less than max_seq_len (65536).", "data": None}), 65536, 70121, None),
    ("siliconflow total", 400, "", json.dumps({"code": 20015, "message": "max_total_tokens (33000) must be less than or equal to max_seq_len (32768)", "data": None}), 32768, 33000, None),
    ("dashscope total", 400, "", openai("<400> InternalError.Algo.InvalidParameter: Total message token length exceed model limit (131072 tokens).", "invalid_parameter_error"), 131072, None, None),
    ("dashscope limit of", 400, "", openai("Input tokens 35012 exceed the model's limit of 32768 tokens.", "invalid_parameter_error"), 32768, 35012, None),
    ("moonshot length", 400, "", openai("Input token length too long"), None, None, None),
    ("moonshot window", 400, "", openai("prompt tokens 9001 exceed the model's context window 8192"), 8192, 9001, None),
    ("zh range", 400, "", json.dumps({"error": {"message": "输入长度超过模型上限，输入长度范围应为[1, 30720]", "code": "InvalidParameter"}}, ensure_ascii=False), 30720, None, None),
    ("zh input before limit", 400, "", json.dumps({"error": {"code": "1214", "message": "tokens 数量超过模型上下文限制：输入 140000，最大 128000"}}, ensure_ascii=False), 128000, 140000, None),
    ("k", 400, "", "maximum context length is 128k tokens", 128000, None, None),
    ("K with blank", 400, "", "Maximum context length of 32 K tokens exceeded", 32000, None, None),
    ("thousands", 400, "", "This model's maximum context length is 1,048,576 tokens, but the request has more.", 1048576, None, None),
    ("per request", 400, "", "maximum context length is 8192 tokens per request", 8192, None, None),
    ("not supported", 400, "", "The model does not support prompts beyond its maximum context length of 8192", 8192, None, None),
    ("zh usage", 400, "", "本次请求的 token 用量超过模型上下文上限 8192", 8192, None, None),
    ("curly apostrophe", 400, "", "This model’s maximum context length is 8192 tokens.", 8192, None, None),
    ("html", 500, "", "<html><body><h1>500</h1><p>ValueError: the request exceeds the available context size</p></body></html>", None, None, None),
    ("fastapi", 400, "", json.dumps({"detail": openai("maximum context length is 4096 tokens", "context_length_exceeded")}), 4096, None, None),
    ("cut short", 400, "", openai(OPENAI, "context_length_exceeded")[:120], 16385, None, None),
    ("request before the error", 400, "", 'POST {"model": "m", "messages": []} gave ' + openai(OPENAI), 16385, 17012, None),
    ("anthropic bytes", 413, "request_too_large", anthropic("Request exceeds the maximum allowed number of bytes. The input is too large.", "request_too_large"), None, None, None),
    ("nginx", 413, "", "<html><head><title>413 Request Entity Too Large</title></head><body><center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx</center></body></html>", None, None, None),
    ("proxy bytes", 413, "", "request body exceeds 1048576 bytes; input is too large", None, None, None),
    ("payload", 413, "", "Payload Too Large", None, None, None),
    ("zh bytes", 413, "", "请求内容大小超过最大限制 10485760 字节", None, None, None),
    ("no body", 413, "", "", None, None, None),
]  # fmt: skip

ECHO = "what does “This model's maximum context length is 4096 tokens” mean?"

# name, status, code, text
LOOK_ALIKES: list[tuple[str, int | None, str, str]] = [
    ("openai tpm", 429, "rate_limit_exceeded", openai("Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 45000. The input or output tokens must be reduced in order to run successfully.", "rate_limit_exceeded", "tokens")),
    ("openai tpm without status", None, "", "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 28000, Requested 4000."),
    ("overflow words under 429", 429, "", "maximum context length is 4096 tokens"),
    ("overflow code under 401", 401, "context_length_exceeded", ""),
    ("groq tpm", 413, "rate_limit_exceeded", openai("Request too large for model `llama` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.", "rate_limit_exceeded", "tokens")),
    ("groq tpm, type alone", 413, "", openai("Request too large: please reduce the length of the messages", None, "tokens")),
    ("anthropic rate", 429, "rate_limit_error", anthropic("This request would exceed your organization's rate limit of 40,000 input tokens per minute", "rate_limit_error")),
    ("anthropic rate without status", None, "", "This request would exceed your rate limit of 40,000 input tokens per minute. Prompt is too long for it."),
    ("throttle", 400, "", "Too many tokens, please wait before trying again."),
    ("pydantic echo", 400, "", "Input should be valid [type=string, input_value='prompt is too long: 9 tokens > 8 maximum', input_type=str]"),
    ("bedrock throttle", 400, "ThrottlingException", "ThrottlingException: Too many tokens, please wait before trying again."),
    ("gemini quota", 400, "", "You exceeded your current quota: input token count per day, limit: 1000000"),
    ("zhipu rate", 400, "1302", json.dumps({"error": {"code": "1302", "message": "您的账户已达到速率限制，请您控制请求频率"}}, ensure_ascii=False)),
    ("zh rate", None, "", "每分钟输入 token 数超过上限 60000"),
    ("zh quota", None, "", "本月 token 用量超过套餐上限 1000000"),
    ("zh concurrency", None, "", "请求超出并发限制 5"),
    ("quota", 402, "insufficient_quota", openai("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota")),
    ("quota without status", None, "", "insufficient_quota: too many tokens used"),
    ("openrouter credits", 402, "", json.dumps({"error": {"message": "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 100.", "code": 402}})),
    ("openai output", 400, "invalid_value", openai("max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.", "invalid_value")),
    ("anthropic output", 400, "", anthropic("max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for claude")),
    ("deepseek output", 400, "", openai("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]")),
    ("qwen output", 400, "", openai("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]")),
    ("glm output", 400, "", json.dumps({"code": 70000, "msg": "Exceeding the limiting length: [max_tokens should be less or equal to 131072]"})),
    ("vllm zero", 400, "", vllm("max_tokens must be at least 1, got 0.")),
    ("output reached", 400, "", openai("Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.")),
    ("unsupported max_tokens", 400, "unsupported_parameter", openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "unsupported_parameter")),
    ("zh output", 400, "", "输出长度超过最大限制 4096"),
    ("zh max_tokens", 400, "1214", "max_tokens 参数非法，超过最大 8192"),
    ("siliconflow output", 400, "", json.dumps({"code": 20015, "message": "max_tokens (32768) must be less than or equal to 16384", "data": None})),
    ("output over the model's limit", 400, "", openai("The requested max_completion_tokens 200000 exceeds the model's limit of 131072 tokens")),
    ("string of a tool", 400, "", openai("Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got 2000")),
    ("headers", 400, "", "<html><title>400 Request Header Or Cookie Too Large</title></html>"),
    ("daily tokens", 400, "", openai("daily token limit exceeded: 1000000 tokens per day")),
    ("image", 400, "", anthropic("messages.1.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes")),
    ("image count", 400, "", openai("Too many images in request: the input is too long, at most 16 images")),
    ("zh image", 400, "", "输入图片大小超过限制 10"),
    ("string", 400, "string_above_max_length", openai("Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.", "string_above_max_length")),
    ("tools", 400, "array_above_max_length", openai("Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 140 instead.", "array_above_max_length")),
    ("tools without code", 400, "", "Too many tools: maximum context tools 128"),
    ("zh tools", 400, "", "请求的工具数量超过上限 128"),
    ("stop", 400, "", openai("Invalid 'stop': too many stop sequences; prompt too long a list, at most 4")),
    ("embedding batch", 400, "", openai("Too many inputs. The max number of inputs is 2048. We hope to increase the number of inputs per request soon.")),
    ("llama.cpp batch", 500, "", "input is too large to process. increase the physical batch size (current batch size: 512)"),
    ("invalid json echo", 400, "invalid_json", openai(f"Invalid JSON near: {ECHO}", "invalid_json")),
    ("invalid json echo without code", 400, "", f"Could not parse JSON body: {ECHO}"),
    ("fastapi echo", 422, "", json.dumps({"detail": [{"type": "string_type", "loc": ["body", "messages", 0], "msg": "Input should be a valid string", "input": {"content": "prompt is too long: 9 tokens > 8 maximum"}}]})),
    ("quoted echo", 400, "", f'The assistant prefill "{ECHO} prompt is too long" must not end with a blank'),
    ("zh quoted echo", 400, "", "消息“为什么总是提示我超出上下文长度，应该怎么办才好呢谢谢”的角色不对"),
    ("content filter echo", 400, "content_filter", openai("The response was filtered: the prompt is too long about it", "content_filter")),
    ("model missing", 404, "model_not_found", openai("The model `gpt-9-maximum-context` does not exist", "model_not_found")),
    ("key", 401, "invalid_api_key", openai("Incorrect API key provided", "invalid_api_key")),
    ("server", 500, "", openai("The server had an error while processing your request", None, "server_error")),
    ("overloaded", 529, "overloaded_error", anthropic("Overloaded", "overloaded_error")),
    ("unsupported", 400, "", openai("This model does not support tools; the prompt is too long a list of them")),
    ("parameter", 400, "", openai("Unsupported parameter: context. Remove it and try again.")),
    ("memory", 500, "", "model requires more system memory (12.0 GiB) than is available (8.0 GiB)"),
    ("loading", 503, "", openai("Loading model", 503, "unavailable_error")),
    ("schema", 400, "", openai("Invalid schema for function 'read': object schema missing properties", "invalid_function_parameters")),
    ("timeout", None, "", "Request timed out after 60 s"),
    ("empty", 400, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "code", "text", "limit", "requested", "reply"),
    [row[1:] for row in OVERFLOWS],
    ids=[row[0] for row in OVERFLOWS],
)
def test_each_provider_is_understood(
    status: int | None, code: str, text: str, limit: int | None, requested: int | None, reply: int | None
) -> None:
    """What a provider says when the prompt is too long is an overflow, with the numbers that stand in it."""
    assert classify(status, code, text) == Overflow(limit, requested, reply)


@pytest.mark.parametrize(
    ("status", "code", "text"), [row[1:] for row in LOOK_ALIKES], ids=[row[0] for row in LOOK_ALIKES]
)
def test_look_alikes_are_something_else(status: int | None, code: str, text: str) -> None:
    """Rates, money, the reply's length, bytes, pictures, counts, syntax and quotations are no overflow."""
    assert classify(status, code, text) is None


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("Input length 81002 exceeds the maximum allowed input length of 80000", 80000),
        ("request (50123 tokens) exceeds the available context size (49152)", 49152),
        ("prompt is too long: 230111 tokens > 200000", 200000),
        ("Input is too long", None),
        ("context_overflow", None),
        ("exceed_context_size_error", None),
        ("input length and max_tokens exceed context limit", None),
        ("input length should be in range [1, 30720]", 30720),
        ("上下文长度超出", None),
        ('{"error": {"error": {"message": "maximum context length is 1048576 tokens"}}}', 1048576),
    ],
)
def test_short_wordings(text: str, limit: int | None) -> None:
    """Wordings without any code, cut to their core, are understood as text and as the bytes of a body (C142)."""
    for found in (classify(400, "", text), classify(None, "", text), read(Foreign("no", body=text.encode()))):
        assert found is not None
        assert found.limit == limit


def test_the_tables_are_large_enough() -> None:
    """At least 60 wordings and 40 look-alikes are tried, each once."""
    assert len({row[3] for row in OVERFLOWS}) >= 60
    assert len({row[3] for row in LOOK_ALIKES}) >= 40


SHARDS = st.sampled_from(
    ["maximum context length is ", "9" * 400, "{\"error\": {", "'message': '", "４０９６", "tokens", "\\", "[{", "}", " > ", "prompt is too long: ", "超出上下文长度", "-5", "1,0", "\ud800", "\x00", "0 "]
)  # fmt: skip


@given(
    st.one_of(st.none(), st.integers(-1, 999)),
    st.text(max_size=20),
    st.one_of(st.text(), st.lists(SHARDS).map("".join)),
)
def test_no_text_raises(status: int | None, code: str, text: str) -> None:
    """Whatever the text, there is an answer, and its numbers are counts of tokens that a window may have."""
    found = classify(status, code, text)
    numbers = [] if found is None else [found.limit, found.requested, found.reply]
    assert all(number is None or 0 < number <= MAX_TOKENS for number in numbers)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_what_is_sent_is_never_read(value: object) -> None:
    """Whatever an error repeats of the request, it is no word of the endpoint's."""
    echo = {"detail": [{"msg": "Input should be a valid string", "input": [value, "prompt is too long: 9 > 8"]}]}
    assert classify(422, "", json.dumps(echo)) is None


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_what_is_sent_is_not_read_in_a_body_that_was_cut_either(cut: int) -> None:
    """In a body that is no JSON, because it was cut or is Python's, the repetition ends what is read."""
    echo = {
        "detail": [{"msg": "Input should be valid", "input": [{"message": "prompt is too long: 9 > 8", "code": 1261}]}]
    }
    assert classify(422, "", json.dumps(echo)[:-cut]) is None
    assert classify(422, "", repr(echo)[:-cut]) is None


def test_deep_bodies_are_given_up() -> None:
    """A body nested without end is read without a failure."""
    assert classify(400, "", "[{" * 50_000) is None
    assert classify(400, "", '{"error":' * 2_000 + '"prompt is too long"') is not None


class Foreign(Exception):
    """An error of somebody's client."""

    def __init__(self, text: str, **attributes: object) -> None:
        super().__init__(text)
        self.__dict__.update(attributes)


def test_exceptions_of_any_client_are_read() -> None:
    """Status, code and body are taken from the exception where it has them."""
    body = {"message": OPENAI, "code": "context_length_exceeded"}
    assert read(Foreign("bad request", status_code=400, body=body)) == Overflow(16385, 17012)
    assert read(Foreign("bad request", status_code=400, code="context_length_exceeded")) == Overflow()
    assert read(Foreign("prompt is too long", status_code=429)) is None
    assert read(
        Foreign("The input token count (9) exceeds the maximum number of tokens allowed (8).", code=400)
    ) == Overflow(8, 9)
    assert read(Foreign("no", body=object())) is None


@pytest.mark.parametrize(
    "said",
    ["prompt is too long: 900 tokens > 300 maximum", "他说\n“超出上下文长度 300”", "a'b maximum context length is 300"],
)
def test_nobody_sets_the_limit_by_a_message(said: str) -> None:
    """An error that repeats what the user wrote, as it is or escaped, is no overflow for that."""
    for text in (f"bad role: {said}", f"bad role: {said!r}", json.dumps({"error": f"bad role: {said}"})):
        assert read(Foreign(text), said=[said]) is None
    assert read(Foreign(f"{said}: prompt is too long: 9000 tokens > 8000 maximum"), said=[said]) == Overflow(8000, 9000)


def test_nobody_sets_the_limit_by_a_line_of_a_transcript() -> None:
    """What an error repeats may be one speaker's words of a whole transcript, or one line of a message."""
    said = "prompt is too long: 900 tokens > 300 maximum"
    for sent in (f"hello\n{said}\nbye", f"Extract:\n[3] 2026-12-01 10:00 user: {said}"):
        assert classify(400, "", openai(f"no such character in {said}", "invalid_value"), said=[sent]) is None
        assert classify(400, "", openai(OPENAI), said=[sent]) == Overflow(16385, 17012)


@pytest.mark.parametrize("shown", [(0, 90), (40, 100), (49, 200)])
def test_nobody_sets_the_limit_by_a_message_that_is_repeated_in_part(shown: tuple[int, int]) -> None:
    """An error may show the beginning, the midst or the end of a message only."""
    sent = f"{'please ' * 7}prompt is too long: 900 tokens > 300 maximum {'thanks ' * 20}"
    text = openai(f"bad value near {sent[slice(*shown)]} …", "invalid_value")
    assert classify(400, "", text) is not None
    assert classify(400, "", text, said=[sent]) is None


def test_a_user_who_speaks_of_windows_hides_no_overflow() -> None:
    """The words alone, without what the endpoint says around them, are no repetition."""
    said = [
        "what is the maximum context length of this model? It says the prompt is too long.",
        "reduce the length of the prompt",
    ]
    assert classify(400, "", openai(OPENAI), said=said) == Overflow(16385, 17012)


def test_the_cause_is_read_too() -> None:
    """An error that was raised from an overflow is one."""
    outer = RuntimeError("the chain failed")
    outer.__cause__ = ValueError("Requested tokens (4837) exceed context window of 4096")
    assert read(outer) == Overflow(4096, 4837)
    assert read(RuntimeError("the chain failed")) is None
