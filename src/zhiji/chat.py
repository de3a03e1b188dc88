"""THE PATH: one request, seven steps.

    1 restore   the session and its state; the user's message is committed as an open turn
    2 recall    memories for this message, helped by the state
    3 assemble  the context within the token budget
    4 complete  with the model; call tools, condense their results (3 runs again for each round of tools)
    5 advance   the state, from the old one and this turn
    6 save      state, turn and the job that will write memories, in one commit
    7 reply     with usage and what was recalled

State before recall, because recall uses it; state saved before memory is written, so that half a conversation is never
remembered. A failure after step 1 marks the turn failed: it stays in the transcript and out of contexts. A caller who
leaves while the answer is being told has the turn closed with what was told.
"""

from __future__ import annotations

from zhiji.complete import OnDelta, OnTool, complete, recall_for
from zhiji.parts import Parts
from zhiji.restore import OnExpired, restore
from zhiji.save import advance, keeping, save
from zhiji.turn import counted, held
from zhiji.types import Reply, Scope


@counted
async def respond(
    parts: Parts,
    scope: Scope,
    message: str,
    *,
    session: str | None,
    idempotency_key: str | None = None,
    on_expired: OnExpired = "new",
    on_delta: OnDelta | None = None,
    on_tool: OnTool | None = None,
) -> Reply:
    """Return the assistant's reply to one message of one user; see ``Zhiji.chat`` for the errors."""
    turn = await restore(  # 1
        parts, scope, message, session_id=session, idempotency_key=idempotency_key, on_expired=on_expired
    )
    if isinstance(turn, Reply):
        return turn
    async with held(parts, turn), keeping(parts, turn):
        await recall_for(parts, turn)  # 2
        answer = await complete(parts, turn, on_delta, on_tool)  # 3 and 4, anew after each round of tools
        state = advance(parts, turn, answer)  # 5
        return await save(parts, turn, answer, state)  # 6 and 7
