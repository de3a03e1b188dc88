"""Which new memories a deletion record names."""

from __future__ import annotations

from dataclasses import replace

from zhiji.stores.base import MemoryChange, MemoryPut, Tombstone
from zhiji.stores.tombstones import Candidates
from zhiji.testing.values import at, memory
from zhiji.types import Source


def digest(text: str) -> str:
    """Return something that stands for the text."""
    return f"<{text}>"


def test_the_last_record_by_content_or_key_counts() -> None:
    """A memory is named by its words, written in any width, or by its key; of several records the last one counts."""
    said = (Source(session="ses_1", seqs=(1,)),)
    new = [
        replace(memory("m1", "ＡＢＣ 对花生过敏"), sources=said, key=None),
        replace(memory("m2", "likes tea 😀"), sources=said, key="preference:drink"),
        replace(memory("m3", "住在杭州"), sources=said, key=None),
    ]
    candidates = Candidates.of(MemoryChange(puts=[MemoryPut(memory=one) for one in new]), digest)
    content = candidates.digests["m1"]
    records = [
        Tombstone(key=None, content_digest=content, deleted_at=at(1)),
        Tombstone(key="<preference:drink>", content_digest="<gone>", deleted_at=at(5)),
        Tombstone(key=None, content_digest=content, deleted_at=at(3)),
        Tombstone(key=None, content_digest=candidates.digests["m2"], deleted_at=at(4)),
    ]
    assert list(candidates.deleted(records)) == [(new[0], at(3)), (new[1], at(5))]
    assert (
        content
        == candidates.of(
            MemoryChange(puts=[MemoryPut(memory=replace(new[0], content="abc 对花生过敏"))]), digest
        ).digests["m1"]
    )


def test_what_is_known_or_written_by_hand_is_no_candidate() -> None:
    """A memory that was there before, or comes from no dialogue, is nothing that a record forbids."""
    known = replace(memory("m1", "对花生过敏"), revision=1, sources=(Source(session="ses_1", seqs=(1,)),))
    by_hand = replace(memory("m2", "对花生过敏"), sources=())
    change = MemoryChange(puts=[MemoryPut(memory=one) for one in (known, by_hand)])
    assert list(Candidates.of(change, digest).memories) == []
