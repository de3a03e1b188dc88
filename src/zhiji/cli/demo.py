"""``zhiji demo``: play a story and see whether the assistant remembers."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from zhiji.cli import show
from zhiji.cli.exits import CHECK_FAILED


def demo(
    file: Annotated[
        Path | None, typer.Option("--script", metavar="FILE", help="Play this story instead of the built-in ones.")
    ] = None,
    no_memory: Annotated[
        bool, typer.Option("--no-memory", help="The control: recall is switched off, and the story must fail.")
    ] = False,
    lang: Annotated[Literal["zh", "en"] | None, typer.Option("--lang", help="Only this built-in story.")] = None,
) -> None:
    """Play a story of several days offline; exit 1 if the assistant did not remember."""
    from zhiji.demo import script
    from zhiji.demo.play import play

    names = [lang] if lang else script.BUILT_IN
    stories = [script.load(file)] if file else [script.built_in(name) for name in names]
    console = None if show.AS_JSON.get() else show.out()
    results = [asyncio.run(play(story, no_memory=no_memory, console=console)) for story in stories]
    passed = all(result.passed for result in results)
    if console is None:
        told = {"passed": passed, "stories": [result.to_json() for result in results]}
        sys.stdout.write(json.dumps(told, ensure_ascii=False, indent=2) + "\n")
    if not passed:
        raise typer.Exit(CHECK_FAILED)
