"""The baseline: the least service that asks the same model over the same client, as a process.

python -m benchmarks.load.bare --port PORT       (LLM_API_BASE in the environment)
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping

import openai
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel


class Asked(BaseModel):
    """What a client sends."""

    user_id: str
    message: str


def create_app() -> FastAPI:
    """Return the application: one message to the model, its answer back; nothing is kept."""
    app, model = FastAPI(), openai.AsyncOpenAI(base_url=os.environ["LLM_API_BASE"], api_key="none")

    @app.get("/readyz")
    async def ready() -> Mapping[str, str]:
        return {"status": "ok"}

    @app.post("/v1/chat")
    async def chat(asked: Asked) -> Mapping[str, str]:
        answer = await model.chat.completions.create(
            model="load", messages=[{"role": "user", "content": asked.message}]
        )
        return {"session_id": "", "turn_id": "", "reply": answer.choices[0].message.content or ""}

    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    uvicorn.run(create_app(), port=parser.parse_args().port, log_level="warning")
