"""The model extractor: one call per increment, its answer read tolerantly, validated strictly, grounded in the messages.

The prompt offers the known keyed memories as ``#0`` … ``#n``; an answer may refer to these and to no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from zhiji import policies, text
from zhiji.errors import ExtractionFailed, InvalidKey
from zhiji.extract import consent, dates, grounding, meaning, rules, weight
from zhiji.extract.answers import Fact, facts
from zhiji.extract.base import Extractor, Increment, Proposal
from zhiji.extract.prompts import SCHEMA_NAME, asked_for, chat, schema
from zhiji.extract.safety import authority, safe
from zhiji.models.base import Model, StructuredModel
from zhiji.models.measured import name_of, reported
from zhiji.types import Completion, Draft, Memory, Message, Trust

TOOL_CONFIDENCE: Final = 0.8
"""Most that a fact may claim which only a tool or the assistant vouches for."""
IMPORTANT: Final = 4
"""Least importance of what `weight` says matters, and of what the user asked to remember (article S5.2)."""


class ModelExtractor(Extractor):
    """Proposes memories by asking a chat model."""

    name = "model"
    keeps_requests = True

    def __init__(self, model: Model) -> None:
        self._model = model
        self.model = name_of(model)

    async def extract(self, increment: Increment) -> Proposal:
        """Return the drafts that the model proposes and the messages ground.

        Raises:
            ExtractionFailed: the answer could not be read, or all of it is in another language than the conversation.
            ModelError: the model failed.
        """
        completion = await self._asked(increment)
        tokens = sum(count for _, count in reported(completion.usage))
        try:
            found, junk = facts(completion.text)
        except ExtractionFailed as error:
            raise ExtractionFailed(str(error), tokens=tokens) from error
        reasons = [f"{junk} elements were no facts"] if junk else []
        drafts: list[Draft] = []
        for fact in found:
            outcome = _draft(fact, increment)
            if isinstance(outcome, Draft):
                drafts.append(outcome)
            elif outcome:
                reasons.append(outcome)
        if not drafts and reasons and all("language" in reason for reason in reasons):
            raise ExtractionFailed(
                "the answer is in another language than the conversation; the job will be retried", tokens=tokens
            )
        drafts = [*drafts, *_requested(increment, drafts)]
        return Proposal(drafts=drafts, partial=bool(reasons), reasons=reasons, tokens=tokens)

    async def _asked(self, increment: Increment) -> Completion:
        if isinstance(self._model, StructuredModel):
            return await self._model.structured(chat(increment), schema(), SCHEMA_NAME)
        return await self._model(chat(increment), ())


def _requested(increment: Increment, drafts: Sequence[Draft]) -> list[Draft]:
    """Return what the rules read of explicit requests to remember or forget, without what the model has read as well."""
    wanted = [draft for draft in rules.propose(increment) if draft.asked or draft.op == "forget"]
    return [draft for draft in wanted if not any(_tells(other, draft) for other in drafts)]


def _tells(draft: Draft, wanted: Draft) -> bool:
    """Return whether a model's draft does what the rules read: the same to the same key, or to most of the same words."""
    if draft.op != wanted.op:
        return False
    if draft.key and draft.key == wanted.key:
        return True
    own = set(grounding.own(wanted.content))
    return bool(set(draft.seqs) & set(wanted.seqs)) and 2 * len(own & set(grounding.own(draft.content))) >= len(own)


# --- from fact to draft -------------------------------------------------------------------------------------------


def _draft(fact: Fact, increment: Increment) -> Draft | str:
    """Return the draft, or why there is none; an empty string if the model itself said that there is nothing to do."""
    if fact.op == "none":
        return ""
    if fact.op == "forget" and not consent.may_ask_to_forget(increment.messages):
        fact = fact.model_copy(update={"op": "retract"})
    known = _offered(fact.ref, increment.offered)
    if known is None and (not fact.content or (fact.ref is not None and fact.op != "assert")):
        return "a reference to a memory that was not offered"
    if known is not None and any(known.id == memory.id for memory in increment.pending):
        return _replied(fact, known, increment)
    if fact.op != "assert" and known is not None:
        return _withdrawal(fact, known, increment)
    if fact.type not in asked_for():
        return f"unknown type {text.truncate(text.fence(fact.type), 24)}"
    messages = {message.seq: message for message in (*increment.context, *increment.messages)}
    sources = grounding.cited(fact, messages)
    fact = grounding.without_wrong_dates(fact, sources)
    failure = grounding.failure(fact, sources, list(messages.values())) or meaning.failure(fact, sources)
    if failure:
        return failure
    vouches = grounding.trust(fact, sources)
    fresh = {message.seq for message in increment.messages}
    if vouches is None or not any(message.seq in fresh for message in sources):
        return "said by nobody who may say it"
    if vouches is Trust.ASSISTANT and _is_echo(fact, increment.recalled):
        return "an echo of what was recalled"
    if fact.op == "assert" and consent.is_refused(fact.content, fact.key, sources, increment.messages):
        return "the user does not want it remembered"
    draft = dates.dated(_asserted(fact, known, sources, vouches, increment.known), messages)
    return safe(draft) or "nothing is left of it after masking"


def _offered(ref: str | None, known: Sequence[Memory]) -> Memory | None:
    """Return the memory that ``#n`` stands for; ids that were not offered stand for none."""
    return next((memory for index, memory in enumerate(known) if ref == f"#{index}"), None)


def _replied(fact: Fact, pending: Memory, increment: Increment) -> Draft | str:
    """Return what the user's reply to the question about a waiting memory makes of it."""
    draft = _withdrawal(fact, pending, increment)
    if isinstance(draft, str) or fact.op != "assert":
        return draft if isinstance(draft, str) else replace(draft, op="forget", key=None)
    if any(consent.declines(message.content) for message in increment.messages if message.seq in draft.seqs):
        return "no yes of the user"
    return replace(
        draft,
        op="assert",
        asked=True,
        importance=pending.importance,
        confidence=max(fact.confidence, pending.confidence),
    )


def _withdrawal(fact: Fact, known: Memory, increment: Increment) -> Draft | str:
    said = [message.seq for message in increment.messages if message.role == "user"]
    seqs = [seq for seq in fact.sources if seq in said] or said[-1:]
    if not seqs:
        return "withdrawn by nobody"
    return Draft(
        type=known.type, content=known.content, key=known.key, value=known.value, confidence=fact.confidence, trust=Trust.USER,
        seqs=tuple(seqs), lang=known.lang, op="forget" if fact.op == "forget" else "retract",
    )  # fmt: skip


def _asserted(
    fact: Fact, known: Memory | None, sources: Sequence[Message], vouches: Trust, offered: Sequence[Memory]
) -> Draft:
    key = _key(fact, known)
    if key is not None and not (grounding.has_key(key, sources) or any(memory.key == key for memory in offered)):
        key = None
    capped = fact.confidence if vouches in (Trust.USER, Trust.MODEL) else min(fact.confidence, TOOL_CONFIDENCE)
    asked = any(consent.asks_to_remember(message) for message in sources if message.role == "user")
    matters = asked or weight.matters(fact, key, vouches, sources[-1])
    return Draft(
        type=fact.type,
        content=fact.content.strip(),
        key=key,
        value=grounding.value(fact, sources),
        importance=max(fact.importance, IMPORTANT) if matters else fact.importance,
        confidence=capped,
        trust=vouches,
        seqs=tuple(sorted(message.seq for message in sources)),
        lang=text.language(fact.content),
        op="retract" if fact.op == "retract" else "forget" if fact.op == "forget" else "assert",
        asked=asked,
        suspicious=authority(fact.content) if vouches in (Trust.USER, Trust.MODEL) else "",
    )


def _key(fact: Fact, known: Memory | None) -> str | None:
    """Return the fact's key in canonical form; a key that does not fit its type is dropped, the fact is kept."""
    if known is not None and known.type == fact.type and known.key:
        return known.key
    type, id = text.key_parts(fact.key or "")
    if type != fact.type:
        return None
    try:
        key = text.business_key(type, id)
    except InvalidKey:
        return None
    is_attribute = policies.attribute(key) is not None
    return key if is_attribute or type not in ("identity", "preference") else None


def _is_echo(fact: Fact, recalled: Sequence[str]) -> bool:
    content = text.normalise(fact.content)
    return any(content in text.normalise(echo) or text.normalise(echo) in content for echo in recalled)
