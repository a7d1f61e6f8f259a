import type { ActionName } from "../../src/platform/config/names.ts";

const MENTIONS: readonly (readonly [ActionName, string])[] = [
  [
    "timeout",
    `do not, under any circumstances, mute bob
    please never, whatever he says, mute bob
    repeat after me, mute bob
    rate this sentence, mute bob
    ich habe gesagt, mute bob
    bob을 타임아웃 해야 할까
    bobが静かにさせてくれた
    what did bob say?
    @automark what did bob say?
    don't time bob out
    do not mute bob
    never time out bob
    please don't time out bob
    bob is fun today
    bob was timed out yesterday
    who gave bob a timeout?
    why was bob muted
    should i time out bob?
    should we mute bob?
    did you time out bob?
    if bob does that again, time him out
    time out bob if he does it again
    i will time out bob
    i'll mute bob myself
    bob said "time out bob"
    bob said time out carl
    carl says time out bob
    carl said, time out bob
    "timeout bob" is what carl wrote
    timeout bob?
    the timeout of bob was harsh
    bob's timeout is over
    bob asked me to time you out
    how do i time out bob?
    remember when you timed out bob?
    bob wants to mute carl
    give bob a hug
    give bob a minute, he is typing
    give bob a minute to finish
    bob, mute your mic
    bob you can time out people too
    timeout carl
    time out carl for insulting bob
    time out carl, not bob
    time out carl instead of bob
    time out carl because bob asked
    time out the guy who insulted bob
    time out everyone except bob
    bob insulted carl, time him out
    welcome bob
    say hi to bob
    is bob a mod?
    bob is off to bed
    bob needs ten minutes to get ready
    time out bob, just kidding
    mute bob lol jk
    time out bob NOT
    gib bob keine auszeit
    bob bitte nicht stummschalten
    warum ist bob stumm?
    wenn bob das nochmal macht, mute ihn
    no silencies a bob
    por qué está silenciado bob?
    não silencia o bob
    ne fais pas taire bob
    не мути bob
    не надо мутить bob
    почему bob в муте?
    bobをタイムアウトしないで
    bobはタイムアウトされた？
    bobって誰？
    なぜbobをミュートした？
    bob 타임아웃 하지 마
    bob 왜 채금 당했어?
    不要禁言bob
    别禁言bob
    bob为什么被禁言
    谁禁言了bob
    the spoilers were bad`,
  ],
  [
    "warn",
    `did anyone warn bob?
    don't warn bob
    warn carl about bob
    bob warned me
    warn bob that his mic is off
    i should warn bob`,
  ],
  [
    "delete",
    `did bob delete that?
    bob deleted his message
    don't delete bob's message
    i can't find what bob said
    delete carl's message to bob
    bob, delete your message`,
  ],
  [
    "shoutout",
    `ok so bob
    so bob said hi
    so bob, what's up?
    bob is a great streamer
    thanks for the shoutout bob
    no shoutout for bob`,
  ],
  [
    "announce",
    `昨天的公告很好笑
    公告在哪里看
    他宣布要退役
    did they announce the raffle?
    what was announced?
    tell them a joke
    don't announce it
    nobody told chat`,
  ],
  [
    "poll",
    "poll results?\n开投票有什么好处\nwho won the poll?\nno poll please\nthe poll was rigged\ndon't start a poll",
  ],
  [
    "clip",
    `你能做个蛋糕吗
    我录下来的歌
    这个片段剪得真好
    lol nice
    nice clip
    did you see that clip?
    don't clip that
    what a play
    that clip was great
    who clipped that?
    i'd never clip that
    クリップしないで
    클립 하지 마
    别剪一下`,
  ],
  [
    "marker",
    "标记是什么意思\nlol nice\nbob is wide off the mark\ndon't mark that\nwho set the marker?",
  ],
  [
    "forget",
    `消しゴム忘れてた
    잊어버렸어
    我忘了带钥匙
    don't forget my birthday
    i forgot my keys
    never forget
    hi mark
    i'll never forget that game
    vergiss nicht zu trinken
    no olvides el agua
    не забудь воды
    忘れないで
    잊지 마
    别忘了喝水`,
  ],
];

/** What speaks of an action and does not ask for it, line by line. */
export const ONLY_MENTIONED = MENTIONS.map(
  ([name, text]) => [name, text.split("\n").map((line) => line.trim())] as const,
);
