"""What a newer sentence about a user does to an older one: it says the same, replaces it, or tells something else. Pure rules.

``judge`` asks one rule after the other; ``reading`` turns a sentence into concepts and ``claims`` tells what they state, with the
guards that nothing overrides. The rules: ``gist`` and ``likeness`` (the same in other words), ``slips`` (a misspelt word), ``exclusive``
(one value at a time), ``changes``, ``outcomes`` and ``sequels`` (what became of it). ``lexicon`` knows words, ``inflections`` their forms.
"""
