"""Extraction: turns → drafted memories.

``base`` says what an extractor is; ``rules`` is the embedded bilingual one; ``model`` asks a chat model. Extractors read
masked messages and propose drafts; whether and how a draft becomes a memory is decided by ``merge``.
"""

from zhiji.extract.base import Extractor, Increment, Proposal

__all__ = ["Extractor", "Increment", "Proposal"]
