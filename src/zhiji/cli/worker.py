"""``zhiji worker``: a process that runs the background jobs of a store, beside ``zhiji serve`` and other workers."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zhiji import urls
from zhiji.cli import exits, show
from zhiji.cli.words import explain, say
from zhiji.errors import StoreError
from zhiji.types import JobStatus, WorkerRole

if TYPE_CHECKING:
    from zhiji.config import Settings
    from zhiji.engine import Zhiji
    from zhiji.telemetry import Tracer

OPENING_PAUSE_SECONDS = 2.0
"""Between two tries to open a store that is busy or full."""


def worker(
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", min=1, max=256, help="Jobs run at once (default: 1, or 4 if a model extracts)."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Run the jobs that are due now, then exit.")] = False,
) -> None:
    """Run background jobs until stopped; those that run are finished first, or given back."""
    from zhiji.config import Settings

    given = {} if concurrency is None else {"job_concurrency": concurrency}
    settings = Settings.from_environment(**{"worker": not once, **given})
    asyncio.run(work_off(settings) if once else live(settings))


async def live(settings: Settings, **parts: Any) -> None:
    """Jobs are run until SIGTERM or SIGINT; a second one ends the process at once. ``parts`` go to ``Zhiji.open``."""
    stopped = _stopped_by_signal()
    async with AsyncExitStack() as stack:
        parts["tracer"] = _tracer(stack, settings)
        if await _opened(stack, settings, stopped, parts) is None:
            return
        show.notice(
            say(
                "working on {store}; stop with Ctrl+C",
                store=urls.shown(settings.database_url).removeprefix("sqlite:///"),
            )
        )
        await stopped.wait()
        show.notice(
            say("stopping: what runs gets {seconds:g} s, then it is given back", seconds=settings.drain_seconds)
        )


async def work_off(settings: Settings, **parts: Any) -> None:
    """Every job that was due is done, dead, or waits for its next attempt.

    Raises:
        StoreError: the store cannot be opened, or fails: whoever asks for one run has to hear it. typer.Exit: a signal came.
    """
    stopped = _stopped_by_signal()
    async with AsyncExitStack() as stack:
        parts["tracer"] = _tracer(stack, settings)
        zj = await _open(stack, settings, parts)
        drained = asyncio.create_task(zj.drain(patient=True))
        signalled = asyncio.create_task(stopped.wait())
        signalled.add_done_callback(lambda _: drained.cancel())
        with suppress(asyncio.CancelledError):
            await drained
        signalled.cancel()
        if stopped.is_set():
            raise typer.Exit(exits.INTERRUPTED)
        dead = await zj.jobs.list(statuses=[JobStatus.DEAD], limit=1000)
        waiting = await zj.jobs.list(statuses=[JobStatus.PENDING], limit=1000)
    show.done(
        {"dead": len(dead), "waiting": len(waiting)},
        say("No job is due; {waiting} wait for their time, {count} are dead.", waiting=len(waiting), count=len(dead)),
    )


async def _opened(
    stack: AsyncExitStack, settings: Settings, stopped: asyncio.Event, parts: dict[str, Any]
) -> Zhiji | None:
    """Return zhiji, opened as soon as its store lets itself be; None if a signal came first. Why it waits is said once."""
    told = ""
    while not stopped.is_set():
        try:
            return await _open(stack, settings, parts)
        except StoreError as error:
            if not error.retryable:
                raise
            if (why := explain(error)) != told:
                show.notice(why)
                told = why
        with suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), OPENING_PAUSE_SECONDS)
    return None


async def _open(stack: AsyncExitStack, settings: Settings, parts: dict[str, Any]) -> Zhiji:
    """Return zhiji, which shows its metrics where the settings say."""
    from zhiji.engine import Zhiji

    zj = await stack.enter_async_context(Zhiji.open(settings, role=WorkerRole.WORKER, **parts))
    await _show_metrics(stack, zj)
    return zj


def _tracer(stack: AsyncExitStack, settings: Settings) -> Tracer | None:
    from zhiji.tracing import exporting

    return stack.enter_context(exporting(settings))


async def _show_metrics(stack: AsyncExitStack, zj: Zhiji) -> None:
    if zj.settings.metrics_port:
        from zhiji.server.aside import exposed

        await stack.enter_async_context(exposed(zj))


def _stopped_by_signal() -> asyncio.Event:
    """Return an event that the first SIGTERM or SIGINT sets; the next one ends the process on the spot."""
    stopped = asyncio.Event()

    def stop() -> None:
        if stopped.is_set():
            os._exit(exits.INTERRUPTED)
        stopped.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    return stopped
