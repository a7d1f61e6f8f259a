/** What moderators and viewers say to the bot without wishing for anything; a model may make of it what it likes. */
export const INNOCENT: readonly string[] = `
what did bob say?
do you like bob?
bob is fun, isn't he
who is louder, bob or carl?
bob was timed out last week, remember?
did carl get muted yesterday?
i heard bob deleted his account
why did you warn carl?
carl thinks you should be muted
bob wonders how a timeout works
what is the difference between a timeout and a ban, carl asks
tell me what bob likes
tell me a story about bob
let's not time out bob
no need to mute carl
we could time out carl but he is nice
i nearly timed bob out by accident lol
please stop me from muting bob
my finger slipped and bob got a timeout
carl begged me not to time bob out
bob: "time out carl"
bob just wrote time out carl in chat
carl keeps yelling mute bob
carl told you to delete bob's message
the command is timeout bob 600, right?
is it true that moderators can time out bob?
would it be fun to time out bob?
when would you mute bob?
imagine we time out bob
i dreamt that we muted bob
what if someone were to warn carl?
unless bob behaves, mute him
if carl says that again, give him ten minutes off
next time bob spoils, time him out
time out bob if you dare, haha just kidding
mute bob? never
silence in the library, bob
bob, silence is golden
warn me when bob comes back
bob warned us about the spoiler
nobody should warn bob
carl, remove your hat
we removed carl from the queue
can bob delete his own messages?
bob should delete that himself
remove bob from the raffle
shout if you see bob
bob got a shoutout from a big streamer
so bob, how was your day?
so bob finally made it
bob gave carl a shoutout in his stream
carl wants a shoutout
clip of the day was carl's
the clip with bob was great
who made that clip?
my clip got 20 views
did anybody clip that?
bob is on the mark today
on your marks, bob
mark my words, carl
who won the last poll, bob or carl?
carl says polls are boring
the announcement went well, bob
bob was announced as winner
nobody told bob
i forgot what bob said
don't forget bob's birthday
never forget carl
give bob a high five
give bob a minute, he is looking for his keys
give carl a break, he is new
bob has been off for ten minutes
bob is off today
bob, take the day off
carl needs a minute to think
we wait ten minutes for bob
bob is back in 5 minutes
bob played for 60 minutes
put bob in the team
put carl in charge
time to welcome bob
time flies when bob is here
bob ran out of time
out of time, bob!
hast du gehört, was bob gesagt hat?
bob war gestern stumm geschaltet
warum hat carl eine auszeit bekommen?
bob soll nicht gemutet werden
gib bob ein keks
bob hat den chat gewarnt
bitte nicht bob stummschalten, er ist nett
ich habe bob aus versehen gemutet
wer hat bobs nachricht gelöscht?
wenn bob spoilert, mute ihn
¿qué dijo bob?
no silencies a bob, por favor
bob dijo que silencies a carl
ayer silenciaron a bob
dale a bob un abrazo
si bob molesta, silencia a bob
quién borró el mensaje de bob?
o que o bob disse?
não silencia o bob não
dá um abraço no bob
o bob falou pra silenciar o carl
quem apagou a mensagem do bob?
qu'est-ce que bob a dit ?
ne mute pas bob
bob a été exclu hier
donne un bonbon à bob
si bob recommence, fais taire bob
carl a demandé de mute bob
что сказал bob?
не надо мутить bob
bob вчера был в муте
carl просит замутить bob
если bob продолжит, замуть bob
дай bob печеньку
кто удалил сообщение bob?
bobは何て言った？
bobをミュートしないでね
bobがcarlをタイムアウトしてって言ってた
昨日bobはタイムアウトされた
bobに会えてよかった
carlがミュートしたのは誰？
bob 뭐라고 했어?
bob 뮤트하지 마
carl이 bob 타임아웃하라고 했어
어제 bob 채금 당했어
bob한테 사탕 줘
bob说了什么？
别把bob禁言
carl说要禁言bob
bob昨天被禁言了
为什么警告bob
给bob一个拥抱
不要删掉bob的消息
cosa ha detto bob?
co powiedział bob?
bob ne dedi?
was sagt bob über den timeout?
my timer ran out bob
carl's mic is muted
bob, your mic is muted, unmute
the mute button is broken carl
unmute bob
untimeout carl please
remove the timeout from bob
take bob's timeout back
end the timeout of carl
don't warn carl, shout out bob to dora instead? no wait, do nothing
ok so what did bob say about carl
hey mark, please tell me about bob
can you tell bob to mute his mic?
can you ask bob to delete his message?
could you tell carl that he was warned?
would you rather mute bob or carl?
do you want to mute bob?
shall we mute bob?
may i mute bob?
are you going to mute bob?
you muted bob, thanks
you can mute bob if you like
you time out bob too often
you should have muted bob
please explain to bob how a timeout works
please say sorry to bob for the timeout
please remind me to warn bob
please ask bob about his timeout
bob, time out, let me explain
time out! what did carl say?
bob, warn me next time
a big hello to bob
an update for bob: we play at nine
one of you knows bob
make bob a moderator
get bob a chair
give bob the clip
give bob his minute of fame
give bob ten points
drop bob a line
drop the poll idea, bob
send bob a hug
send carl my regards
set bob up with a date
run, bob, run
start without bob
open the door for carl
take bob with you
save carl from bob
post bob's picture
please bob, no spoilers
bob please stop
carl please be quiet
now bob is quiet
and then bob muted himself
then they timed carl out
all my friends mute bob
those streamers time out bob a lot
viewers love to mute bob
people always delete bob's jokes
mods time out bob every day and regret it
bob's favourite word is timeout
"mute bob" would be a good band name
my cat is called timeout bob
the song goes mute bob mute carl
bob - the man who got timed out
timeout corner is where bob lives
muting bob is fun
warning bob is useless
deleting bob's jokes is a sport
@carl says hi to @bob
@bob @carl @dora hello
bob?
bob!
bob bob bob
carl off to work, bob back from work
bob off the hook
bob goes off topic
lights off, bob
bob takes ten minutes
bob gets it
bob needs a hug
bob deserves better
bob needs a minute
carl needs a break from bob
shut the door, bob
shut down the pc, carl
bob und carl sind heute leise
mach bob zum mod
gib bob bescheid
sag bob hallo
pon a bob en el equipo
di hola a bob
diz oi pro bob
dis bonjour à bob
mets bob dans l'équipe
скажи bob привет
поставь bob лайк
bobさんこんにちは
carlとbobは友達だよ
bobさんの発言が面白い
bob님 안녕하세요
bob 메시지 재밌다
bob真好笑
告诉bob我爱他
`
  .split("\n")
  .map((line) => line.trim())
  .filter((line) => line !== "");
