"""The scripted model, as a process: an OpenAI-compatible endpoint that thinks for so long and forgets nothing it was shown.

    python -m benchmarks.load.model --latency 0.3

Its first line is its base URL. An answer holds the mark of the turn and the secret of *every user* named anywhere in the
request, so that whatever strays into a context is told to a client, and the turn before, so that whatever is missing is
told, too. ``call NAME`` in the user's message calls that tool.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re

from benchmarks.load.marks import after, marks, owners, secret
from zhiji.testing.endpoint import Answer, Endpoint, Request, Response
from zhiji.types import Completion, ToolCall

_CALL = re.compile(r"\bcall (\w+)")
BETWEEN_SECONDS = 0.005
PIECE_CHARS = 12


def script(request: Request) -> Response:
    """Return the answer, which is a function of the request alone."""
    said = [str(message["content"]) for message in request.messages if message["role"] == "user"]
    asked = said[-1] if said else ""
    mark = (marks(asked) or [""])[-1]
    before = (marks(said[-2]) or [""])[-1] if len(said) > 1 else None
    last = request.messages[-1]
    wanted = _CALL.findall(asked.rpartition("</background>")[2])
    if wanted and last["role"] == "user" and wanted[0] in request.tools:
        call = ToolCall(id=f"call_{mark}", name=wanted[0], arguments=json.dumps({"mark": mark}))
        return Completion(tool_calls=(call,))
    return Answer(text=f"{_words(request, mark)} {after(before)}", between=BETWEEN_SECONDS, piece_chars=PIECE_CHARS)


def _words(request: Request, mark: str) -> str:
    """Return the mark first, so that a stream shows it early, then whoever is named, then what a tool said."""
    shown = json.dumps(request.body["messages"], ensure_ascii=False)
    last = request.messages[-1]
    told = [str(last["content"])[:4]] if last["role"] == "tool" else []
    return " ".join([mark, "好的🙂", *map(secret, sorted(owners(shown))), *told])


async def serve(latency: float) -> None:
    """Serve until killed; what was asked is not kept."""

    def step(request: Request) -> Response:
        endpoint.requests.clear()
        return script(request)

    async with (endpoint := Endpoint(step, latency=latency)):
        print(endpoint.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.3, help="seconds before each answer")
    asyncio.run(serve(parser.parse_args().latency))
