"""What English speakers say of themselves by the way is kept; what only looks like it is not."""

from __future__ import annotations

import pytest

from unit.extract import grading


def stored(*said: str) -> str:
    """Return what is remembered of a dialogue that the user begins."""
    turns = [("user" if index % 2 == 0 else "assistant", words) for index, words in enumerate(said)]
    return " / ".join(draft.content for draft in grading.active(grading.by_turns(turns)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("any decent ramen near me? new in Leeds", "Leeds"),
        ("landlord in Malmö wants 3 months deposit, normal?", "Malmö"),
        ("day 2 in Aarhus and i already lost an umbrella", "Aarhus"),
        ("3 months into Porto and my portuguese is still rubbish, apps?", "Porto"),
        ("anything with soya in, i come up like a balloon", "soya"),
        ("does the serum have retinol? face goes bright red with it", "retinol"),
        ("210 quid at the vet for Sergeant Biscuit, is insurance worth it", "Sergeant Biscuit"),
        ("vet bill for Lady Crumpet was mental, do ferrets get insurance", "Lady Crumpet"),
        ("Mabel chewed the router again. whippets man", "Mabel"),
        ("Biscuit needs his jabs, where's cheap", "Biscuit"),
        ("three hens and a rescue tortoise, who can look after them", "tortoise"),
        ("got the job!! junior archivist at the city museum", "archivist"),
        ("the big 50 is 12 oct, ideas that arent golf", "12 oct"),
        ("my 30th falls on 9 march, rooftop bars?", "9 march"),
        ("who booked me at 8?? i dont open till 10, and mondays im shut", "mondays im shut"),
        ("parkrun every sat without fail. plan me a taper", "parkrun"),
        ("two coffees before 9 and none after, am i doing it right", "two coffees"),
        ("plumber coming thurs 9-11, remind me to be in", "plumber"),
        ("both hips are metal so nothing too hilly", "hips"),
        ("knackered knees from 20 yrs of tiling, low impact cardio?", "knees"),
        ("on sertraline 50, does grapefruit matter", "sertraline"),
        ("card should read Ottoline Brask, two t's", "Ottoline Brask"),
        ("put it under Delacroix-Smith, hyphenated", "Delacroix-Smith"),
        ("dentist 14th 3pm, remind me the day before", "dentist"),
        ("remember bins go out tuesday night", "bins"),
        ("do i get the bday discount on non leap years?? mines feb 29", "birthday is feb 29"),
        ("any bday freebies? mine is on the 5th of may", "birthday is 5th of may"),
        ("b-day club still a thing? mine falls on 12 November", "birthday is 12 November"),
        ("lmao i live in Whitehorse", "lives in Whitehorse"),
        ("driver rang my old phone AGAIN. its 07700 900318 now, told you twice", "0318"),
        ("courier keeps using my old number, it's 07700 900221 now", "0221"),
        ("texts go to my old mobile. new one's 07700 900555", "0555"),
        ("god no. evenings, always evenings", "evenings, always evenings"),
        ("aisle seat, always", "aisle seat, always"),
        ("window, every time", "window, every time"),
        ("only ever window seats", "only ever window seats"),
        ("i just want to get up the stairs without dying", "get up the stairs"),
        ("i just wanna be able to carry the shopping without my back going", "carry the shopping"),
        ("i just want to sleep without pills", "sleep without pills"),
        ("please remove the low salt flag, results are normal", "no longer needs: low salt"),
        ("drop the lactose free requirement, doctor says i'm fine", "no longer needs: lactose free"),
    ],
)
def test_what_is_said_by_the_way_is_kept(said: str, kept: str) -> None:
    assert kept in stored(said)


@pytest.mark.parametrize(
    ("said", "unkept"),
    [
        ("if i was new in Leeds where would i live", "Leeds"),
        ("my friend is new in Leeds, any tips", "The user: new in"),
        ("imagine day 2 in Aarhus, write a story", "Aarhus"),
        ("the hotel in Malmö wants a deposit", "Malmö"),
        ("new in Java 21, what changed", "Java"),
        ("what's new in London", "London"),
        ("day 2 in Minecraft and i died", "Minecraft"),
        ("anything with dairy in, my friend comes up in hives", "dairy"),
        ("anything with batteries in, how do i ship", "batteries"),
        ("Google chewed through my data. dog food ads again", "pet"),
        ("neighbours labrador digs up my tulips grr", "labrador"),
        ("got the job done at the garage, thanks", "new job"),
        ("it should say Hello World but prints nothing", "Hello"),
        ("they don't open till 10", "10"),
        ("remember when we met on tuesday?", "tuesday"),
        ("would u live in Naples or Bari? just dreaming", "Naples"),
        ("book me pilates whenever", "standing wish"),
        ("evenings only work for my sister", "The user wants"),
        ("it's always mornings with him", "mornings"),
        ("are mornings only for members", "mornings"),
        ("when do parcels come? mine's 3 July", "birthday"),
        ("his old phone is dead, it's 07700 900777 now", "0777"),
        ("he just wants to climb stairs without pain", "stairs"),
        ("i want to go without you", "without you"),
        ("you can drop the price thing, cheers", "price"),
        ("drop the dairy free thing for my sister, her tests are clear", "no longer needs"),
    ],
)
def test_what_only_looks_like_it_is_not(said: str, unkept: str) -> None:
    assert unkept not in stored(said)
