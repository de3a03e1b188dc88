"""The service with a Redis that allows next to nothing."""

from __future__ import annotations

from server.conftest import OpenService
from zhiji.testing.servers import Valkey


async def test_core_commands_are_enough(open_service: OpenService, valkey_server: Valkey) -> None:
    """Where MODULE, CONFIG, KEYS, JSON.* and FT.* are refused, a session is made, continued, read and deleted, and all is well (C017)."""
    with valkey_server.admin() as admin:
        rules = "~zhiji:* +set +get +unlink"
        admin.execute_command("ACL", "SETUSER", "bare", "reset", "on", ">secret", *rules.split())  # type: ignore[no-untyped-call]
    url = valkey_server.url.replace("redis://", "redis://bare:secret@")
    async with open_service("好的", "Sure", redis_url=url, redis_timeout_seconds=10) as service:
        session = (await service.chat("你好 👋"))["session_id"]
        assert (await service.chat("again", session_id=session))["reply"] == "Sure"
        page = (await service.client.get(f"/v1/users/u1/sessions/{session}/messages")).json()
        assert [message["content"] for message in page["messages"]] == ["你好 👋", "好的", "again", "Sure"]
        assert (await service.client.get("/readyz")).status_code == 200
        metrics = (await service.client.get("/metrics")).text
        assert "\nzhiji_redis_up 1" in metrics
        assert 'zhiji_live_sessions_total{outcome="hit"} 1' in metrics
        assert (await service.client.delete("/v1/users/u1")).status_code == 200
        gone = await service.client.get(f"/v1/users/u1/sessions/{session}")
        assert gone.status_code == 404
        assert service.zj.telemetry.value("zhiji_redis_failures_total") == 0
