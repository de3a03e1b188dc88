"""What English speakers tell of themselves that lasts: words by topic, and where they stand in a text.

A *strong* word makes a statement about oneself worth keeping by itself (``coeliac``, ``epipen``, ``self-employed``); a *weak* one
(``coffee``, ``piano``, ``Leeds``) only beside a claim: a habit, a taste, a possession, a length of time. The lists are data: a
word more is a word more. Phrases have up to three words; plurals and possessives are found by their singular.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from zhiji.extract import lexicon


class Topic(Enum):
    """What a word is about."""

    HEALTH = "health"
    ALLERGEN = "allergen"
    DIET = "diet"
    FOOD = "food"
    PLACE = "place"
    HOME = "home"
    WORK = "work"
    STUDY = "study"
    KIN = "kin"
    PET = "pet"
    HOBBY = "hobby"
    DEVICE = "device"
    VEHICLE = "vehicle"
    LANGUAGE = "language"
    FAITH = "faith"
    PAPERS = "papers"
    OCCASION = "occasion"
    MEASURE = "measure"
    FORMAT = "format"
    TRAVEL = "travel"
    NAME = "name"
    """A proper name of any kind, told by its capital."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A word of a topic in a folded text."""

    start: int
    end: int
    topic: Topic
    strong: bool


_STRONG: Final = {
    Topic.HEALTH: (
        "asthma asthmatic diabetes diabetic prediabetic hypoglycemic coeliac celiac migraine epilepsy epileptic seizure adhd autism autistic aspergers asd dyslexia dyslexic dyspraxia dyspraxic dyscalculia tourettes "
        "arthritis rheumatoid osteoporosis fibromyalgia lupus hypertension thyroid hypothyroid hyperthyroid hashimotos ibs crohns crohn's colitis eczema psoriasis rosacea anaemia anemia anaemic anemic pcos endometriosis "
        "cancer chemo chemotherapy remission pacemaker insulin inhaler epipen deaf blind colourblind colorblind wheelchair crutch prosthetic amputee sciatica scoliosis tinnitus vertigo insomnia apnea apnoea cpap "
        "bipolar ptsd ocd anorexia bulimia schizophrenia pregnant pregnancy breastfeeding postpartum menopause ivf dialysis transplant haemophilia hemophilia leukemia leukaemia glaucoma cataract astigmatism "
        "parkinsons parkinson's alzheimers alzheimer's dementia gout gerd reflux ulcer hernia gallstone vasectomy hysterectomy antidepressant statin metformin warfarin levothyroxine methotrexate t1d t2d sober teetotal teetotaller "
        "alcoholic neuropathy lymphoma melanoma copd lactose-intolerant nearsighted short-sighted shortsighted myopic long-sighted left-handed left-hander lefty ambidextrous cholesterol carpal-tunnel hearing-aid "
        "stent stents prediabetes bunion bunions shingles stoma catheter gallbladder verruca hoh lymphedema endo raynauds sleepwalking narcolepsy hypermobility ehlers-danlos vegetarianism diabetic's acl meniscus arrhythmia afib vitiligo keratosis sjogrens sarcoidosis cerebral-palsy hepatitis hiv thalassemia sickle-cell "
    ),
    Topic.DIET: (
        "vegan vegetarian veggie pescatarian pescetarian flexitarian halal kosher keto paleo jain eggless gluten-free dairy-free sugar-free low-carb plant-based eggetarian eggitarian carnivore fodmap coeliac-safe nut-free "
        "fruitarian pure-veg teetotal"
    ),
    Topic.WORK: "self-employed selfemployed ex-army ex-navy ex-forces ex-military plasterer roofer sparky brickie solicitor barrister phlebotomist radiographer dispatcher milkman postie chef-de-partie sous-chef freelancing unemployed retired redundant furloughed",
    Topic.STUDY: "",
    Topic.PET: "tortoise parakeet cockatiel budgie axolotl gecko iguana chinchilla gerbil hedgehog corgi labradoodle cockapoo dachshund beagle whippet greyhound staffie ragdoll maine-coon",
    Topic.FAITH: "pooja puja namaz salah ramadan ramzan shabbat sabbath rosary navratri ekadashi muslim hindu sikh buddhist jewish catholic atheist quaker mormon orthodox baptist methodist",
    Topic.TRAVEL: "",
}
_STRONG_PHRASES: Final = {
    Topic.HEALTH: (
        "light sleeper|heavy sleeper|step free|mat leave|left handed|right handed|swell up|no go for me|type 1|type 2|type one|type two|high blood pressure|low blood pressure|blood pressure|heart attack|heart condition|heart failure|hard of hearing|hearing aid|hearing loss|colour blind|color blind|slipped disc|slipped a disc|slipped disk|slipped a disk|back went out|put my back|did my back|tore my|torn ligament|pulled a hamstring|herniated disc|"
        "sleep apnea|sleep apnoea|panic attack|panic disorder|anxiety disorder|social anxiety|knee replacement|hip replacement|blood thinner|beta blocker|carpal tunnel|frozen shoulder|tennis elbow|plantar fasciitis|acid reflux|"
        "blood type|blood group|due date|c section|gestational diabetes|cystic fibrosis|multiple sclerosis|long covid|chronic fatigue|chronic pain|restless legs|gluten intolerance|lactose intolerant|stage 2|stage 3|"
        "cerebral palsy|club foot|kidney stone|kidney disease|fatty liver|sickle cell|heart murmur|insulin pump|on a pump|bad knee|bad back|bad hip|bad shoulder|bad ankle|dodgy knee|dodgy back|dodgy hip|trick knee|weak ankle|"
        "gammy leg|dodgy ticker|bad heart|weak heart|heart problems|gammy knee|glass eye|one eye|one ear|one leg|one kidney|reading glasses|contact lenses|night shift"
    ),
    Topic.ALLERGEN: (
        "allergic to|allergy to|intolerant to|throat swells|swells up|face swells|break out|breaks me out|comes up in hives|come out in hives|come out in a rash|carry an epipen|anaphylactic shock|sets off my|hay fever"
    ),
    Topic.DIET: (
        "alcohol free|caffeine free|egg free|soy free|meat free|pure veg|no onion no garlic|no red meat|no pork|no beef|no egg|no eggs|no meat|no dairy|no gluten|no alcohol|no caffeine|no shellfish|no seafood|no nuts|no sugar|gluten free|dairy free|sugar free|low carb|low salt|low sodium|"
        "low fodmap|plant based|non veg|non-veg only|intermittent fasting|calorie deficit|off alcohol|off sugar|off dairy|off meat|off gluten|off caffeine|don't drink alcohol|macros"
    ),
    Topic.WORK: (
        "self employed|ex army|ex navy|ex forces|ex military|for a living|full time carer|night shift|night shifts|on nights|on call|day shift|early shift|late shift|zero hours|works nights|work nights|own business|my own company|own my own|maternity leave|paternity leave|parental leave|between jobs|laid off|"
        "made redundant|stay at home|sole trader|start as|started as|working as|work as|works as|trained as|qualified as|training as|remote worker|fully remote"
    ),
    Topic.STUDY: (
        "first year|second year|third year|final year|grad school|med school|law school|night school|sixth form|year 10|year 11|year 12|year 13|6th grade|7th grade|8th grade|9th grade|10th grade|11th grade|12th grade|"
        "exchange semester|exchange student|bar exam|driving test|theory test|gap year|phd student|my thesis|my dissertation|my phd|my masters|my degree|my course|my major"
    ),
    Topic.KIN: (
        "live alone|living alone|broke up with|split up|split up with|twin boys|twin girls|soccer mom|phd student|single mum|single mom|single dad|single parent|only child|foster carer|foster parent|step kids|step mum|step dad|twin sister|twin brother|newly married|getting married|got married|getting divorced|got divorced|"
        "got engaged|date night|school run|no kids|child free"
    ),
    Topic.PET: "guinea pig|rescue dog|rescue cat|guide dog|service dog|bearded dragon|german shepherd|golden retriever|border collie|french bulldog|jack russell|maine coon|ball python|corn snake",
    Topic.VEHICLE: "don't drive|can't drive|dont drive|cant drive|no car|no licence|no license",
    Topic.MEASURE: "shoe size|ring size|dress size|hat size|bra size|waist size|inside leg",
    Topic.TRAVEL: "window seat|aisle seat|lower berth|upper berth|quiet coach|quiet carriage|extra legroom|ground floor|top floor|twin beds|frequent flyer|tsa precheck|railcard|travel sick|motion sick|car sick|sea sick",
    Topic.LANGUAGE: "mother tongue|first language|native language|second language|native speaker",
    Topic.FORMAT: (
        "phone calls|phone call|voice calls|video calls|bullet points|bullet point|plain english|dark mode|large print|bigger font|font bigger|screen reader|short answers|short replies|british spelling|american spelling|uk spelling|us spelling|metric units|imperial units|no emojis|no emoji|"
        "12 hour|24 hour|voice notes|text only|subtitles"
    ),
}
_WEAK: Final = {
    Topic.HEALTH: (
        "stroke allergy allergic intolerant intolerance hives rash anaphylaxis trapped-nerve swelling anxiety depression depressed surgery op operation physio rehab therapist therapy counselling medication meds tablet pill prescription antibiotic "
        "painkiller ibuprofen paracetamol penicillin aspirin steroid vitamin supplement iron injection vaccine braces retainer denture glasses contacts knee back hip shoulder ankle wrist elbow neck spine eye ear hearing "
        "eyesight heart lung liver kidney stomach bowel gut bladder skin scalp tooth teeth gum jaw sinus hand finger foot feet toe leg arm diagnosed diagnosis disability disabled chronic headache smoke smoker smoking vape "
        "vaping cigarette cig ciggie fags nicotine snus weed weight bmi pain needle fainting phobia height sleep nap midwife gp surgeon oncologist cardiologist blood pump walker cane"
    ),
    Topic.ALLERGEN: (
        "nut peanut almond cashew walnut hazelnut pistachio pecan sesame tahini shellfish prawn shrimp crab lobster mussel oyster squid soy soya egg milk dairy lactose gluten wheat mustard celery lupin sulphite latex nickel "
        "pollen dust mould mold penicillin amoxicillin codeine sulfa aspirin strawberry strawberries kiwi mango banana avocado pineapple melon bee wasp dander feather perfume fragrance lanolin"
    ),
    Topic.FOOD: (
        "coffee latte espresso cappuccino americano mocha decaf tea chai matcha rooibos juice soda coke pepsi beer lager ale cider wine whisky whiskey gin rum vodka cocktail alcohol booze pint water milk milkshake smoothie oat cream "
        "butter cheese yoghurt yogurt curd paneer tofu tempeh meat beef pork bacon ham lamb mutton chicken turkey duck fish salmon tuna cod sardine anchovy seafood sushi ramen noodle pasta pizza burger sandwich bread toast bagel "
        "rice dal daal roti chapati naan dosa idli sambar biryani curry korma salad soup stew chilli chili spice spicy garlic onion ginger coriander cilantro basil mushroom tomato tomatoes potato potatoes aubergine eggplant brinjal "
        "okra bhindi broccoli spinach kale cabbage carrot pepper cucumber olive bean lentil chickpea corn pea beetroot cake biscuit cookie chocolate candy sweet dessert sugar honey jam salt sauce vinegar mayo ketchup pickle fruit apple "
        "orange grape lemon lime berry berries peach pear coconut oatmeal porridge cereal granola breakfast lunch dinner supper tea-time snack meal vegetable veg leftovers takeaway takeout bbq barbecue liquorice licorice marmite raisin "
        "caffeine kombucha protein carbs fried steak sausage waffle pancake omelette hummus falafel taco burrito kimchi tteokbokki dumpling momos samosa ghee mint dill parsley"
    ),
    Topic.HOME: (
        "flat apartment house home condo studio loft bungalow cottage townhouse houseboat narrowboat dorm hostel room bedroom kitchen garden yard balcony allotment greenhouse garage basement attic lift elevator floor "
        "landlord tenant lease rent mortgage flatmate roommate housemate neighbour neighbor buzzer doorbell intercom gate concierge reception porch letterbox mailbox postcode zip driveway boiler router wifi broadband parking village farm "
        "suburb countryside landmark address street lane road avenue close court block tower society colony sector nagar layout bin"
    ),
    Topic.WORK: (
        "job work office shift lates earlies boss manager team company firm startup business shop store clinic hospital school uni university warehouse factory lab salon restaurant cafe bakery brewery accounts bar pub desk remote commute commuting "
        "colleague promotion contract freelance gig client career industry salary wage payday probation employer intern internship apprenticeship apprentice deployment standup sprint union army navy airforce police council nhs "
        "bank teller site depot studio agency practice charity volunteer volunteering portfolio"
    ),
    Topic.STUDY: (
        "student study studying degree bachelor master masters phd doctorate thesis dissertation viva exam test quiz gcse a-level alevels gre gmat ielts toefl coursework assignment homework essay lecture seminar module semester term "
        "college uni university school class course major minor professor supervisor tutor lesson certificate diploma bootcamp scholarship graduate graduation b1 b2 c1 c2 a1 a2 n1 n2 n3 jlpt hsk delf maths math physics "
        "chemistry biology history geography law medicine nursing engineering accounting economics philosophy psychology"
    ),
    Topic.KIN: (
        "mum mom mam mummy mommy mother dad daddy father parent folks wife husband hubby hubs missus partner spouse fiancé fiancée fiance fiancee girlfriend gf boyfriend bf ex son daughter kid kiddo child children toddler baby babies newborn twin triplet "
        "teen teenager brother bro sister sis sibling nan nana nanna gran granny grandma grandmother grandad granddad grandpa grandfather grandparent grandson granddaughter grandkid aunt auntie aunty uncle cousin niece "
        "nephew mil fil in-law stepson stepdaughter eldest youngest oldest lad lass stepmum stepmom stepdad godson goddaughter flatmate roommate housemate family bairn wean lad lass bub wifey fam amma appa papa nani dadi chacha bhai didi"
    ),
    Topic.PET: (
        "cat kitten kitty dog puppy pup doggo hound rabbit bunny hamster parrot bird turtle snake lizard horse pony donkey goat sheep chicken hen duck fish goldfish aquarium rat mouse ferret pet vet spaniel terrier poodle collie lab labrador husky pug bulldog shepherd "
        "boxer chihuahua retriever tabby siamese persian bengal sphynx cockatoo macaw canary finch spaniel litter kennel cattery"
    ),
    Topic.HOBBY: (
        "run running runner jog jogging marathon half-marathon parkrun 5k 10k triathlon ironman gym weights lifting deadlift squat powerlifting crossfit yoga pilates swim swimming lido pool dive diving scuba snorkelling surf surfing sail "
        "sailing row rowing kayak kayaking paddle climb climbing bouldering hike hiking trek trekking camping ski skiing snowboarding skate skating skateboarding cycle cycling bike biking spin football footy soccer rugby cricket tennis squash badminton "
        "padel pickleball table-tennis golf hockey netball basketball baseball softball volleyball boxing mma judo karate jiu-jitsu bjj taekwondo fencing archery darts snooker pool bowls bowling dance dancing salsa ballet tango zumba ceilidh "
        "piano guitar bass drum drums violin fiddle viola cello flute clarinet sax saxophone trumpet trombone tuba horn oboe harp ukulele banjo accordion bagpipes harmonica sitar tabla veena singing sing choir band orchestra gig concert music jazz techno metal opera musical "
        "vinyl podcast audiobook book reading read novel poetry poem writing write journaling blog blogging film movie cinema series anime manga comic drama sitcom documentary documentaries horror romcom thriller theatre theater painting paint watercolour watercolor drawing "
        "draw sketch sketching pottery ceramics knit knitting crochet sewing sew quilt quilting embroidery weaving woodwork woodworking carpentry origami calligraphy photography photo camera birdwatching birding fishing angling hunting gardening baking bake cooking "
        "cook brewing homebrew beekeeping chess shogi mahjong bridge poker scrabble crossword sudoku puzzle jigsaw board-game warhammer dnd lego gaming gamer game minecraft fortnite zelda pokemon astronomy telescope stargazing meditation meditate mindfulness genealogy "
        "stamp coin collecting collect restoring thrifting travel travelling traveling workout training train race lesson class club league session"
    ),
    Topic.DEVICE: (
        "iphone android pixel samsung galaxy ipad macbook mac imac laptop pc desktop chromebook kindle kobo windows linux ubuntu debian arch fedora nixos ios tablet printer playstation ps4 ps5 xbox switch steam alexa siri nest "
        "ring fitbit garmin watch headphones earbuds airpods tv roku router raspberry python node nodejs npm bash zsh powershell pytorch tensorflow pandas numpy photoshop lightroom quickbooks powerpoint access sharepoint javascript typescript java kotlin swift golang rust ruby rails php elixir erlang haskell scala clojure perl cobol fortran sql postgres postgresql mysql sqlite mongodb "
        "redis kafka docker kubernetes k8s terraform aws azure gcp heroku react vue angular svelte django flask fastapi spring vim neovim emacs vscode pycharm intellij jira slack teams zoom notion obsidian excel word sheets photoshop figma blender unity unreal autocad "
        "matlab stata spss git github gitlab firefox chrome safari gmail outlook telegram spotify netflix facebook instagram insta tiktok twitter snapchat reddit linkedin whatsapp discord twitch youtube e-reader induction hob oven aga air-fryer microwave slow-cooker dishwasher dryer vacuum roomba kettle font"
    ),
    Topic.VEHICLE: "drive driving car van truck lorry motorbike motorcycle scooter moped bicycle ebike e-bike caravan campervan camper boat tesla toyota honda ford bmw audi volvo vw volkswagen nissan kia hyundai mazda subaru skoda renault peugeot fiat mercedes harley yamaha rickshaw taxi uber bus tram train tube metro mot tyre licence license",
    Topic.LANGUAGE: "english french german spanish italian portuguese dutch polish russian ukrainian turkish arabic hebrew hindi urdu bengali tamil telugu marathi gujarati punjabi malayalam kannada chinese mandarin cantonese japanese korean vietnamese thai tagalog swahili welsh gaelic irish norwegian swedish danish finnish greek czech hungarian romanian farsi persian indonesian malay accent bilingual fluent",
    Topic.FAITH: "church chapel mosque temple synagogue gurdwara pray prayer fast fasting bible quran christian religion religious diwali eid hanukkah passover easter holi onam pongal christmas",
    Topic.PAPERS: "passport visa permit residency citizenship green-card licence license insurance policy tax return vat warranty subscription membership contract lease mortgage remortgage remortgaging loan pension deadline invoice bill council-tax mot renewal account railcard oyster",
    Topic.OCCASION: "birthday bday b'day anniversary wedding engagement funeral christening baptism baby-shower graduation reunion interview appointment exam viva defence defense dentist doctor checkup check-up surgery operation scan inspection delivery flight trip holiday vacation honeymoon move moving house-warming housewarming party concert gig conference presentation deadline marathon race tournament match recital audition rehearsal retreat course semester due",
    Topic.MEASURE: "size budget height weight tall kg lb lbs stone cm ft inch inches gbp usd eur inr quid grand ppl people",
    Topic.FORMAT: "emoji emojis bullet bullets table tables list lists jargon markdown paragraph paragraphs sentence sentences word words reply replies answer answers example examples font metric imperial celsius fahrenheit formal informal casual tone sir madam ma'am nickname pronouns she/her he/him they/them summary link links",
    Topic.TRAVEL: "window aisle seat berth coach carriage layover hotel airbnb hostel luggage airport airline flight fly flying visa economy business-class suite",
}
_CITIES: Final = (
    "london manchester birmingham leeds glasgow edinburgh leith liverpool bristol sheffield cardiff swansea belfast dublin cork galway limerick newcastle nottingham leicester brighton oxford cambridge york bath norwich exeter plymouth southampton portsmouth reading "
    "slough luton coventry derby hull bradford wakefield preston blackpool bolton stockport sunderland durham aberdeen dundee inverness perth stirling whitby cornwall devon dorset kent essex suffolk norfolk yorkshire lancashire cumbria scotland wales england ireland "
    "britain uk brooklyn queens bronx manhattan boston chicago seattle portland denver boise austin dallas houston atlanta miami tampa orlando phoenix tucson detroit cleveland columbus cincinnati pittsburgh philadelphia philly baltimore minneapolis milwaukee "
    "madison omaha lincoln tulsa memphis nashville louisville charlotte raleigh richmond sacramento oakland tacoma spokane anchorage honolulu albuquerque fargo texas california florida ohio michigan oregon nevada utah colorado arizona montana idaho iowa kansas "
    "georgia virginia vermont maine alaska hawaii jersey la nyc sf toronto montreal vancouver calgary ottawa winnipeg edmonton halifax yellowknife canada usa america mexico sydney melbourne brisbane adelaide hobart darwin canberra australia auckland wellington "
    "christchurch mumbai delhi bangalore bengaluru chennai hyderabad pune kolkata ahmedabad jaipur kochi mysuru mysore nagpur indore lucknow surat goa kerala india pakistan karachi lahore islamabad dhaka colombo kathmandu nepal singapore malaysia penang kuala "
    "bangkok chiang hanoi saigon jakarta bali manila cebu tokyo osaka kyoto yokohama sapporo nagoya japan seoul busan korea beijing shanghai shenzhen guangzhou taipei taiwan hongkong china paris lyon marseille bordeaux france berlin munich hamburg cologne "
    "frankfurt leipzig dresden stuttgart germany vienna salzburg austria zurich geneva basel bern switzerland amsterdam rotterdam utrecht hague eindhoven netherlands brussels antwerp ghent belgium madrid barcelona valencia seville malaga spain lisbon porto "
    "portugal rome milan turin naples florence bologna venice italy athens greece stockholm gothenburg malmo sweden oslo bergen tromso trondheim norway copenhagen aarhus denmark helsinki tampere finland reykjavik iceland warsaw krakow gdansk gdynia wroclaw poland "
    "prague brno budapest bucharest sofia belgrade zagreb ljubljana riga vilnius tallinn kyiv lviv moscow istanbul ankara izmir turkey dubai doha riyadh cairo nairobi lagos accra johannesburg durban cape-town kenya nigeria ghana egypt morocco brazil rio lima "
    "bogota quito santiago argentina chile peru tel-aviv jerusalem israel beirut amman tehran"
)
_PHRASE_WORDS: Final = 3


_WORN: Final = ["bad", "dodgy", "knackered", "bust", "busted", "creaky", "ruined", "wonky", "weak", "buggered", "gammy"]
_PARTS: Final = ["knee", "back", "hip", "shoulder", "ankle", "wrist", "neck", "elbow", "heart"]
"""Worn parts of the body."""


def _table() -> dict[str, tuple[Topic, bool]]:
    table: dict[str, tuple[Topic, bool]] = dict.fromkeys(_CITIES.split(), (Topic.PLACE, False))
    for topic, listed in _WEAK.items():
        table |= dict.fromkeys(listed.split(), (topic, False))
    for topic, listed in _STRONG.items():
        table |= dict.fromkeys(listed.split(), (topic, True))
    table |= {f"{worn} {part}": (Topic.HEALTH, True) for worn in _WORN for part in _PARTS}
    table |= {f"year {number}": (Topic.STUDY, True) for number in range(1, 14)}
    for topic, listed in _STRONG_PHRASES.items():
        table |= dict.fromkeys(listed.split("|"), (topic, True))
    return table


_TABLE: Final = _table()
_WORD: Final = re.compile(r"[a-zà-ÿ0-9][\wà-ÿ+#]*(?:[-'/][a-zà-ÿ0-9]+)*")
_JOB: Final = re.compile(
    rf"(?:\b(?:i'm|im|i am|as|being|became|become|am)(?: (?:also|now|still|just|actually|currently|only|basically))? an? |^(?:an? )?)(?:{lexicon.JOBS_EN}|[a-z]{{4,}}(?:ologist|otomist|ographer|ician|keeper|wright|smith|paramedic|dispatcher)|[a-z]+ (?:driver|rep|lead|dev|hand|guard|agent))\b(?=$|[^\w\s]|\s[^\w\s]| (?:at|in|for|by|and|since|from|with|on|here|but|so|living|based|working|aged|turned)\b)|"
    rf"\b(?:i'm|im|i am)(?: (?:also|now|still|just|actually|currently|only|basically))? an? (?:[a-z-]+ )?(?!fan|believer|lover|beginner|newcomer|number|winner|loser|member|customer|user|starter|outsider|foreigner|sucker|monster|killer|player|stranger|matter|master|cancer|sister|mother|father|brother|daughter)[a-z]{{2,}}(?:ers?|or|ist|ian|eer|smith|wright|keeper|worker|nurse|clerk|guard|mum|mom|dad|chef|pro)\b"
)
"""Somebody's occupation, where it is said of oneself: ``I'm a beekeeper``, ``as a radiographer``; or a clause that begins with one."""


_ENDINGS: Final = (("'s", ""), ("s", ""), ("es", ""), ("ies", "y"))


def _known(word: str) -> tuple[Topic, bool] | None:
    """Return what a word or phrase is about: itself, or its singular."""
    found = _TABLE.get(word)
    for ending, singular in _ENDINGS:
        if found is None and word.endswith(ending):
            found = _TABLE.get(word.removesuffix(ending) + singular)
    return found


def anchors(folded: str) -> Iterator[Anchor]:
    """Yield the words and phrases of lasting topics in a folded text, in order; the longest first, none twice."""
    words = [(found.group(), found.start(), found.end()) for found in _WORD.finditer(folded)]
    index = 0
    while index < len(words):
        for size in range(min(_PHRASE_WORDS, len(words) - index), 0, -1):
            start, end = words[index][1], words[index + size - 1][2]
            if known := _known(folded[start:end]):
                yield Anchor(start, end, *known)
                index += size - 1
                break
        index += 1
    for found in _JOB.finditer(folded):
        yield Anchor(found.start(), found.end(), Topic.WORK, strong=True)
