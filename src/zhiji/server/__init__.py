"""The service: zhiji behind HTTP, one router per noun, nothing of its own."""
