"""What the deployment files name exists, and what they show as a default is one."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from zhiji import cli
from zhiji.config import BARE_NAMES, Settings
from zhiji.server.app import create_app

ROOT = Path(__file__).parents[2]
UNITS = ("deploy/zhiji.service", "deploy/zhiji-worker.service")
FILES = (".env.example", "Containerfile", "compose.yaml", *UNITS)
DEFAULTS = Settings.model_construct()
SETTINGS = {*BARE_NAMES, *(f"ZHIJI_{name.upper()}" for name in Settings.model_fields)}
ENTRY = re.compile(r"^(# )?([A-Z][A-Z0-9_]*)=(.*)$", re.MULTILINE)
SECRET = re.compile(r"(?:KEY|TOKEN|PASSWORD)$")
PLACEHOLDERS = ("", "your-key")


def read(name: str) -> str:
    """Return a file of the project."""
    return (ROOT / name).read_text(encoding="utf-8")


# --- what is asked of each file: complaints, none if it is right ---------------------------------------------------------


def unknown_settings(names: Iterable[str]) -> Iterator[str]:
    """Complain about names that look like settings and are none."""
    known = {*SETTINGS, "PATH", "PYTHONUNBUFFERED"}
    yield from (f"{name} is no setting" for name in names if name not in known)


def unknown_command(words: list[str]) -> Iterator[str]:
    """Complain about a command, given without ``zhiji``, that is not there, or an option that it lacks."""
    command: Any = get_command(cli.app).commands.get(words[0])  # type: ignore[attr-defined]  # typer's classes are private
    if command is None:
        yield f"there is no command {words[0]}"
        return
    options = {spelling for param in command.params for spelling in param.opts}
    yield from (f"{words[0]} has no {word}" for word in words[1:] if word.startswith("-") and word not in options)


def env_file(text: str) -> Iterator[str]:
    """Names are settings, values of lines in force are defaults, every name of the article is there, no secret is."""
    entries = [(not off, name, value.strip("'")) for off, name, value in ENTRY.findall(text)]
    yield from unknown_settings(name for _, name, _ in entries)
    yield from (f"{name} is missing" for name in BARE_NAMES if name not in {name for _, name, _ in entries})
    yield from (
        f"{name} holds a secret"
        for active, name, value in entries
        if SECRET.search(name) and (active or value not in PLACEHOLDERS)
    )
    for name, value in ((name, value) for active, name, value in entries if active and name in SETTINGS):
        field = name.removeprefix("ZHIJI_").lower()
        if str(getattr(DEFAULTS, field)) != value:
            yield f"{name}={value} is not the default"
    yield from (f"trailing comment: {line}" for line in text.splitlines() if re.match(r"[^#]*\s#", line))


def containerfile(text: str) -> Iterator[str]:
    """Images have plain names, what is copied is there and let through, and the rest fits the product."""
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    steps = [(word, rest) for word, _, rest in (line.partition(" ") for line in lines) if word.isupper()]
    said = dict(steps)
    yield from (f"{rest} names a registry" for word, rest in steps if word == "FROM" and "/" in rest)
    copied = [path for word, rest in steps if word == "COPY" and "--from" not in rest for path in rest.split()[:-1]]
    yield from _copied(copied)
    yield from _installed(re.findall(r"pip install (\S.*? -r \S+)", "\n".join(lines)), copied)
    yield from unknown_settings(re.findall(r"([A-Z_]+)=", said["ENV"]))
    if json.loads(said["ENTRYPOINT"]) != list(scripts()):
        yield "the entry point is not the project's script"
    yield from unknown_command(json.loads(said["CMD"]))
    if said["USER"] in ("root", "0") or f" {said['USER']} " not in said["RUN"]:
        yield "it runs as root, or as nobody who was made"
    if said["WORKDIR"] != said["VOLUME"]:
        yield "the files of the working directory are in no volume"
    if said["EXPOSE"] != str(DEFAULTS.port):
        yield f"{said['EXPOSE']} is not the port"
    yield from _health(said["HEALTHCHECK"])


def _copied(paths: Sequence[str]) -> Iterator[str]:
    allowed = {line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")}
    yield from (f"{path} is not there" for path in paths if not (ROOT / path).exists())
    yield from (f"{path} is left out by .dockerignore" for path in paths if path not in allowed)


def _installed(installs: Sequence[str], copied: Sequence[str]) -> Iterator[str]:
    yield from (f"without hashes: {one}" for one in installs if "--require-hashes" not in one)
    yield from (f"not copied: {one}" for one in installs if one.split()[-1] not in copied)


def _health(check: str) -> Iterator[str]:
    program = json.loads(check.partition("CMD ")[2])[2]
    compile(program, "HEALTHCHECK", "exec")
    if f"'ZHIJI_PORT', {DEFAULTS.port})" not in program:
        yield "the health check asks another port"
    path = re.search(r"\}(/\w+)", program)
    if path is None or path[1] not in create_app(Settings.load(auth=False)).openapi()["paths"]:
        yield "the health check asks a path that is not there"


def compose(text: str) -> Iterator[str]:
    """Commands, settings, ports, volumes and time-outs fit the product."""
    file = yaml.safe_load(text)
    for name, service in file["services"].items():
        yield from (f"{name}: {one}" for one in _service(service, file))
    if len({service["image"] for service in file["services"].values()}) != 1 or "/" in file["x-zhiji"]["image"]:
        yield "the services do not run one image of a plain name"
    yield from unknown_settings(re.findall(r"ZHIJI_[A-Z_]+", text))


def _service(service: dict[str, Any], file: dict[str, Any]) -> Iterator[str]:
    environment, env_path = service["environment"], service["env_file"]
    yield from unknown_command(service["command"])
    yield from (f"no volume {one}" for one in service["volumes"] if one.split(":")[0] not in file["volumes"])
    yield from (f"{one} is not mounted" for one in service["volumes"] if not mounted(one))
    if float(service["stop_grace_period"].rstrip("s")) <= DEFAULTS.drain_seconds:
        yield "it is killed before it has drained"
    if not (ROOT / f"{env_path}.example").exists() or env_path not in read(".gitignore").split():
        yield f"{env_path} has no example, or is not ignored"
    hosts = json.loads(environment.get("ZHIJI_ALLOWED_HOSTS", "[]"))
    yield from (f"{host} is no service" for host in hosts if host not in file["services"])
    yield from (f"it publishes {port}" for port in service.get("ports", ()) if port != published())
    if not (ROOT / service.get("build", {}).get("dockerfile", "Containerfile")).exists():
        yield "its Containerfile is not there"
    if environment.get("ZHIJI_WORKER") != "false":
        yield "the background work runs in serve, too"


def scripts() -> dict[str, str]:
    """Return the programs that the project installs."""
    found: dict[str, str] = tomllib.loads(read("pyproject.toml"))["project"]["scripts"]
    return found


def mounted(volume: str) -> bool:
    """Return whether a volume is mounted where the image keeps its data."""
    return f"\nVOLUME {volume.split(':')[1]}\n" in read("Containerfile")


def published() -> str:
    """Return the mapping of ports that keeps the service on this machine."""
    return f"127.0.0.1:{DEFAULTS.port}:{DEFAULTS.port}"


def unit(text: str) -> Iterator[str]:
    """The command, the settings, the time-outs and the other unit exist; nothing runs as root or leaves its folder."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # the documented way to keep case
    parser.read_string(text)
    service = parser["Service"]
    program, *words = service["ExecStart"].split()
    if Path(program).name not in scripts():
        yield f"{program} is not the project's script"
    if f"PATH={Path(program).parent}:" not in read("Containerfile"):
        yield f"{program} is installed elsewhere"
    yield from unknown_command(words)
    yield from unknown_settings(re.findall(r"(\w+)=", service.get("Environment", "")))
    if float(service["TimeoutStopSec"]) <= DEFAULTS.drain_seconds:
        yield "it is killed before it has drained"
    if service["WorkingDirectory"] != f"%S/{service['StateDirectory']}":
        yield "the files of the working directory are not kept"
    yield from (f"{key} is not {want}" for key, want in HARDENING.items() if service.get(key) != want)
    page = read("docs/howto/deploy.md")
    places = (service["EnvironmentFile"].lstrip("-"), f" {service['User']}\n", f"/var/lib/{service['StateDirectory']}")
    yield from (f"the page does not make {place.strip()}" for place in places if place not in page)
    wanted = parser["Unit"].get("Wants", "").split()
    yield from (f"there is no {one}" for one in wanted if one.startswith("zhiji") and f"deploy/{one}" not in UNITS)
    yield from (f"there is no {path}" for path in re.findall(r"docs/\S+\.md", text) if not (ROOT / path).exists())


HARDENING = {
    "User": "zhiji",
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "UMask": "0077",
    "StateDirectoryMode": "0700",
    "KillMode": "mixed",
    "SystemCallFilter": "@system-service",
}
CHECKS: dict[str, Callable[[str], Iterator[str]]] = {
    ".env.example": env_file,
    "Containerfile": containerfile,
    "compose.yaml": compose,
    **dict.fromkeys(UNITS, unit),
}


# --- the files are right, and a wrong one would be found -------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_the_file_fits_the_product(name: str) -> None:
    """Every command, option, setting, path, port and default that the file names is one of the product."""
    assert list(CHECKS[name](read(name))) == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (".env.example", "SESSION_TTL_SECONDS=1800", "SESSION_TTL_SECONDS=3600"),
        (".env.example", "MAX_CONTEXT_TOKENS", "MAX_CONTEXT_TOKEN"),
        (".env.example", "# REDIS_URL=redis://localhost:6379/0\n", ""),
        (".env.example", "# LLM_API_KEY=your-key", "# LLM_API_KEY=sk-live"),
        (".env.example", "# ZHIJI_TOKEN=\n", "ZHIJI_TOKEN=0123456789abcdef\n"),
        (".env.example", "MEMORY_TOP_K=5", "MEMORY_TOP_K=5 # few"),
        ("Containerfile", '["serve"]', '["server"]'),
        ("Containerfile", "/readyz", "/ready"),
        ("Containerfile", "8000)", "8080)"),
        ("Containerfile", "EXPOSE 8000", "EXPOSE 80"),
        ("Containerfile", "USER zhiji", "USER root"),
        ("Containerfile", "USER zhiji", "USER app"),
        ("Containerfile", "FROM python", "FROM registry.example.com/library/python"),
        ("Containerfile", "COPY src src", "COPY source src"),
        ("Containerfile", "COPY src src", "COPY tests tests"),
        ("Containerfile", "--require-hashes -r requirements/runtime.lock", "-r requirements/runtime.lock"),
        ("Containerfile", "ZHIJI_HOST", "ZHIJI_ADDRESS"),
        ("Containerfile", "VOLUME /data", "VOLUME /var/data"),
        ("Containerfile", 'ENTRYPOINT ["zhiji"]', 'ENTRYPOINT ["zhi"]'),
        ("compose.yaml", "[worker]", "[work]"),
        ("compose.yaml", "[serve]", "[serve, --fast]"),
        ("compose.yaml", "ZHIJI_WORKER", "ZHIJI_WORKERS"),
        ("compose.yaml", "127.0.0.1:8000:8000", "8000:8000"),
        ("compose.yaml", "127.0.0.1:8000:8000", "127.0.0.1:8000:80"),
        ("compose.yaml", "data:/data", "data:/var/lib/zhiji"),
        ("compose.yaml", "data:/data", "files:/data"),
        ("compose.yaml", "30s", "10s"),
        ("compose.yaml", '["serve"]', '["zhiji"]'),
        ("compose.yaml", "{ZHIJI_TOKEN_FILE:", "{ZHIJI_SECRET_FILE:"),
        ("compose.yaml", "dockerfile: Containerfile", "dockerfile: Dockerfile"),
        ("compose.yaml", "image: zhiji", "image: example.com/zhiji"),
        ("compose.yaml", "env_file: .env", "env_file: zhiji.env"),
        *((name, "TimeoutStopSec=30", "TimeoutStopSec=20") for name in UNITS),
        *((name, "ProtectSystem=strict", "ProtectSystem=full") for name in UNITS),
        *((name, "StateDirectory=zhiji", "StateDirectory=data") for name in UNITS),
        *((name, "/etc/zhiji/zhiji.env", "/etc/zhiji.env") for name in UNITS),
        *((name, "docs/howto/deploy.md", "docs/howto/deployment.md") for name in UNITS),
        *((name, "/opt/zhiji/bin/zhiji ", "/usr/bin/zhiji ") for name in UNITS),
        *((name, "/bin/zhiji ", "/bin/zhiji jobs") for name in UNITS),
        (UNITS[0], "ZHIJI_WORKER", "ZHIJI_BACKGROUND"),
        (UNITS[0], "zhiji-worker.service\nAfter", "zhiji-jobs.service\nAfter"),
    ],
)
def test_a_wrong_name_is_found(name: str, old: str, new: str) -> None:
    """Each of these slips in a deployment file would fail the test above."""
    text = read(name)
    assert old in text
    assert set(CHECKS[name](text.replace(old, new))) - set(CHECKS[name](text))


def test_the_example_is_read_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment made of the lines in force gives the default settings."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    for off, name, value in ENTRY.findall(read(".env.example")):
        if not off:
            monkeypatch.setenv(name, value)
    assert Settings.from_environment() == Settings.load()


def test_the_image_has_everything_the_build_needs() -> None:
    """What the build backend reads of the project is copied into the image."""
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert {project["readme"], *project["license-files"], "pyproject.toml", "src"} <= set(
        re.findall(r"\S+", read("Containerfile"))
    )
