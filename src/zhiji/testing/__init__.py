"""Public test doubles and conformance suites: third parties prove their backend, model or embedder with them."""

from zhiji.testing.doubles import FrozenClock, HashEmbedder, ModelCall, ScriptedModel, ScriptStep

__all__ = ["FrozenClock", "HashEmbedder", "ModelCall", "ScriptStep", "ScriptedModel"]
