import { linesOf, type Request } from "./moderators-talk.ts";

/** What moderators say about people without asking for anything, in languages with a file of words and without one. */
export const TALK_ELSEWHERE: readonly string[] = linesOf(`
  we always threaten bob with a timeout and never do it
  my toddler yelled timeout bob 60 at the tv
  a timeout for bob? over my dead body
  carl would love a shoutout, not happening though
  whoever deletes bob's poem gets banned from my kitchen
  bob wants a clip of his own cooking, lol
  mods in other channels would have muted bob ages ago
  i was this close to warning carl
  had to explain bob what a mute is
  so @bob how was the trip
  yes bob is funny
  no carl, no
  sure, mute everyone but bob, haha
  clip of the year goes to carl
  remind me why we unmuted bob
  كنت سأكتم bob لكنه اعتذر
  لا تكتم bob أبداً
  من كتم bob أمس؟
  قال carl اكتم bob 60
  لو عاد bob سأحذره
  bob يحب الكليب القديم
  لم أحذف رسالة bob
  تصويت bob كان مضحكاً
  هل يستحق carl تحذيراً؟
  मैं bob को कभी म्यूट नहीं करूँगा
  कल carl ने bob को टाइमआउट दिया
  bob को किसने चेतावनी दी?
  अगर bob लौटा तो उसे चुप कराओ
  bob का मैसेज हटाना बेकार है
  carl बोला टाइमआउट bob 60
  आज कोई क्लिप नहीं
  bob को चुप मत कराओ
  bob'u dün az daha susturuyordum
  carl "bob'u sustur" deyip güldü
  kim bob'a uyarı verdi ki
  bob'un klibi çok komikti
  anketi bob kazandı
  sakın carl'a timeout atma
  ніколи не замучу bob
  вчора carl замутив bob
  хто попередив bob?
  якщо bob повернеться, замуть його
  «таймаут bob 60» написав carl
  кліп bob був смішний
  не видаляй повідомлення carl
  bob를 어제 뮤트할 뻔했어
  carl이 "bob 타임아웃 60"이라고 했어
  bob 경고는 필요 없어
  누가 bob 메시지를 지웠어?
  我才不会禁言bob
  昨天carl把bob禁言了
  谁警告了bob
  如果bob再来就禁言他
  别删除carl的消息
  bob的投票很好笑
  ik zou bob nooit een timeout geven
  gisteren kreeg carl een timeout
  jag skulle aldrig tysta bob
  igår varnade någon carl
  ποτέ δεν θα έβαζα τον bob σε timeout
  bob hôm qua suýt bị timeout
  kemarin carl kena timeout, lucu banget
  en koskaan hiljentäisi bobia
  nikdy bych bob neumlčel
  nu i-aș da timeout lui bob niciodată
  silencié a bob
  silencié a bob 5 minutos
  muté a bob
  bob a muté
  bob a mute
  bob a timeout
  bob muté
  bob supprimé
  le timeout bob
  il timeout a bob
  o timeout do bob
  die auszeit bob
  die timeout bob
  timeout bob à
  bob timeout na
  bob a timeout 60
  bobのタイムアウト
  bobのミュート
  bobはタイムアウト
  bobは警告
  bobの警告、お願い
  bob का टाइमआउट
  bob की चेतावनी
  bob'a uyar
  timeout at 5 bob
  bobを紹介して
  del toro is great, bob
  warn me about bob
  bob uyardı
  bob 경고받음
  bobが消した
  警告:bob很危险
  advertencia: hay spoilers, bob
  bob 소개해줘
  he timeout bob
  he mute bob
  bob حذر
  timeout bob inte
  ne timeout bob
  nu timeout bob
  timeout bob nggak
  timeout bob לא
  μην κάνεις timeout bob
  đừng timeout bob
  อย่า timeout bob
`);

const ask = (
  action: Request["action"],
  login: Request["login"],
  line: string,
  seconds?: number,
): Request => ({
  action,
  login,
  line: `@automark ${line}`,
  ...(seconds === undefined ? {} : { seconds }),
});

/** Requests with names that are declined, lengths in words, and in languages without a file of words too. */
export const REQUESTS_ELSEWHERE: readonly Request[] = [
  ask("timeout", "bob", "give bob a 5-minute breather", 300),
  ask("timeout", "bob", "bob needs half an hour off", 600),
  ask("timeout", "carl", "carl should sit out forty-five seconds", 45),
  ask("timeout", "carl", "put carl in the corner for twenty five seconds please", 25),
  ask("delete", "bob", "can somebody clean up bob's last line"),
  ask("timeout", "carl", "gönn carl mal fünfundvierzig sekunden ruhe", 45),
  ask("delete", "bob", "bobs letzte nachricht ist daneben, weg damit"),
  ask("timeout", "bob", "bob darf eine halbe minute nichts sagen", 30),
  ask("timeout", "bob", "que bob se calle treinta y cinco segundos", 35),
  ask("timeout", "carl", "carl en penitencia media hora", 600),
  ask("timeout", "bob", "bob de castigo vinte e cinco segundos", 25),
  ask("timeout", "bob", "fais taire bob trente-cinq secondes", 35),
  ask("timeout", "carl", "carl au calme une demi-heure", 600),
  ask("timeout", "bob", "bob zitto mezz'ora", 600),
  ask("timeout", "carl", "carl in castigo trentacinque secondi", 35),
  ask("timeout", "bob", "ucisz boba na dwadzieścia pięć sekund", 25),
  ask("warn", "carl", "udziel carlowi ostrzeżenia"),
  ask("delete", "bob", "to co napisał bob, proszę skasować"),
  ask("timeout", "bob", "bob yirmi beş saniye beklesin", 25),
  ask("timeout", "carl", "carl'ı yarım saat susturalım", 600),
  ask("timeout", "bob", "пусть боб, то есть bob, молчит полчаса", 600),
  ask("timeout", "carl", "carl'а на двадцать пять секунд в угол", 25),
  ask("timeout", "bob", "нехай bob помовчить двадцять п'ять секунд", 25),
  ask("warn", "carl", "carl'у треба офіційне попередження"),
  ask("timeout", "bob", "bobを二十五秒だまらせて", 25),
  ask("delete", "carl", "carlさんの直前の発言を片付けてほしい"),
  ask("timeout", "bob", "bob을 이십오 초 동안 조용히 시켜줘", 25),
  ask("timeout", "carl", "carl한테 십오분 휴식 주세요", 600),
  ask("timeout", "bob", "把bob关二十五秒", 25),
  ask("timeout", "carl", "让carl安静半小时", 600),
  ask("timeout", "bob", "خلي bob يسكت ٣٠ ثانية", 30),
  ask("timeout", "carl", "أعط carl استراحة خمس دقائق", 300),
  ask("delete", "bob", "شيل آخر شي كتبه bob"),
  ask("timeout", "bob", "bob को ४५ सेकंड के लिए बाहर करो", 45),
  ask("timeout", "carl", "carl को पंद्रह मिनट आराम दो", 600),
  ask("warn", "bob", "bobको साफ़ बता दो कि यह ठीक नहीं था"),
  ask("timeout", "bob", "zet bob 90 seconden in de hoek", 90),
  ask("warn", "carl", "ge carl en officiell varning"),
  ask("delete", "bob", "smaž prosím, co bob napsal"),
  ask("timeout", "carl", "βάλε τον carl λίγο στην άκρη"),
  ask("shoutout", "carl", "giới thiệu kênh của carl cho mọi người"),
  ask("shoutout", "bob", "tolong promosiin channel bob"),
  ask("warn", "bob", "annapa bobin kuulla virallinen varoitus"),
  ask("timeout", "carl", "dă-i lui carl o pauză"),
  ask("timeout", "bob", "mute den bob mal für 5 minuten", 300),
  ask("timeout", "carl", "carl na kwadrans do kąta", 600),
  ask("timeout", "bob", "némítsd le bobot kérlek"),
  ask("timeout", "carl", "תשתיק את carl"),
  ask("timeout", "bob", "ปิดแชท bob หน่อยครับ"),
  ask("timeout", "carl", "bisukan si carl dong"),
  ask("delete", "bob", "ta bort det bob skrev"),
];
