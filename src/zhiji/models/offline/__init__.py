"""The offline assistant: templates in Chinese and English, real tool calls, no weights.

It answers only from the messages that it is given — profile and summary in the system message, background block, history,
the user's words, tool results — and keeps nothing between two calls. So whatever it knows on the second day, memory
brought into the context.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence

from zhiji.models.base import ChatMessages
from zhiji.models.offline import facts
from zhiji.models.offline.answers import Answer
from zhiji.models.offline.plan import Need, plan
from zhiji.models.offline.reading import CALL_PREFIX, Seen, read
from zhiji.models.offline.summary import OfflineSummariser
from zhiji.types import Completion, ToolCall, ToolSpec

__all__ = ["OfflineModel", "OfflineSummariser"]

_PIECE = re.compile(r".*?(?:[，。！？：、]|[,.!?:] )|.+", re.DOTALL)


class OfflineModel:
    """A small customer-service assistant. It has no state."""

    async def __call__(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> Completion:
        """Return tool calls while something that was asked for can be looked up, then the answer."""
        seen = read(messages, tools)
        made = plan(seen)
        if made.needs:
            return Completion(tool_calls=tuple(_call(seen, need, at) for at, need in enumerate(made.needs)))
        answer = Answer(seen, made, await facts.name(seen), told_more=await facts.is_told_more(seen))
        return Completion(text=answer.text())

    async def stream(self, messages: ChatMessages, tools: Sequence[ToolSpec]) -> AsyncIterator[str | Completion]:
        """Yield the answer in pieces that end at punctuation, then the whole ``Completion``."""
        whole = await self(messages, tools)
        for piece in _PIECE.findall(whole.text):
            yield piece
        yield whole


def _call(seen: Seen, need: Need, at: int) -> ToolCall:
    arguments = {seen.offered[need.tool]: need.number}
    return ToolCall(
        id=f"{CALL_PREFIX}{seen.next_call + at}", name=need.tool, arguments=json.dumps(arguments, ensure_ascii=False)
    )
