"""The SQL in the source of a store: every string that names a table with an owner, and how many of its tables lack one."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

TABLE = re.compile(r"(?:FROM|JOIN|INTO|UPDATE|USING|ONLY)\s+zhiji_(\w+|\{table\})", re.IGNORECASE)


@dataclass(frozen=True)
class Scan:
    """How one store's statements are read."""

    package: ModuleType
    owned: Collection[str]
    """Tables with a column ``owner``, without the prefix."""
    scoped: re.Pattern[str]
    """What ties one table to an owner."""
    passed_over: Collection[str] = ("schema.py",)

    def statements(self) -> Iterator[tuple[str, str]]:
        """Yield place and text of each statement, or part of one, with the constants that are put into it."""
        for source in sorted(Path(str(self.package.__file__)).parent.glob("*.py")):
            if source.name in self.passed_over:
                continue
            module = importlib.import_module(f"{self.package.__name__}.{source.stem}")
            tree = ast.parse(source.read_text(encoding="utf-8"))
            for top in tree.body:
                parts = {id(part) for node in ast.walk(top) if isinstance(node, ast.JoinedStr) for part in node.values}
                for node in ast.walk(top):
                    if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in parts:
                        said = _said(node, vars(module))
                        if self._tables(said):
                            yield f"{source.stem}.{_name(top)}", said

    def uneven(self) -> dict[str, int]:
        """Return by place how many more tables its statements name than are tied to an owner, where that is not 0.

        Below 0: owners themselves are joined besides, which would hide a table without its tie.
        """
        found: Counter[str] = Counter()
        for place, said in self.statements():
            found[place] += self.unscoped(said)
        return {place: count for place, count in found.items() if count}

    def unscoped(self, said: str) -> int:
        """Return how many of the tables that a statement names are tied to no owner."""
        return self._tables(said) - len(self.scoped.findall(said))

    def _tables(self, said: str) -> int:
        return sum(table in self.owned or table == "{table}" for table in TABLE.findall(said))


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return getattr(node, "name", "")


def _said(node: ast.expr, names: Mapping[str, object]) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_said(part, names) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        written = ast.unparse(node.value)
        return str(names.get(written, f"{{{written}}}"))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
