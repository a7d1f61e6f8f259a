// Pure: values in, values out.
/** Two-letter top-level domains (ISO 3166 codes in the DNS root, and eu, uk, su). */
export const COUNTRY_DOMAINS = wordSet(`
  ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz
  ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm
  fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is
  it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm
  mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr
  ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg
  th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw`);

/** Longer ones in common use. What is not here is defused by a space behind its dot, so the list need not be whole. */
export const GENERIC_DOMAINS = wordSet(`
  com net org info biz edu gov mil int arpa name pro mobi asia tel jobs cat post coop aero museum travel xxx
  academy agency app art auction audio autos baby bar beauty best bet bid bike bingo bio black blog blue boats
  bond book boutique build builders business buzz cab cafe camera camp capital cards care careers cars casa
  cash casino center cfd chat cheap christmas church city claims click clinic clothing cloud club coach codes
  coffee college community company computer condos construction consulting contact cooking cool country coupons
  courses credit cricket cyou dance date dating deals degree delivery democrat dental design dev diamonds diet
  digital direct directory discount doctor dog domains download earth education email energy engineering
  enterprises equipment estate events exchange expert exposed express fail faith family fan fans farm fashion
  feedback film finance financial fish fit fitness flights florist flowers football forex forsale forum
  foundation fun fund furniture futbol fyi gallery game games garden gay gift gifts gives glass global gmbh gold
  golf graphics gratis green gripe group guide guitars guru hair health healthcare help hiphop hockey holdings
  holiday homes horse hospital host hosting house how icu immo inc industries ink institute insure international
  investments irish jetzt jewelry juegos kaufen kim kitchen koeln land lat law lawyer lease legal lgbt life
  lighting limited limo link live llc loan loans lol london love ltd luxe luxury maison makeup management market
  marketing markets mba media memorial men menu miami moda moe mom money monster mortgage moscow motorcycles
  mov movie music navy network news ngo ninja nyc observer onl one ong online ooo org organic page paris partners
  parts party pet pharmacy photo photography photos pics pictures pink pizza place plumbing plus poker porn press
  productions promo properties property pub quest racing realty recipes red rehab reisen rent rentals repair
  report republican rest restaurant review reviews rich rip rocks rodeo run sale salon sarl sbs school science
  security select services sex sexy shoes shop shopping show singles site ski skin soccer social software solar
  solutions space sport spot srl storage store stream studio study style sucks supplies supply support surf
  surgery systems tattoo tax taxi team tech technology tennis theater tickets tienda tips tires today tokyo tools
  top tours town toys trade trading training tube university uno vacations vegas ventures vet viajes video villas
  vin vip vision vodka vote voyage wang watch webcam website wedding whoswho wiki win wine work works world wtf
  xyz yachts yoga zip zone microsoft google youtube twitch
  рф рус москва онлайн сайт дети орг ком укр бел срб мкд қаз бг ελ ею 中国 中國 香港 台湾 台灣 网址 公司 网络 网站
  在线 中文网 商城 商店 集团 我爱你 手机 游戏 娱乐 世界 みんな ストア セール コム ポイント ファッション グーグル
  한국 닷컴 닷넷 삼성 भारत संगठन नेट ไทย คอม السعودية امارات مصر ایران موقع شبكة بازار קום ישראל გე հայ`);

/** Of those, words that begin a sentence: `ok.cool` is two sentences, unless a path goes on behind it. */
export const WORD_DOMAINS = wordSet(
  "best black blue care cool dog fail fish fun game games green help how life lol love one party pink pizza plus red rest " +
    "rip rocks show style sucks team today vip watch win wine work works world wtf yoga",
);

/** What stands behind a dot in a file's name and is no top-level domain: such names may be said whole. */
export const NOT_DOMAINS = wordSet(
  "js ts jsx tsx exe dll txt json jpg jpeg png gif bmp svg mp3 mp4 mkv wav html css cfg ini log pdf doc xml yml",
);

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/u));
}
