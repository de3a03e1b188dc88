"""``zhiji serve``: memory behind HTTP; ``zhiji token``: what its clients send."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from zhiji.cli import show
from zhiji.cli.offers import offered, offers_shop
from zhiji.cli.words import say
from zhiji.errors import Forbidden

if TYPE_CHECKING:
    from zhiji.config import Settings


def serve(
    host: Annotated[str | None, typer.Option("--host", help="Listen on this address (default: 127.0.0.1).")] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Listen on this port; 0: any free one.")
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option("--allowed-host", help="Answer also under this host name; may be repeated."),
    ] = None,
    tools: Annotated[
        str | None, typer.Option("--tools", metavar="MODULE:FUNCTION", help="Offer the tools that this function adds.")
    ] = None,
    no_auth: Annotated[bool, typer.Option("--no-auth", help="Ask no client for the token; loopback only.")] = False,
) -> None:
    """Answer over HTTP and WebSocket until stopped; running turns and jobs are finished first."""
    from zhiji.config import Settings
    from zhiji.server import run

    given = {"host": host, "port": port, "allowed_hosts": allowed_host or None, "tools": tools}
    settings = Settings.from_environment(
        **{name: value for name, value in given.items() if value is not None}, **({"auth": False} if no_auth else {})
    )
    with offered(settings) as register:
        asyncio.run(run.serve(settings, register=register, announce=_announcing(settings)))


def token() -> None:
    """Show the token on a terminal; it is made if there is none."""
    from zhiji.config import Settings
    from zhiji.server.token import require

    settings = Settings.from_environment()
    found = require(settings)
    if not sys.stdout.isatty():
        raise Forbidden(
            say("the token is shown on a terminal only; programs read it from {place}", place=_whereabouts(settings))
        )
    show.done({"token": found}, found)


def _announcing(settings: Settings) -> Callable[[str], None]:
    def announce(url: str) -> None:
        for line in started(settings, url):
            sys.stderr.write(f"zhiji: {show.visible(line)}\n")
        sys.stderr.flush()

    return announce


def started(settings: Settings, url: str) -> list[str]:
    """Return what is said at the start: where it listens, who may call, what it answers with."""
    return [
        say("listening on {url}; stop with Ctrl+C", url=url),
        say(
            "clients send `Authorization: Bearer TOKEN`, from {place}; `zhiji token` shows it",
            place=_whereabouts(settings),
        )
        if settings.auth
        else say("no token is asked for: whoever reaches this address may read and change everything"),
        say("model {model}, tools {tools}", model=settings.model_name, tools=_tools(settings)),
    ]


def _whereabouts(settings: Settings) -> str:
    return "ZHIJI_TOKEN" if settings.token is not None else os.path.abspath(settings.token_file)


def _tools(settings: Settings) -> str:
    return say("of the demo shop") if offers_shop(settings) else settings.tools or say("none")
