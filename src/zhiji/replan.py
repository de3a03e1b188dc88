"""What becomes of a turn whose request was too long for the endpoint: it is planned anew, once, within what was learnt.

``complete`` calls the model and asks here when it is refused, or when its answer shows that the prompt was cut; hosts with a
model of their own ask by ``turn.replan``. What an error says is read by ``overflow``, what follows for the window by ``limits``.
"""

from __future__ import annotations

import logging

from zhiji import overflow
from zhiji.errors import ContextOverflow, ContextTooLarge
from zhiji.models.measured import reported
from zhiji.overflow import Overflow
from zhiji.parts import Parts
from zhiji.turn import ActiveTurn
from zhiji.types import Completion, Usage

log = logging.getLogger("zhiji.replan")


def after(parts: Parts, turn: ActiveTurn, error: ContextOverflow) -> None:
    """The turn's next context is planned within what the endpoint takes, as far as its error tells.

    Raises:
        ContextTooLarge: that has been done before in this turn.
    """
    sent = _sent(turn).total
    window = parts.limits.learn(overflow.read(error) or Overflow(), sent=sent)
    parts.telemetry.count("zhiji_context_overflows_total")
    log.warning(
        "context_overflow: %s refused about %d tokens; requests are planned within %d from now on",
        parts.settings.model_name,
        sent,
        window.limit,
    )
    if turn.overflow is not None:
        parts.telemetry.count("zhiji_ladder_steps_total", step="refuse")
        raise ContextTooLarge(
            "the endpoint refused the request for its length twice; start a new session or shorten the message",
            total=sent,
            limit=window.limit,
            reserve=window.reserve,
        ) from error
    turn.overflow = error


def was_cut(parts: Parts, turn: ActiveTurn, answer: Completion) -> bool:
    """Return whether the server has silently dropped a part of the request; the window that this shows counts from now on."""
    counted, usage = dict(reported(answer.usage)).get("input_tokens", 0), _sent(turn)
    sent = usage.total
    found = parts.limits.truncated(counted, sent=sent, fresh=usage.input + usage.memory + usage.tool)
    if found is None:
        return False
    window = parts.limits.learn(found, sent=sent)
    if not parts.telemetry.value("zhiji_context_truncations_total"):
        log.warning(
            "context_truncated: %s read %d of about %d tokens and said nothing; requests are planned within %d from now on",
            parts.settings.model_name,
            counted,
            sent,
            window.limit,
        )
    parts.telemetry.count("zhiji_context_truncations_total")
    return True


def _sent(turn: ActiveTurn) -> Usage:
    assert turn.context is not None
    return turn.context.usage
