// Pure: values in, values out.
/**
 * English phrases that speak of a private matter, for `phrasePattern`. `sure` ones always do, `likely` ones where
 * nothing in the sentence is of a game.
 */
interface Words {
  readonly sure: string;
  readonly likely: string;
}

export type WordedKind =
  | "health"
  | "money"
  | "address"
  | "phone"
  | "email"
  | "password"
  | "relationship"
  | "sexuality"
  | "politics"
  | "religion"
  | "age";

const THEIR = "(?:his|her|their|my|our|somebody's|whose)";
const IS = "(?:is|are|was|were|am|'s|'m|'re|be|been|being)";
/** A person, not a thing: a name counts where it begins a sentence. */
const WHO = String.raw`(?:somebody|he|she|they|i|who|(?<=^|[.!?]\s)\p{L}{2,20})`;
const HOW = "so|very|really|quite|still|currently|now|a bit|pretty|openly|happily|recently|newly";
const STATE = `(?:${IS}|feels?|felt|feeling|got|gets|getting|fell|became|still)(?: (?:${HOW}))?`;

export const ENGLISH: Readonly<Record<WordedKind, Words>> = {
  health: {
    sure: String.raw`
      (?:was|been|got|is|were) (?:recently |just )?diagnosed; diagnosed with; diabet~; chemo(?:therapy)?; leuka?emia
      tumou?rs?; (?:breast|lung|skin|bowel|prostate|blood|brain) cancer
      cancer (?:survivor|treatment|patient|free|diagnosis)
      (?:has|had|have|got|with|beat|fought|fighting|survived|battling|of) (?:stage \w{1,3} )?cancer
      clinical~ depress~; antidepressants?; (?<!great )depression; depressive; panic attacks?; adhd; autis(?:m|tic)
      asperger~; bipolar; schizophren~; ptsd; anorexi~; bulimi~; eating disorder; suicidal; self harm~
      mental (?:health|illness|breakdown); mentally ill; epilep~; asthma~; allerg(?:y|ies|ic) (?:to|attack|reaction)
      migraines?; chronic(?:ally)? (?:pain|ill|illness|fatigue); fibromyalgia; arthritis; multiple sclerosis
      parkinson'?s?; alzheimer'?s?; dementia; hiv; (?:long )?covid; the flu; surgery
      (?<!(?:two )?point )(?<!theme )hospital; hospitali[sz]ed; icu
      (?:mental|psychiatric|urgent) (?:ward|care|hospital); wheelchair; legally blind; colou?r ?blind; psychiatr~
      psycholog(?:ist|ical help); medications?; insulin; prescription (?:drugs?|meds?); ${THEIR} meds; on meds
      took .. meds; (?<!non )alcoholics?; alcoholism
      addict(?:ed)? to (?:alcohol|drugs|painkillers|pills|opioids|gambling|heroin|cocaine|nicotine)
      recovering (?:addict|alcoholic); drug (?:addict|addiction|rehab|problem); drinking problem; pregnan(?:t|cy)
      miscarriage; menopause; infertil~; ivf; insomnia; sleep apn(?:o)?ea
      heart (?:attack|condition|disease|surgery|failure|problems?); high blood pressure
      kidney (?:stones?|failure|disease|transplant); dialysis; concussion; tinnitus; scoliosis; crohn'?s?
      c(?:o)?eliac; eczema; psoriasis; dyslexi[ac]; tourette'?s?; hearing (?:aids?|loss|impaired)
      broke(?:n)? (?:${THEIR}|an|a)? ?(?:arm|leg|wrist|ankle|foot|finger|toe|hip|rib|collarbone|hand|nose)s?
      (?:sprained|fractured|dislocated|twisted) (?:${THEIR}|an|a) \p{L}{2,10}; back (?:pain|injury|problems)
      on disability; disabilit(?:y|ies); immune (?:disorder|disease|system); autoimmune; thyroid; h(?:a)?emorrhoids?
      herpes; hepatitis; tuberculosis; pneumonia; bronchitis
      (?:sees?|seeing|saw|has|needs?) (?:a |${THEIR} )?(?:therapist|shrink|counsell?or); (?:in|to) therapy
      therapy (?:session|appointment)s?; therapist; (?:weighs|weighed) \d{2,3} ?(?:kg|kilos?|lbs?|pounds?|stone)
      lost \d{1,3} ?(?:kg|kilos?|lbs?|pounds); sick leave; called in sick; off sick
      (?:doctor|dentist|oncologist|cardiologist|neurologist)'?s? appointment; blood test; test(?:ed)? positive
      mri(?: scan)?; obes(?:e|ity); transplant; (?:days|weeks|months|years) sober
      (?:stopped|quit|quits|stop|gave up) (?:drinking|smoking|drugs|alcohol); physio~; physical therapy; lupus
      an(?:a)?emi(?:a|c); (?:has|had|from|with) vertigo; endometriosis; pcos; hypothyroid~; hernia
      (?:bad|weak|injured|busted|sore|hurt) (?:back|knees?|heart|shoulder|hip|eyesight|lungs?|kidneys?)(?! ?(?:stab
        |line)); on (?:crutches|antibiotics|painkillers|oxygen|life support|blood thinners); antibiotics
      painkillers; in a coma; relaps~; detox; burn(?:ed|t)? ?out from; treat(?:ed|ment) for; symptoms of
      mononucleosis; (?:has|had|got) mono; food poisoning; root canal; wisdom teeth; toothache; sore throat
      blind in one eye; sleeping pills; smokes? (?:weed|pot|cannabis|meth|crack)
      (?:uses?|takes?|took|using|does|doing|did|on) (?:drugs|cocaine|heroin|weed|meth|opioids|steroids); cannabis
      marijuana; spinal; mental hospital; nervous breakdown; self esteem issues; ulcers?; carpal tunnel; sciatica
      (?:sees?|seeing|saw|visits?|visited) (?:a|${THEIR}|the) (?:doctor|specialist|surgeon|psychologist|neurologist
        |cardiologist|dermatologist|gyn(?:a)?ecologist); in the (?:emergency room|er)`,
    likely: String.raw`
      cancer; depressed; anxiety; anxious; ocd; suicide; seizures?; surger(?:y|ies)
      operation on (?:${THEIR}) \p{L}{2,10}
      ${WHO} ${STATE} (?:sick|ill|disabled|blind|deaf|sober|injured|addicted|unwell|anemic|overweight|underweight)
      ${THEIR} (?:illness|injury|disease|doctor|condition|diagnosis|pills|weight|addiction|rehab|fever|symptoms
        |hormones|stroke|disorder)
      (?:has|had|having|with|caught|from) (?:a |an |the )?(?:bad |high |rare |severe |serious )?(?:fever|stroke|disease
        |infection|illness|disorder|condition|injury|virus|hernia|ulcer|food poisoning|burnout|breakdown|std); rehab
      sobriety; overdos(?:e|ed); vaccin~; prescribed; hormone therapy; is on the spectrum; side effects of ${THEIR}
      doctors? (?:told|said); suffer(?:s|ed|ing) from; headaches?; vomit~; threw up; recover(?:ed|s|ing|y) from
      sober; stitches; broken bones?; (?:is|was|feels?) (?:burn(?:ed|t) out|dizzy|feverish|nauseous)
      struggl(?:es|ed|ing) with (?:addiction|drugs|alcohol|food|sleep|weight|body|mental|self|grief|anger)`,
  },
  money: {
    sure: String.raw`
      salar(?:y|ies); minimum wage; net worth
      ${THEIR} (?:income|wages?|debts?|savings|mortgage|rent|paycheck|pay check|pension|finances|overdraft|loans?|bills
        |taxes|inheritance|household income); in debt; (?:student|car|bank|payday|home) loans?; mortgage
      bankrupt(?:cy)?; credit (?:score|cards?|rating|debt); debit card; bank (?:account|balance|details|statement)
      (?:is|was|are|were|went|flat|dead|totally|completely) broke(?=\W*(?:$
        |and |until |after |right |this |at |because |since |now|again)); unemployment (?:benefits?|money|checks?)
      on (?:welfare|benefits|food stamps|unemployment); food stamps
      (?:can't|cannot|couldn't|can not|could not|can barely|struggles to|struggling to) (?:afford
        |pay) (?:${THEIR} |the |to pay )?(?:rent|bills|food|groceries|tuition|mortgage|medication|a new|a car|to eat)
      behind on (?:rent|${THEIR} rent|payments|bills); pays? (?:${THEIR} |the )?rent; life savings
      gambling (?:debts?|losses); monthly income; annual income
      earns? (?:well|six figures|a lot of money|too little|minimum); (?:six|five|seven) figures?; evicted; foreclos~
      tax (?:debt|return|refund)s?; child support; alimony; paycheck; live paycheck to paycheck
      got a (?:pay )?raise of; (?:no|any|little|all|some|enough|without) savings
      (?:can't|cannot|couldn't|could not|can not|unable to) (?:afford|pay) .. (?:bills?|rent|insurance|treatment|doctor
        |dentist|medicine|university|college|school|heating|electricity|internet|mortgage); unemployed; laid off
      lost (?:his|her|their|my) job; got fired; was fired; millionaires?; poverty; trust fund
      overdue (?:bills?|rent); pawned
      (?:earns?|makes?) (?:good|decent|very little|little|a lot of|a fortune|less|more) (?:money|than)`,
    likely: `
      income; wages?; debts?; loans?; invest(?:ed|s|ing) (?:in|${THEIR}) (?:crypto|bitcoin|stocks|shares|savings)
      (?:stock|crypto|investment) portfolio; owes? (?:the bank|money|a lot of money)
      financ(?:es|ial) (?:trouble|problems?|situation|difficult~|struggles?)
      money (?:trouble|problems|issues|worries); short on money; pay cut; tuition; (?:can't|cannot|couldn't) afford
      financially; inherited; wealthy; fired from; rich (?:parents|family); poor family`,
  },
  address: {
    sure: String.raw`
      (?:home|street|postal|mailing|exact|shipping) address; ${THEIR} address; address (?:is|was)
      (?:zip|postal|post) ?code (?:is|was|of|\d); ${THEIR} (?:zip|postal|post) ?code
      apartment (?:number |no )?\d{1,4}\p{L}?; apt \d{1,4}\p{L}?; house number; flat \d{1,3}\p{L}? (?:at|on|in)
      gps coordinates of ${THEIR}; ${THEIR} (?:gps coordinates|doorbell|house is at|license plate)
      (?:lives|living|resides) (?:(?:at|on) \d{1,5}(?= )|(?:right )?(?:next to|across from|behind|opposite
        |around the corner from|near) (?:the |a |${THEIR} )?(?:\p{L}{2,14} )?(?:school|station|church|mall|stadium
        |university|supermarket|park|library)(?!\p{L}))`,
    likely: String.raw`
      license plate; lives (?:on|at) \p{L}{2,15} (?:street|road|avenue|lane|drive|boulevard|court|square)`,
  },
  phone: {
    sure: String.raw`
      (?:phone|cell|mobile|telephone|whatsapp|contact|home) number
      ${THEIR} (?:phone|cell|mobile|whatsapp|telegram) (?:is|no|nr)
      (?:call|text|reach|ring) (?:me|him|her|them|somebody) (?:at|on|under) \+?\d`,
    likely: "",
  },
  email: {
    sure: String.raw`
      e ?mail (?:address|is|account is|login); ${THEIR} e ?mail
      (?:g ?mail|hotmail|outlook|proton ?mail|yahoo)(?: com)? (?:address|account|is)
      (?:at|\(at\)) (?:g ?mail|hotmail|outlook|proton ?mail|yahoo) (?:dot|\(dot\)|com)`,
    likely: "",
  },
  password: {
    sure: String.raw`
      (?:account|steam|twitch|discord|email|wifi|wi fi|bank|login|router|computer|pc|netflix) password
      ${THEIR} (?:password|passphrase|passcode|pin|login|seed phrase|recovery code|api key|ssn)s?
      pin (?:code|number|is \d)
      (?:stream|api|private|license|ssh|access|secret) (?:key|token)s?(?= is| was|:|$|[.,!]| leaked| on| in| to| with
        | for); seed phrase; recovery (?:code|phrase)s?; 2fa (?:code|backup)s?; login (?:details|credentials|data)
      credentials; social security(?: number)?; passport number; (?:id|identity) card number
      driver'?s? licen[sc]e number; security question`,
    likely: `passwords?; passphrase; passcode`,
  },
  relationship: {
    sure: String.raw`
      (?:ex )?(?:girlfriend|boyfriend)s?; ex (?:wife|husband|fiancee?|partner); divorc(?:e|ed|ing); fiancee?
      custody (?:battle|of ${THEIR}|case|hearing)
      ${THEIR} (?:crush|ex(?! (?:team~|guild|clan|boss|job|coach|school|pro|duo|mod|colleague|player)(?= |$))|spouse
        |lover|(?:life |romantic |domestic )?partner of|love life|marriage|husband|wife|divorce|situationship|mistress
        |wedding|honeymoon|anniversary with); (?:romantic|life|domestic) partner; in a (?:\p{L}{2,12} )?relationship
      relationship (?:problems|status|trouble|issues); long distance relationship; break up with ${THEIR}
      (?:broke|broken|breaking|split) up with; got dumped; was dumped; dumped (?:him|her|them|somebody|${THEIR})
      (?:married|engaged) to (?:a |an |${THEIR} |somebody)(?!npc)\p{L}{0,15}
      (?:is|are|was|were|been|got|gets|getting|just|newly|happily|unhappily|recently) married
      (?:is|are|was|were|recently) engaged(?! (?:in|with|by))
      (?:got|gets|get|getting) engaged(?! (?:in (?:a|the|battle|combat|fights?)|with|by)(?= ))
      cheat(?:s|ed|ing) on (?:him|her|them|somebody|${THEIR}); having an affair; had an affair; tinder; bumble date
      (?:went|going|goes) on a (?:\p{L}{2,8} )?date; dating (?:app|apps|somebody|a |${THEIR}|site)
      (?:is|are|was|were|started|been|began|secretly|now) dating; one night stand; (?:is|are) separated
      proposed to (?:${THEIR}|him|her|them|somebody); newlyweds?; widow(?:ed|er)?; divorc~
      separat(?:ed|ion) from (?:${THEIR}|a|him|her|somebody); soul ?mate
      (?:went|going|goes|go) through a (?:\p{L}{3,8} )?(?:break ?up|divorce|separation)
      an ex(?=\W*$| (?:who|and|of|from)); polyamor~
      moved in with (?:${THEIR} (?:partner|boyfriend|girlfriend|lover)|him|her); marital
      (?:${THEIR}|the) (?:bride|groom|in laws|mother in law|father in law); ghosted by; love life
      flirts? with (?:him|her|somebody|them|${THEIR}); couples? counsel~; wedded; remarried; valentine'?s? date
      kissed (?:him|her|somebody|${THEIR} \p{L}{2,12})`,
    likely: String.raw`
      wife; husband; spouse; married; wedding; marriage; (?:has|had|have) a (?:huge |big |secret )?crush on
      in love with (?:a|${THEIR}|somebody|him|her|them|someone); ${WHO} ${STATE} single; recently single
      ${THEIR} partner (?!in )\p{L}{2,12}; lives with ${THEIR} partner; romantically involved; breakup; break up
      (?:they|couple) broke up; couples? therapy; a thing with`,
  },
  sexuality: {
    sure: String.raw`
      gay; lesbians?; bisexual~; asexual~; aromantic; pansexual~; homosexual~; heterosexual~; transgender
      trans (?:man|woman|men|women|person|girl|guy|boy|masc|femme|rights); non ?binary; enby; genderfluid
      genderqueer; lgbt~; queer; sex life; sexual~; onlyfans; porn~; horny; fetish~
      (?:a|has|his|her|their) (?:\p{L}{2,10} )?kink(?! in); kinky
      (?:came|come|coming|comes) out (?:as|to ${THEIR}|of the closet); in the closet; closeted
      gender (?:transition|dysphoria|reassignment|identity)
      (?:is|am|are|they're|i'm|he's|she's) (?:openly )?(?:trans|bi|ace|straight)(?=\W*(?:$|and |but ))
      (?:had|has|have|having) sex; hook(?:ed|ing)? up with; lost ${THEIR} virginity; hrt; top surgery; drag queen
      (?:as|being) trans(?=\W*$| and)
      (?:is|was|only|really|am|are|not|they're|he's|she's|i'm) into (?:men|women|guys|girls|boys|both)(?=\W*$| and| but
        | only); attracted to (?:men|women|guys|girls|boys|both|the same|${THEIR}|him|her|them|somebody)
      (?:likes|loves|prefers|dates) (?:men|women|guys|girls|boys)(?=\W*$| and| but| only)
      sle(?:eps?|pt|eping) with (?:${THEIR}|a|him|her|somebody|them|men|women); pride parade; polyamor~
      poly relationship; erotic~; sexting; sugar daddy; two (?:moms|dads|mums)`,
    likely: `
      virgin; virginity; sex; nudes; transition(?:ed|ing) (?:from|to) (?:male|female|a man|a woman)
      started transitioning`,
  },
  politics: {
    sure: String.raw`
      (?:vote[sd]?|voting|voter) (?:for|against) (?:the )?(?:republican~|democrat~|green(?:s| party)|labou?r
        |conservative~|left|right|trump|biden|harris|obama|clinton|sanders|tories|tory|liberal~|socialist~|communist~
        |lula|bolsonaro|macron|le pen|putin|merkel|scholz|merz|afd|spd|cdu|brexit|independence|president~)
      (?:vote[sd]?|voting) in .. elections?; elections?; democrats?(?! dies); republicans?
      (?:labou?r|green|conservative|democratic|republican|communist|socialist|libertarian|political|far right|left
        |nazi) party; left wing~(?! of); right wing~(?! of); far (?:right|left); leftists?; maga; donald trump
      trump(?! cards?| suits?| deck); trump (?:supporter|voter|rall)~; joe biden; biden; brexit(?:eer)?
      tor(?:y|ies); politic(?:s|al|ally|ian|ians); pro (?:life|choice|gun|palestin~|israel~|russian?)
      anti (?:vax~|abortion|gun|immigra~|fascis~); abortions?; gun (?:control|rights|laws)
      immigration (?:policy|laws)
      (?:is|was|are) (?:a |an )?(?:proud |staunch |lifelong |registered |committed |card carrying |hardcore )?(?:socialist
        |communist|marxist|anarchist|libertarian|feminist|conservative|liberal|fascist|nationalist|monarchist|leftist
        |progressive|centrist|neoliberal|zionist)s?; antifa; zionis~; climate (?:activist|protest)
      (?:went|goes|going|marched) .. (?:protest|demonstration)s?(?: march)?; black lives matter; blm
      trade union(?:ist)?; union (?:member|rep); prime minister; bernie sanders
      supports? (?:hamas|israel|palestine|russia|ukraine|putin|the government|the war)
      (?:votes?|voted|voting|leans) (?:left|right|conservative|liberal|labou?r|green|republican|democrat~|tory
        |socialist|communist|libertarian)(?! (?:door|lane|path|side|map|turn|option|button))
      (?:hard|alt) (?:left|right) (?:views?|politics|media|group|wing~); referendum; zelensky~; netanyahu; hamas
      nato; second amendment; police brutality; deport(?:ed|ation)~; refugees; affirmative action
      (?:hates|loves|likes|dislikes|supports?|criticized|criticises|admires) the (?:current |new |old )?(?:president
        |mayor|governor|king|prime minister|chancellor|government|monarchy)(?=\W*$| and| of| for| because)
      welfare state; migrants?; climate change`,
    likely: `
      voted (?:for|against) (?:him|her|them); senator; parliament; congress(?:man|woman)?; activist; propaganda
      government; protests?; political views; chancellor; minister; mayor; governor; referendum; socialism
      communism; fascism; capitalism; nationalis~; marxis~; campaign(?:ed|s|ing) for; petition; senate`,
  },
  religion: {
    sure: String.raw`
      (?:is|was|are|am|being|became|raised|devout|a|practi[cs]ing|as a|strict|lapsed|born again|evangelical|ex|former
        |i'm|he's|she's|they're) (?:a |an |very |devout |practi[cs]ing )?(?:christian|catholic|protestant|muslim|jewish
        |jew|hindu|buddhist|sikh|mormon|atheist|agnostic|baptist|methodist|lutheran|evangelical|jehovah'?s witness
        |pagan|wiccan|satanist|scientologist|quaker|religious|shia|sunni|theist|deist)s?(?=\W*(?:$
        |and |but |who |by |since |now |from |family |home |household |man |woman |person |anymore |faith |he |she |they |upbringing
        |parents|again|after |in )); catholic~; muslims?; islam~; judaism; jewish; hinduism; buddhism; mormon~
      atheis(?:m|t|ts|tic); jehovah'?s? witness~; christianity
      christian (?:faith|family|school|church|values|upbringing); mosque; synagogue
      (?:goes|went|go|going|attends?|attended) .. (?:church|mass|temple|mosque)(?: service)?
      church (?:service|choir|group|youth|every)~
      (?:reads?|reading|studies|studying|quotes?) the (?:bible|quran|koran|torah); bible study; quran; torah
      ramadan; baptis(?:m|ed)|baptized; (?:believes?|believed) in (?:god|jesus|allah|a god|an afterlife|the bible)
      lost ${THEIR} faith; ${THEIR} (?:faith|religion|religious|pastor|priest|rabbi|imam|church|beliefs)
      deeply religious; very religious; (?:convert~) to (?:islam|christ~|juda~|buddh~|catholic~|hindu~|orthodox~)
      prays? (?:every|five|daily|before|to god|to allah|at); jesus is (?:his|her|their|my|the); eastern orthodox
      scientolog~; confirmation class; first communion; bar mitzvah; shabbat; kosher; halal; hijab
      (?:doesn't|does not|don't|didn't|no longer) believe in (?:god|jesus|allah|any god|religion|heaven|an afterlife)
      (?:fasts?|fasting|fasted) (?:for|during|every|on|until|at); yom kippur; hanukkah; chanukah; diwali; passover
      eid; sabbath; rosary; sermons?; missionary
      (?:left|joined|leaves|quit) the (?:\p{L}{3,12} )?(?:church|faith|cult|congregation); congregation
      prayer (?:group|meeting|beads)s?; jehovah~; seminary; sunday school; gospel choir`,
    likely: `
      christian faith; church; pastor; rabbi; imam; religion; religious; bible; theology`,
  },
  age: {
    sure: String.raw`
      date of birth
      born (?:in|on) (?:\p{L}{3,9} )?(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:of )?(?:\p{L}{3,9},? )?(?:19|20)\d\d
      ${THEIR} (?:exact )?age is; ${THEIR} birth ?(?:year|date) is; same age as
      in (?:his|her|their|my) (?:early |mid |late )?(?:teens|twenties|thirties|forties|fifties|sixties|seventies
        |eighties|20s|30s|40s|50s|60s|70s); teenager; underage; (?:is|are|still) a minor(?=\W*$| and| who| so)
      (?:turns|turned|turning) (?:thirty|forty|fifty|sixty|twenty|eighteen|sixteen|seventy)`,
    likely: "",
  },
};
