"""Irregular forms of English words, for those that the lexicon does not list with their concept. Pure data."""

from __future__ import annotations

_ROWS = """
bite bit bitten, blow blew blown, break broken, bring brought, build built, burn burnt, catch caught, cling clung, creep crept,
deal dealt, dig dug, draw drew drawn, dream dreamt, fall fell fallen, feed fed, feel felt, fight fought, find found, fling flung, forbid forbade forbidden,
forget forgot forgotten, forgive forgave forgiven, freeze froze frozen, give gave given, grind ground, grow grew grown, hang hung, hear heard, hide hid hidden,
hold held, kneel knelt, know knew known, lay laid, lead led, lean leant, leap leapt, light lit, lose lost, mean meant, meet met, mistake mistook,
overcome overcame, prove proven, ring rang rung, rise rose risen, sew sewn, shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk,
sink sank sunk, slide slid, speed sped, spend spent, spill spilt, spin spun, spit spat, spoil spoilt, spring sprang sprung,
stand stood, steal stole stolen, stick stuck, sting stung, stink stank, strike struck, swear swore sworn, sweep swept, swell swollen, swing swung, teach taught,
tear tore torn, throw threw thrown, undergo underwent undergone, understand understood, weave wove woven, weep wept, win won, wind wound,
withdraw withdrew withdrawn, write wrote written, child children, goose geese, mouse mice, shelf shelves, knife knives,
loaf loaves, scarf scarves, half halves, wolf wolves, calf calves, wife wives, thief thieves
"""

IRREGULAR: dict[str, str] = {
    form: base for base, *forms in (row.split() for row in _ROWS.split(",") if row.strip()) for form in forms
}
"""Form → the word it is one of."""
