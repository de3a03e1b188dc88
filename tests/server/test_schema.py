"""The OpenAPI document is the truth: schemathesis sends what it allows and what it forbids, and finds nothing."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.conftest import OpenService
from server.service import TOKEN, Service
from server.words import asked

CONFIG = Path(__file__).with_name("schemathesis.toml")
EXAMPLES = 2
"""Random requests per operation, beside those that cover each keyword of its schema. By hand, take hundreds."""


@pytest.mark.timeout(300)  # its processes share the machine with other tests
async def test_schemathesis_finds_nothing(live: OpenService, tmp_path: Path) -> None:
    """Some 1,500 requests, valid, invalid and chained by links: each answer has a status, type and shape that is documented."""
    async with live(model="offline", worker=True, sediment_wait_seconds=0) as service:
        done = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run"),
            *(f"{service.url}/openapi.json", "--checks", "all", "--max-examples", str(EXAMPLES)),
            cwd=tmp_path,  # it leaves a cache
            env={**os.environ, "ZHIJI_TOKEN": TOKEN, "COLUMNS": "200"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        report, _ = await done.communicate()
    assert done.returncode == 0, report.decode()
    assert b"No issues found" in report


METHODS = ("get", "post", "patch", "delete")


async def operations(client: httpx.AsyncClient) -> dict[str, dict[str, Any]]:
    """Every operation of the served document, by its id."""
    document = await asked(client, "GET", "/openapi.json")
    return {
        methods[method]["operationId"]: methods[method] | {"path": path, "method": method}
        for path, methods in document["paths"].items()
        for method in METHODS
        if method in methods
    }


async def test_every_route_is_described(client: httpx.AsyncClient) -> None:
    """Each operation has a name of its own, a summary, a tag, and a described answer of success."""
    document = await asked(client, "GET", "/openapi.json")
    found = await operations(client)
    assert len(found) == sum(len(methods) for methods in document["paths"].values())
    for name, one in found.items():
        assert one["summary"], name
        assert one["tags"], name
        assert [status for status in one["responses"] if status.startswith("2")], name


async def test_every_error_is_a_problem(client: httpx.AsyncClient) -> None:
    """Documented errors have one type and one shape, and say their codes."""
    for name, one in (await operations(client)).items():
        for status, answer in one["responses"].items():
            if status >= "400":
                assert list(answer["content"]) == ["application/problem+json"], (name, status)
                assert answer["description"].startswith("`"), (name, status)


async def test_every_field_is_described(client: httpx.AsyncClient) -> None:
    """No field and no parameter is left to guessing."""
    document = await asked(client, "GET", "/openapi.json")
    fields = {
        f"{name}.{field}": described
        for name, schema in document["components"]["schemas"].items()
        for field, described in schema.get("properties", {}).items()
    }
    parameters = {
        f"{name}?{given['name']}": given
        for name, one in (await operations(client)).items()
        for given in one.get("parameters", ())
    }
    assert [name for name, described in (fields | parameters).items() if not described.get("description")] == []


async def test_examples_are_valid_in_both_languages(open_service: OpenService) -> None:
    """Each example of a body, Chinese and English, is answered as if it meant somebody."""
    async with open_service(*["好的"] * 9) as service:
        found = await operations(service.client)
        bodies = {
            name: one["requestBody"]["content"]["application/json"]["examples"]
            for name, one in found.items()
            if "examples" in one.get("requestBody", {}).get("content", {}).get("application/json", {})
        }
        assert len(bodies) >= 6
        for name, examples in bodies.items():
            assert examples.keys() >= {"zh", "en"}, name
            for example in examples.values():
                one = found[name]
                path = one["path"].replace("{user}", "u1").replace("{memory}", "mem_x").replace("{session}", "ses_x")
                answer = await service.client.request(one["method"], path, json=example["value"])
                assert answer.status_code in (200, 201, 202, 404), (name, answer.text)


async def test_links_lead_to_routes_that_answer(service: Service) -> None:
    """What a route answers names the routes that take it; their parameters exist."""
    found = await operations(service.client)
    links = [
        (name, link)
        for name, one in found.items()
        for answer in one["responses"].values()
        for link in answer.get("links", {}).values()
    ]
    assert len(links) > 15
    for name, link in links:
        target = found[link["operationId"]]
        assert {given["name"] for given in target["parameters"] if given["in"] == "path"} == link[
            "parameters"
        ].keys(), name
