"""Models and embedders behind any endpoint that speaks the OpenAI protocol, through the ``openai`` package.

``answers`` reads what models answer, ``failures`` what went wrong, ``client`` asks and asks again, ``chat`` is the model,
``embed`` the embedder. The package takes half a second to import: only the engine does, and only where one is configured.
"""

from zhiji.models.openai_compatible.chat import OpenAIModel
from zhiji.models.openai_compatible.embed import OpenAIEmbedder

__all__ = ["OpenAIEmbedder", "OpenAIModel"]
