"""Business tools for ``zhiji chat`` and ``zhiji serve``: the host's own, or the demo shop's."""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zhiji.errors import ConfigError

if TYPE_CHECKING:
    from zhiji.config import Settings

Register = Callable[[Any], object]
"""Called once with the open zhiji; offers tools with its ``tool``."""

OFFLINE = "offline"


@contextmanager
def offered(settings: Settings, *, shop: bool | None = None) -> Iterator[Register]:
    """Give what registers the tools in force, which work while the block lasts.

    Those of ``settings.tools`` if set; else the demo shop's, with the offline model or if ``shop`` says so; else none.

    Raises:
        ConfigError: ``settings.tools`` names no function; the text says what is wrong.
    """
    if settings.tools is not None:
        yield load(settings.tools)
    elif offers_shop(settings) if shop is None else shop:
        with _shop() as register:
            yield register
    else:
        yield lambda zj: None


def offers_shop(settings: Settings) -> bool:
    """Return whether the demo shop's tools are offered unless told otherwise."""
    return settings.tools is None and settings.model_name == OFFLINE


def load(name: str) -> Register:
    """Return the function that ``MODULE:FUNCTION`` names; modules of the current folder count.

    Raises:
        ConfigError: there is no such module or function.
    """
    module_name, _, function_name = name.partition(":")
    if not module_name or not function_name:
        raise _wrong(f"{name!r} is not MODULE:FUNCTION, such as shop:register")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module_name), function_name, None)
    except ModuleNotFoundError as error:
        hint = (
            f", write {name.replace('.py:', ':')}" if module_name.endswith(".py") else f" in {Path.cwd()} or installed"
        )
        raise _wrong(f"there is no module {error.name}{hint}") from error
    except Exception as error:
        raise _wrong(f"importing {module_name} failed ({type(error).__name__})") from error
    if not callable(found):
        raise _wrong(f"module {module_name} has no function {function_name}")
    return _guarded(name, found)


def _guarded(name: str, function: Callable[[Any], object]) -> Register:
    def register(zj: Any) -> None:
        try:
            function(zj)
        except ConfigError:
            raise
        except Exception as error:
            raise _wrong(f"calling {name} failed ({type(error).__name__})") from error

    return register


def _wrong(what: str) -> ConfigError:
    return ConfigError(f"tools: {what}; give a function that takes the open zhiji", setting="tools")


@contextmanager
def _shop() -> Iterator[Register]:
    from zhiji.demo import script
    from zhiji.demo.shop import Shop

    orders = [order for name in script.BUILT_IN for order in script.built_in(name).shop.orders]
    with tempfile.TemporaryDirectory(prefix="zhiji-shop-") as folder:
        held = Shop(Path(folder) / "shop.db", orders)
        yield lambda zj: held.offer(zj.tool)
