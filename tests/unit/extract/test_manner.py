"""How the assistant shall speak is kept in whatever wording it is asked for; requests about one text are not."""

from __future__ import annotations

import pytest

from unit.extract.grading import active, by_turns


def _kept(*said: str) -> str:
    dialogue = [("assistant" if index % 2 else "user", words) for index, words in enumerate(said)]
    return "\n".join(draft.content for draft in active(by_turns(dialogue)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("你说话能不能别老“亲亲”的，直接给结论就行，最多列三条", ("亲亲", "结论", "三条")),
        ("你能说人话吗，别整那些专业词，先讲结论", ("说人话", "专业词", "先讲结论")),
        ("可以不要每次都加表情吗", ("不要每次都加表情",)),
        ("以後回我用繁體就好 然後不要一直用emoji", ("繁體", "不要一直用emoji")),
        ("when you give me recipes use grams not cups, and don't put the story first", ("grams", "story")),
        ("can you stop calling me dear? just get to the point, three bullets max", ("dear", "three bullets")),
        ("could you keep answers under five lines", ("under five lines",)),
        ("pls only send me guides as pdf, links never open on my phone", ("guides as pdf",)),
        ("email me receipts as pdfs, not jpgs", ("receipts as pdfs",)),
        ("send me stuff as screenshots not links, screen reader hates them", ("screenshots",)),
        ("one para max for answers ok", ("one para max",)),
        ("two sentences tops from you please", ("two sentences",)),
        ("max five lines pls", ("five lines",)),
        ("ok but 3 lines max from now on", ("3 lines max",)),
        ("spell everything the british way for me", ("british",)),
        ("could you stick to euros, i never know what pounds are worth", ("euros",)),
        ("give me the pros and cons then your pick, thats how i like it", ("pros and cons",)),
        ("no need to say sorry all the time", ("sorry",)),
    ],
)
def test_a_wish_about_the_manner_is_kept_whole(said: str, kept: tuple[str, ...]) -> None:
    told = _kept(said)
    assert all(words in told for words in kept), told


@pytest.mark.parametrize(
    "said",
    [
        "他说话能不能别这么大声",
        "回答我，为什么别人都不用考试",
        "你能用英文回复这封邮件吗",
        "this time keep the answer under five lines",
        "whats the capital of peru, one word max",
        "write me a poem about rain. two sentences tops",
        "two sentences max? i said three",
        "send me the essay as a pdf",
        "email me the receipt as a pdf",
        "show everything in the cart",
        "explain everything about black holes",
        "stick to your guns",
        "never give him links in text",
        "only give me the blue ones",
        "give me names as text",
        "summarise this article, max three bullets",
    ],
)
def test_a_request_about_one_text_or_another_person_is_no_wish(said: str) -> None:
    assert not _kept(said)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (("我们矿上通风队好几个人都要",), "矿上通风队"),
        (("does this have oxybenzone? it makes my skin come up in welts",), "oxybenzone"),
        (("is there celery in it? that makes my mouth itch",), "celery"),
        (("帮我请一天假", "是因为身体不舒服吗？", "不是啊，去给孩子开家长会"), "家长会"),
        (("周末去哪玩", "您住台中吧？", "我在嘉義哈哈"), "嘉義"),
        (("call我唔好打舊number，轉咗6127 8935",), "8935"),
        (("这款面霜有香精吗，我一用就起红疹",), "香精"),
        (("Sports day is on friday, need snack ideas",), "Sports day is on friday"),
        (("下星期日想行麥理浩徑第二段，幾多人去好",), "麥理浩徑"),
        (("平常都騎車來台北接案，這個月底要交一張八人餐桌",), "餐桌"),
    ],
)
def test_what_is_said_by_the_way_is_kept(said: tuple[str, ...], kept: str) -> None:
    assert kept in _kept(*said)


@pytest.mark.parametrize(
    "said",
    [
        ("the girls at the garage fixed it",),
        ("does it have a trailer? it makes me smile",),
        ("找餐馆", "我查了一家绿茶餐厅(光华店)的，你看可以吗？", "行啊"),
        ("i've sent it back now",),
        ("去哪玩", "您在家吧？", "我在忙呢"),
    ],
)
def test_look_alikes_are_not_kept(said: tuple[str, ...]) -> None:
    assert not _kept(*said)
