"""What English speakers tell of themselves is kept in their words; what tells nothing of them is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.extract import grading
from zhiji.bench import labels
from zhiji.extract import guards, told_en
from zhiji.extract.topics_en import Topic, anchors


def stored(said: str) -> list[str]:
    """Return what is remembered of one message."""
    return [draft.content for draft in grading.active(grading.drafts([("user", said)]))]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("cant do dairy, gives me cramps", "dairy"),
        ("been teetotal since 2018 btw", "teetotal"),
        ("I am taking thyroid tablet daily morning", "thyroid"),
        ("doc put me on lisinopril last month", "lisinopril"),
        ("kiwi makes my tongue tingle so i avoid it", "kiwi"),
        ("type 1 since I was ten, on a pump", "on a pump"),
        ("the prick test came back, its hazelnuts", "hazelnuts"),
        ("i can't do mornings", "mornings"),
        ("free most evenings except wednesdays", "wednesdays"),
        ("church on sundays so not before noon", "sundays"),
        ("bed by 9 these days", "9"),
        ("i work 4 on 4 off", "4 on 4 off"),
        ("we're a family of five in a two bed", "five"),
        ("eldest is off to uni in Durham in sept", "Durham"),
        ("our little girl Esme is 8 months", "Esme"),
        ("dog's called Bruno, 4 yr old lab, hates the hoover", "hoover"),
        ("self employed plasterer, 20 odd years", "plasterer"),
        ("I make my PhD in Lyon about glaciers", "glaciers"),
        ("i fix boilers for a living", "boilers"),
        ("as a night porter i need blackout curtains, recs?", "night porter"),
        ("just relocated from Delhi to Gurgaon", "Gurgaon"),
        ("boiler service due in october", "october"),
        ("passport runs out in 2027", "2027"),
        ("we're off to Crete 4-11 sept", "Crete"),
        ("i want to be fluent in italian by next summer", "italian"),
        ("saving up for a house deposit", "deposit"),
        ("waist 34 leg 32", "34"),
        ("UK 8 in shoes, wide", "UK 8"),
        ("my landlord wont let us have pets so no cat ideas", "pets"),
        ("i use linux at home and a mac at work", "linux"),
        ("play bass in a covers band", "bass"),
        ("massive arsenal fan", "arsenal"),
        ("my mother tongue is Tamil", "Tamil"),
        ("we keep shabbat so nothing friday night", "shabbat"),
        ("im vegan any ideas?", "vegan"),
        ("need a bed for the box room, my little sister Imani's moving in in august", "Imani"),
    ],
)
def test_what_users_tell_of_themselves_is_kept(said: str, words: str) -> None:
    """A lasting matter in any wording, subject or none, is remembered with the words that say it."""
    assert any(labels.flat(words) in labels.flat(content) for content in stored(said))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("stop calling me sir", "sir"),
        ("bullet points. always. and no emojis ever", "always"),
        ("no phone calls please, i never pick up", "phone calls"),
        ("always book aisle, i have long legs", "aisle"),
        ("ring twice, i'm slow on my feet", "twice"),
        ("leave parcels with no 12, theyre always in", "no 12"),
        ("prices in rupees only", "rupees"),
        ("refer to me as she pls", "she"),
        ("give the examples in elixir next time", "elixir"),
        ("i hate being called hun", "hun"),
        ("send bills to my husband not me", "husband"),
        ("dont put onions in anything, never", "onions"),
    ],
)
def test_standing_wishes_are_kept(said: str, words: str) -> None:
    """How the assistant shall behave from now on is remembered, whatever the verb."""
    assert any(labels.flat(words) in labels.flat(content) for content in stored(said))


@pytest.mark.parametrize(
    "said",
    [
        "what do vegans eat for protein",
        "is sushi safe when pregnant?",
        "are beagles good with kids",
        "do ferrets smell",
        "book me a table for two tonight",
        "need a hotel in rome",
        "give me three dinner ideas with chicken",
        "if i were vegan what would i eat",
        "say i weigh 80kg how much water should i drink",
        "i might get a cat someday",
        "i'm starving, what's quick",
        "ugh mondays",
        "feeling a bit low today",
        "could murder a pint",
        "just had a coffee lol",
        "a mate of mine lives in Berlin and loves it",
        "someone told me cats hate oranges",
        "apparently vegans live longer",
        "she told me she's allergic to nuts",
        "my sister says hi",
        "Keep up the good work!",
        "Have a great trip!",
        "never give up on your dreams, keep going",
        "live music is the best",
        "always a pleasure",
        "no worries, works for me",
        "my goodness that's fast",
        "🎉 lol love that",
    ],
)
def test_what_tells_nothing_of_the_user_is_not_kept(said: str) -> None:
    """Questions, requests, suppositions, moods, strangers and encouragement leave no memory."""
    assert stored(said) == []


def test_a_clause_of_kin_stays_theirs() -> None:
    """What she and he are is told of the relative who was named before."""
    told = stored("my nan lives with us. she's diabetic and loves bingo on fridays")
    assert any(content.startswith("The user's nan") and "diabetic" in content for content in told)
    assert not any("the user is diabetic" in content.lower() for content in told)


def test_requests_around_a_statement_are_left_out() -> None:
    """Only the informative part of a request is kept."""
    told = stored("find me a decent bakery, i'm coeliac since 2015")
    assert told
    assert not any("bakery" in content for content in told)


def test_numbers_as_long_as_a_phone_are_masked() -> None:
    """A phone of a plan that masking does not know is masked before it is kept."""
    told = stored("driver rang my old mobile again. new one's 07700 900 263, bin the other")
    assert any("0263" in content for content in told)
    assert not any("900 263" in content or "07700" in content for content in told)


@given(st.text(max_size=200))
def test_any_text_can_be_read(said: str) -> None:
    """The keeper reads any text, and cites a part of it that exists."""
    view = guards.view(grading.messages([("user", said)])[0])
    for one in told_en.find(view, []):
        assert 0 <= one.start < one.end <= len(view.text)


def test_topics_are_found_by_word_phrase_and_singular() -> None:
    """The longest phrase wins; plurals are found by their singular; parts of words are not."""
    found = [(one.topic, one.strong) for one in anchors("two huskies, high blood pressure, catalogue")]
    assert found == [(Topic.PET, False), (Topic.HEALTH, True)]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("i snore like a chainsaw", "snore"),
        ("i rewire old radios for fun", "radios"),
        ("my handwriting is illegible so i type everything", "illegible"),
        ("hopeless with names, always have been", "names"),
        ("night porter at a hotel, 12 yrs now", "porter"),
        ("shared house, 5 of us, one fridge", "5 of us"),
        ("dont like surprises or crowds", "surprises"),
        ("been clean 3 years", "clean"),
        ("I've had the same barber for 20 years", "barber"),
        ("moving from barista to train conductor, they offered me it yesterday", "conductor"),
        ("trying to stay under 65 quid a week on food", "65 quid"),
        ("its a chromebook on wifi if that matters", "chromebook"),
        ("tofu 👎 texture is vile", "tofu"),
        ("mushrooms? no ta, slimy", "mushrooms"),
        ("Pickle ate a sock again. he's a beagle, 3 yrs old. should i worry", "Pickle"),
        ("does the pad thai have cashews? last time I ended up in A&E, throat closed right up", "cashews"),
        ("cold shower at 5:30 then oats, every single day for years", "oats"),
        ("both my parents are deaf", "deaf"),
        ("im 5 months post c-section so nothing crazy", "c-section"),
        ("I teach year 4s all day so can only chat after half three", "half three"),
        ("when you suggest hotels I always want somewhere quiet with a kettle", "kettle"),
        ("Hey I'm Rufus, 34, two kids and a knackered knee", "knackered knee"),
        ("its my mum's 70th on the 8th", "70th"),
    ],
)
def test_what_the_user_says_of_themselves_is_kept_whatever_it_is_about(said: str, words: str) -> None:
    """A plain statement of the user needs no word of a known topic, with or without its subject."""
    assert any(words in content for content in stored(said)), stored(said)


@pytest.mark.parametrize("opening", ["ok context dump:", "about me:", "quick intro -", "bit about me:"])
def test_every_item_behind_an_announcement_is_kept(opening: str) -> None:
    """A list that the user announces as facts about themselves is kept item by item or whole."""
    contents = stored(f"{opening} Marek here, welder from Gdynia, left handed, got a stammer")
    for item in ("Marek", "welder", "Gdynia", "left handed", "stammer"):
        assert any(item in content for content in contents), contents


@pytest.mark.parametrize(
    "said",
    [
        "i have a question",
        "i have no clue",
        "my guess is paris",
        "my laptop just froze",
        "my train is late",
        "lost my train of thought",
        "works now",
        "i read that coffee stunts growth",
        "i'm asking about tax",
        "I'm allergic to Mondays lol",
        "i swear im never cooking again",
        "my favorite part was the ending",
        "i see what you mean",
        "im following your steps",
        "my mate reckons he's psychic",
        "a guy at the pub collects swords",
        "explain like im five",
    ],
)
def test_what_is_of_the_moment_is_not_kept_though_i_or_my_is_said(said: str) -> None:
    """Questions, reactions, glitches, hearsay and what one does right now leave nothing."""
    assert stored(said) == []


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("your emails say Dear Katherine. nobody but the tax office calls me that. its Kit", "Kit"),
        ("on paper I'm Maximilian Oduya but nobody says that, Max is fine", "Max"),
        ("name on the order is Tamsin Ockley btw", "Tamsin Ockley"),
    ],
)
def test_a_name_is_read_from_how_it_is_used(said: str, name: str) -> None:
    """What nobody says, who it is for, and what is fine instead tell the name."""
    assert any(content.endswith(name) for content in stored(said)), stored(said)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("just got the keys to our flat in Ghent!!! what do i need to sort first", ["Ghent"]),
        ("we just signed for a flat in Namur", ["Namur"]),
        ("exchanged contracts on the cottage in Ludlow", ["Ludlow"]),
        ("finally unpacked in Trieste, wheres good for pasta", ["Trieste"]),
        ("my commute from Slough to Paddington is killing me", ["Slough"]),
        ("first winter in Tromsø, what coat", ["Tromsø"]),
        (
            "hiya Orla here, student midwife in Derry, veggie. bins out on thursdays can you nag me",
            ["Orla", "veggie", "bins"],
        ),
        ("Hey, Dilip here. bus driver, 52, type 2, cant do stairs", ["Dilip", "type 2", "stairs"]),
        ("Theo here - new dad, Bristol, zero sleep", ["Theo", "Bristol"]),
        ("yo its Jaz, postgrad in Leeds, broke, coeliac. need cheap dinners", ["Jaz", "postgrad", "coeliac"]),
        ("nobody calls me that, its Bex. she/they", ["Bex", "she/they"]),
        ("please dont use my deadname. its Rowan, he/him", ["Rowan", "he/him"]),
        ("you can drop the mr, Colin is fine", ["Colin"]),
        ("my surname is silent, just say Ng", ["Ng"]),
        ("everyone says Beth, only the bank says Elizabeth", ["Beth"]),
        ("stuck on python 3.8 at work btw so no match statements", ["3.8"]),
        ("ta. on node 14 at work so cant use that", ["node 14"]),
        ("limited to excel 2013 at the office", ["excel 2013"]),
        ("typing this on an ancient ipad mini so ignore mistakes", ["ipad"]),
        ("on lates this month, 2 til 10, so dont ping me in the morning", ["2 til 10"]),
        ("off the cigs since may, go me", ["cigs"]),
        ("kicked the vaping in march", ["vaping"]),
        ("were off to Skye in 3 weeks, camping", ["Skye"]),
        ("im living in Cork at the moment", ["Cork"]),
    ],
)
def test_facts_in_passing_are_kept(said: str, words: list[str]) -> None:
    """A purchase, a list behind a name, what somebody has to work with, what is so for now."""
    told = " / ".join(stored(said))
    assert all(word in told for word in words)


@pytest.mark.parametrize(
    "said",
    [
        "they bought a house in Kent",
        "i dreamt we bought a house in Kent",
        "if we got the keys to a flat in Ghent id cry",
        "monopoly: just bought a house in Mayfair",
        "when we got the keys in the sims i built a pool",
        "the landlord in this film is hilarious",
        "her commute from Slough is awful",
        "im new here, quick question, any deals",
        "its me, again, sorry",
        "its raining here, cold, grim",
        "hello? anyone here. nobody here again",
        "he/him or they/them, which is right for a ship?",
        "the new guy in accounts is they/them, how do i write that",
        "everyone says hello",
        "sir is fine",
        "stuck on level 3 of this puzzle",
        "stuck on chapter 4 of dune",
        "running python 3 tests now",
        "on windows how do i take a screenshot",
        "using python how do i sort a list",
        "writing this on the back of an envelope lol",
        "were you in paris last week",
        "were on it boss",
        "kicked off the meeting",
    ],
)
def test_what_only_looks_alike_is_not_kept(said: str) -> None:
    """Of others, of games, of the moment, of how to write."""
    assert not stored(said)
