"""What a message takes back of the one before, and what only sounds like it."""

from __future__ import annotations

import pytest

from unit.extract import grading

REPLY = "好的，记下了。"


def left(*said: str, reply: str = REPLY) -> list[str]:
    """Return what is remembered of user messages, each answered alike, read turn by turn."""
    dialogue = [turn for words in said for turn in (("user", words), ("assistant", reply))]
    return [draft.content for draft in grading.active(grading.by_turns(dialogue[:-1]))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "told",
    [
        "我属兔的 住郑州",
        "我女朋友叫温以宁",
        "我对尘螨过敏",
        "我鍾意飲凍檸茶",
        "i'm allergic to latex",
        "my gf is called Ottilie",
    ],
)
@pytest.mark.parametrize(
    "taken",
    [
        "诶 刚那两个都删了吧", "还是别记了", "啊啊啊 忘了它", "……算了删掉吧", "都係唔好記喇 刪咗佢", "頭先講嗰樣嘢唔好留喇", "撤回撤回", "不要 刚才那句也删",
        "删了删了", "这个不要对外说 删了删了", "把它抹了", "不要存这种东西呀", "幫我刪 拜託", "全部清掉 谢谢", "delete that please", "hmm scrap that",
        "on second thought erase that", "no dont keep it. i overshared", "please don't. wipe it", "maybe don't hang on to that", "unsave it please",
        "haha pls un-note that", "take it out", "啊啊啊 delete delete", "把這個忘掉 thanks",
    ],
)  # fmt: skip
def test_words_that_name_nothing_take_back_all_of_the_last_message(told: str, taken: str) -> None:
    assert left(told), told
    assert not left(told, taken)


@pytest.mark.parametrize(
    ("told", "taken", "gone", "stays"),
    [
        ("我在供电局上班 爱吃酸辣粉", "上班那个删掉", "供电局", "酸辣粉"),
        ("我叫龙启航 手机号尾号3307", "尾号那个去掉 别存", "3307", "龙启航"),
        ("我对尘螨过敏。另外我前妻叫罗曼", "前妻那条不要", "罗曼", "尘螨"),
        ("我住喺荃灣，養咗隻兔仔叫波波", "個地址delete咗佢啦", "荃灣", "波波"),
        ("我叫卫长宁 家在绵阳 养了条柴犬", "家在哪那条麻烦撤掉", "绵阳", "柴犬"),
        ("i live in Leeds and work at a bakery", "wait remove the job thing", "bakery", "Leeds"),
        ("I go by Remy. I'm 34", "take my age out pls", "34", "Remy"),
        ("I'm Bronwen, 41, nurse in Swansea", "can you take out where i live and how old i am", "Swansea", "Bronwen"),
        ("I'm Petra, I sell insurance", "actually drop the job from your notes", "insurance", "Petra"),
    ],
)
def test_words_that_name_a_part_take_back_that_part(told: str, taken: str, gone: str, stays: str) -> None:
    words = " ".join(left(told, taken))
    assert gone not in words
    assert stays in words


@pytest.mark.parametrize(
    "said",
    [
        "帮我把购物车里的东西删了", "把最后一段删掉", "我忘了密码怎么办", "我把微信删了", "帮我把照片里的水印去掉", "那个订单删了吧", "怎么删除好友", "你忘了吗",
        "把第三行抹掉", "别留我一个人", "胡子不留了 剃掉", "delete the last sentence", "i deleted it already", "don't delete it", "remove the background",
        "drop the kids at school at 8", "did you delete it?", "how do i delete this?", "forget my password? what do i do", "i never delete anything",
    ],
)  # fmt: skip
def test_what_only_sounds_like_it_takes_nothing_back(said: str) -> None:
    assert any("尘螨" in words for words in left("我对尘螨过敏", said))


def test_behind_a_statement_of_its_own_it_is_about_that() -> None:
    words = " ".join(left("我对尘螨过敏", "我前妻叫罗曼 算了删掉"))
    assert "尘螨" in words
    assert "罗曼" not in words


def test_a_dated_plan_is_taken_back_with_its_date() -> None:
    assert not left("我打算下个月辞职去开民宿", "别记这个了")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("我喜欢吃榴莲", "现在闻到就想吐 不爱了"),
        ("我天天喝可乐", "上周起戒掉了"),
        ("我在学吉他", "放弃了 手指太疼"),
        ("我住回龙观", "上月退租了 现在在沙河"),
        ("I run every morning", "not since the knee op. i swim instead"),
        ("i have two rabbits", "had. they passed last year :("),
        ("I love sushi", "gone off it since i got sick"),
    ],
)
def test_what_is_so_no_longer_is_withdrawn(told: str, said: str) -> None:
    before = left(told)
    assert before
    assert not set(before) & set(left(told, said))


@pytest.mark.parametrize(
    "said", ["不去了", "卖了吗", "戒了没?", "现在不想说了", "not now", "i stopped it earlier today", "走了啊 拜拜"]
)
def test_what_ends_something_else_withdraws_nothing(said: str) -> None:
    assert any("尘螨" in words for words in left("我对尘螨过敏", said))


@pytest.mark.parametrize("char", "删了不别a1 这")
def test_a_flood_of_equal_characters_withdraws_nothing(char: str) -> None:
    """It is read before the test times out, and what was said before stays."""
    assert left("我对尘螨过敏", char * 4000) == ["用户对尘螨过敏"]


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("我在吃舍曲林，别写进去", "舍曲林"),
        ("我膝盖有积液，这个你自己知道就行", "积液"),
        ("我怀孕八周了 还没跟人说 你也别留", "怀孕"),
        ("这几句不做记录哦 我准备离婚 财产怎么分", "离婚"),
        ("唔好寫低，我炒股蝕咗五十萬", "五十"),
        ("我有狐臭 唔好save呀", "狐臭"),
        ("我有前列腺炎 不方便留底的", "前列腺"),
        ("nothing i say in this message should be stored. i have ocd and live in Lund", "Lund"),
        ("dont save this anywhere ok. im seeing a therapist mondays", "therapist"),
        ("please keep no record of this: i failed my bar exam twice", "bar exam"),
        ("can this stay off my profile? i'm on parole", "parole"),
        ("i take viagra, please don't make a note of it", "viagra"),
        ("家里保险柜左3右7左21 你记一下", "右7"),
        ("密保问题答案是糖醋排骨", "糖醋"),
        ("locker combo is 12-34-06 remember it", "12-34"),
    ],
)
def test_what_is_refused_or_opens_a_lock_is_not_kept(said: str, gone: str) -> None:
    assert gone not in " ".join(left(said))


@pytest.mark.parametrize(
    ("said", "stays"),
    [
        ("不要记录，我在看心理医师。不过我对猫毛过敏 这个可以记", "猫毛"),
        ("My birthday is 9 March. My weight, 104kg, don't store", "9 March"),
        ("我住十七楼，门口有个保险柜", "十七楼"),
        ("我记性不好，对花生过敏", "花生"),
        ("i'm allergic to nuts, don't forget", "nuts"),
        ("i keep no pets, i'm allergic to cats", "cats"),
    ],
)
def test_the_rest_stays(said: str, stays: str) -> None:
    assert stays in " ".join(left(said))
