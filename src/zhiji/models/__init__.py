"""Models: what zhiji calls to complete a turn, and the embedders. Concrete ones are imported by the engine only."""
