"""URLs of databases: written so that all their readers agree, and shown without their passwords."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from zhiji import urls
from zhiji.errors import StoreUnavailable, place

SECRET = "very-secret"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:very-secret@db.example.com/zhiji", "postgresql://me:***@db.example.com/zhiji"),
        ("postgres://李四:very-secret@db:5432,db2:5433/z", "postgres://李四:***@db:5432,db2:5433/z"),
        (
            "postgresql://me:very-secret@[::1]:5432/z?sslmode=require",
            "postgresql://me:***@[::1]:5432/z?sslmode=require",
        ),
        ("postgresql://db/z?user=me&password=very-secret", "postgresql://db/z?user=me&password=***"),
        ("postgresql://db/z?sslpassword=very-secret&port=1", "postgresql://db/z?sslpassword=***&port=1"),
        ("postgresql://db/z?pass%77ord=very-secret", "postgresql://db/z?***"),
        ("postgresql://me@/z?host=/run/postgresql", "postgresql://me@/z?host=/run/postgresql"),
        ("postgresql:///z", "postgresql:///z"),
        ("redis://:very-secret@cache:6379/0", "redis://:***@cache:6379/0"),
        ("rediss://me:very-secret@cache/0", "rediss://me:***@cache/0"),
        ("redis://very-secret@cache/0", "redis://***@cache/0"),
        ("redis://cache/0?password=very-secret&db=1", "redis://cache/0?password=***&db=1"),
        ("https://me:very-secret@llm.example.com/v1", "https://***@llm.example.com/v1"),
        ("https://very-secret@llm.example.com/v1?key=very-secret", "https://***@llm.example.com/v1?key=***"),
        ("https://me:very/secret@very-secret@llm.example.com/v1", "https://***@llm.example.com/v1"),
        ("postgresql://me:very/very-secret@db/z", "postgresql://***"),
        ("host=db password=very-secret", "***"),
        ("me:very-secret@db/z", "***"),
        ("sqlite:////var/lib/zhiji/数据 库@2.db", "sqlite:////var/lib/zhiji/数据 库@2.db"),
        ("zhiji.db", "zhiji.db"),
        ("localhost:8000/v1", "localhost:8000/v1"),
    ],
)
def test_passwords_are_not_shown(url: str, shown: str) -> None:
    """Who logs in where can be read, and no password, wherever in the URL it stands."""
    assert urls.shown(url) == shown
    assert SECRET not in shown


@pytest.mark.parametrize(
    "url",
    [
        *("postgresql://me:p@very-secret@db/z", "postgresql://me:very-secret/x@db/z", "postgresql://me:12/x@db/z"),
        *("postgresql://me:very?secret@db/z", "postgresql://me:12?x@db/z", "postgresql://me:12#x@db/z"),
        *("postgresql://me:100%very-secret@db/z", "postgresql://db:very-secret/z", "postgresql://[very-secret/z"),
        *("redis://:very-secret/x@cache/0", "redis://:p@very-secret@cache", "rediss://cache:very-secret"),
        *(
            "postgresql://db/z?very-secret",
            "postgresql://db/z?password=p@very-secret",
            "postgresql://me:very secret@db",
        ),
    ],
)
def test_what_readers_would_cut_differently_is_refused(url: str) -> None:
    """A bare sign that belongs encoded is refused by a sentence that says how, and repeats nothing."""
    with pytest.raises(ValueError, match="write @ as %40") as refused:
        urls.check(url)
    assert SECRET not in str(refused.value)
    assert urls.shown(url) == f"{url.partition('://')[0]}://***"


@given(
    scheme=st.sampled_from(["postgresql", "postgres", "redis", "rediss"]),
    user=st.text(min_size=1),
    password=st.text(min_size=1, alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
)
def test_an_encoded_password_is_read_whole_and_never_shown(scheme: str, user: str, password: str) -> None:
    """Whatever the password is: encoded it is accepted, every reader gets all of it, and nothing shown depends on it."""
    user = quote(user.replace("\0", "").encode("utf-8", "replace"), safe="") or "u"
    url = f"{scheme}://{user}:{quote(password, safe='')}@db.example.com:5432/z"
    assert urls.check(url) == url
    assert urls.shown(url) == f"{scheme}://{user}:***@db.example.com:5432/z"
    assert urlsplit(url).hostname == "db.example.com"
    if scheme.startswith("postgres"):
        assert conninfo_to_dict(url)["password"] == password


@given(
    url=st.builds(
        "{}://{}:{}@{}".format,
        st.sampled_from(["postgresql", "redis", "https"]),
        st.text("me%@:/?#", max_size=4),
        st.text("%@:/?#=&[], ", max_size=4).map(lambda signs: f"{signs[:2]}{SECRET}{signs[2:]}"),
        st.sampled_from(["db", "db:5432/z", "db/z?sslmode=require", "[::1]/z"]),
    )
)
def test_no_way_of_writing_it_shows_it(url: str) -> None:
    """However wrongly a URL is written, what stands where a password belongs is not shown."""
    assert SECRET not in urls.shown(url)


def test_the_place_of_an_error_holds_no_words() -> None:
    """What is logged of an error names classes and functions, never the text of it or of its causes."""

    def connect() -> None:
        try:
            raise OSError(f"no host {SECRET}")
        except OSError as error:
            raise StoreUnavailable(f"at {SECRET}") from error

    with pytest.raises(StoreUnavailable) as failed:
        connect()
    told = place(failed.value)
    assert told.startswith("StoreUnavailable from OSError < connect:")
    assert SECRET not in told
