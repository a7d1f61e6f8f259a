// Pure: values in, values out.
/** What a second fact is to a first: written by hand, to measure how facts are compared. */
export interface FactPair {
  readonly is: "same" | "conflict" | "distinct";
  readonly known: string;
  readonly fact: string;
}

/** A line each: `=` the same, `!` a conflict, `-` distinct; then what is known, and what is new. */
const ENGLISH = `
= plays Valorant | plays Valorant.
= plays Valorant | currently plays Valorant
= likes spicy ramen | loves spicy ramen
= lives in Lisbon | is living in Lisbon
= resides in Oslo | lives in Oslo
= is based in Toronto | lives in Toronto, Canada
= moved to Berlin | lives in Berlin now
= has two cats | has 2 cats
= has a dog named Biscuit | owns a dog named Biscuit
= wants to be called Sam | prefers to be called Sam
= goes by Robin | wants to be called Robin
= works as a nurse | is working as a nurse
= works as a carpenter | job is carpenter
= is learning the cello | learns the cello
= no longer plays Valorant | stopped playing Valorant
= does not like mushrooms | dislikes mushrooms
= hates cilantro | doesn't like cilantro
= favourite colour is teal | 's favorite color is teal
= main game is Factorio | mainly plays Factorio
= is rank 400 | reached rank 400
= is ranked Gold 2 in Valorant | reached Gold 2 in Valorant
= speedruns Celeste | is speedrunning Celeste
= bakes sourdough bread at weekends | bakes sourdough bread on weekends
= streams on Tuesdays and Fridays | streams on Fridays and Tuesdays
= plays bass in a funk band | plays the bass in a funk band
= draws pixel art for an indie game | drew pixel art for an indie game
= is building a wooden ship model | builds a wooden ship model
= collects vintage synthesizers | collects vintage synthesisers
= is allergic to peanuts | has a peanut allergy
= studies marine biology | is a marine biology student
= enjoys long hikes in the mountains | likes to hike long trails in the mountains
= rides a bicycle to work every day | rides a bike to work
= has a golden retriever | owns a golden retriever
= is afraid of spiders | is scared of spiders
= uses they/them pronouns | goes by they/them
= time zone is CET | is in the CET time zone
= paints miniatures for Warhammer | is painting Warhammer miniatures
= started a vegetable garden | has a vegetable garden
= watches horror movies | watches horror films
= plays on a Steam Deck | usually plays on the Steam Deck
= is from Brazil | comes from Brazil
= is preparing for a marathon in May | trains for a marathon in May
= can't drink milk | cannot drink milk
= is teaching himself Japanese | is learning Japanese
= never watches anime | does not watch anime
= prefers tea over coffee | likes tea better than coffee
= writes fantasy novels | is writing a fantasy novel
= plays chess every evening | plays chess every night
! plays Valorant | no longer plays Valorant
! is rank 400 | reached rank 500
! is from Canada | moved to Japan
! lives in Lisbon | lives in Porto
! lives in Berlin with two cats | moved to Hamburg
! wants to be called Sam | wants to be called Alex
! goes by Robin | prefers to be called Rob
! uses she/her pronouns | uses they/them pronouns
! main game is Factorio | main game is Satisfactory
! mainly plays Dota | 's main game is League of Legends
! favourite food is lasagna | 's favorite food is ramen
! works as a nurse | works as a teacher
! time zone is CET | time zone is PST
! is Silver 3 in Valorant | reached Gold 1 in Valorant
! reached level 40 | is level 55 now
! mains Jett | mains Sage
! has two cats | has three cats
! likes pineapple on pizza | hates pineapple on pizza
! drinks coffee | does not drink coffee any more
! plays the violin | quit the violin
! streams on Sundays | has stopped streaming on Sundays
! is learning Korean | gave up on learning Korean
! plays with a controller | plays without a controller
! prefers tea over coffee | prefers coffee over tea
! has 300 hours in Elden Ring | has 450 hours in Elden Ring
! is left-handed | is right-handed
! streams early in the morning | streams late in the evening
! likes horror games | doesn't like horror games
! works at a bakery | works at a bookshop
! studies at Leiden University | studies at Delft University
! no longer plays Overwatch | is back to playing Overwatch
! never drinks alcohol-free beer | drinks alcohol-free beer
! owns a Switch | sold the Switch
! used to play Minecraft with friends | plays Minecraft with friends
! plays inverted controls | doesn't play inverted controls
! is vegetarian | is not vegetarian any more
! is a student nurse | is not a student nurse anymore
! has a personal best of 41 minutes in Celeste | has a personal best of 39 minutes in Celeste
! is on team red | is on team blue
! lives alone | lives with three flatmates
! is unemployed | works as a barista
! drives a Honda | swapped the Honda for a Tesla
! is building a keyboard | finished building the keyboard
! the book club meets on Mondays | the book club no longer meets on Mondays
! always plays ranked matches | never plays ranked matches
- drinks coffee | drinks tea
- plays Valorant | plays Overwatch
- plays Diablo 3 | plays Diablo 4
- likes cats | likes dogs
- lives in Canada | is from Poland
- plays Valorant | 's brother plays Valorant
- visits Japan | wants to visit Japan
- streams on Mondays | streams on Thursdays
- studies law | studies Spanish
- is rank 400 in Apex | is rank 12 in chess
- is Gold in Valorant | is Diamond in League of Legends
- favourite colour is blue | favourite food is blueberry pie
- has a cat named Miso | has a cat named Tofu
- plays bass in a band | plays bass fishing games
- works as a nurse | works out every morning
- wants to be called Sam | name is Samantha
- has a sister in Berlin | lives in Berlin
- is learning Korean | is cooking Korean food
- likes coffee | likes coffee ice cream
- is building a desk | is building a boat
- no longer plays Valorant | no longer plays Apex
- does not eat meat | does not eat fish
- won a chess tournament in 2019 | won a chess tournament in 2021
- collects stamps | collects coins
- has a dog | has a dog named Rex
- stopped smoking meat on the grill | plays Valorant
- finished Elden Ring | likes Elden Ring
- bought a telescope | wants to buy a telescope
- main game is Factorio | favourite game is Celeste
- speaks French | speaks Portuguese
- is afraid of spiders | has a pet spider
- no longer lives in Canada | lives in Japan
- beat the tower in 3 hours | beat the maze in 5 hours
- draws comics | reads comics
- is from Ohio | works as a welder
- plays the drums | plays the drums with the Night Owls
- lives with two dogs | lives in Madrid
- was a teacher | is a gardener
- goes to bed early | streams early
- prefers to be called Max | prefers dark mode
- runs a bakery | runs marathons
`;

const RUSSIAN = `
= играет в Valorant | сейчас играет в Valorant
= живёт в Казани | проживает в Казани
= любит чай с мятой | обожает чай с мятой
= хочет, чтобы его называли Саша | просит называть его Саша
= больше не играет в шахматы | перестал играть в шахматы
= у неё две кошки | у неё 2 кошки
= работает программистом | сейчас работает программистом
= рисует портреты карандашом | рисует карандашом портреты
= изучает японский язык | учит японский язык
= родом из Канады | из Канады
! играет в Valorant | больше не играет в Valorant
! ранг 400 | достиг ранга 500
! родом из Канады | переехал в Японию
! живёт в Казани | живёт в Самаре
! любимая игра — Стардью | любимая игра — Террария
! любит кофе | не любит кофе
! хочет, чтобы её называли Аня | хочет, чтобы её называли Нюта
! работает поваром | работает водителем
! у него две собаки | у него три собаки
! пьёт кофе | бросил пить кофе
- пьёт кофе | пьёт чай
- играет в шахматы | играет на гитаре
- живёт в Казани | родом из Омска
- хочет поехать в Японию | ездит в Японию
- любит кошек | любит собак
- брат играет в Valorant | играет в Valorant
`;

const JAPANESE = `
= ヴァロラントをプレイしている | ヴァロラントをやっている
= 大阪に住んでいる | 今は大阪に住んでいます
= コーヒーが好き | コーヒーが大好き
= 猫を二匹飼っている | 猫を2匹飼っている
= カナダ出身 | カナダの出身です
= サムと呼ばれたい | サムって呼ばれたい
= 水彩画を描いている | 水彩画を描く
! ヴァロラントをプレイしている | もうヴァロラントをプレイしていない
! ランクは400 | ランクが500になった
! カナダ出身 | 日本に引っ越した
! 大阪に住んでいる | 京都に住んでいる
! ヴァロラントをプレイしている | ヴァロラントをやめた
! 好きなゲームはゼルダ | 好きなゲームはマリオ
! サムと呼ばれたい | アレックスと呼ばれたい
! トマトが好き | トマトが嫌い
- コーヒーを飲む | お茶を飲む
- 猫を飼っている | 犬を飼っている
- カナダ出身 | 日本に住んでいる
- ギターを弾く | ピアノを弾く
- 日本に行った | 日本に行きたい
`;

const OTHERS = `
= vive en Sevilla | ahora vive en Sevilla
= juega a Celeste | juega mucho a Celeste
= quiere que le llamen Leo | prefiere que le llamen Leo
! juega a Celeste | ya no juega a Celeste
! vive en Sevilla | se mudó a Bilbao
! su juego favorito es Hades | su juego favorito es Tetris
! tiene rango 400 | llegó al rango 500
- bebe café | bebe té
- le gustan los gatos | le gustan los perros
! spielt Minecraft | spielt kein Minecraft mehr
! wohnt in Kiel | wohnt in Bremen
= wohnt in Kiel | lebt in Kiel
- trinkt Kaffee | trinkt Tee
! joue à Tetris | ne joue plus à Tetris
! habite à Lyon | a déménagé à Nantes
- aime le thé | aime le café
! 玩原神 | 不再玩原神
- 喜欢咖啡 | 喜欢茶
! مريم تحب القهوة | مريم لا تحب القهوة
- plays Valorant | играет в шахматы
- lives in Japan | живёт в Канаде
- コーヒーが好き | likes coffee ice cream
! rank 400 | ранг 500
`;

export const FACT_PAIRS: readonly FactPair[] = [ENGLISH, RUSSIAN, JAPANESE, OTHERS].flatMap(
  pairsOf,
);

function pairsOf(list: string): FactPair[] {
  return list
    .trim()
    .split("\n")
    .map((line) => {
      const [known = "", fact = ""] = line.slice(2).split(" | ");
      return { is: kindOf(line), known: named(known), fact: named(fact) };
    });
}

function kindOf(line: string): FactPair["is"] {
  if (line.startsWith("=")) return "same";
  return line.startsWith("!") ? "conflict" : "distinct";
}

function named(fact: string): string {
  return fact.startsWith("'s ") ? `{u:1}${fact}` : `{u:1} ${fact}`;
}
