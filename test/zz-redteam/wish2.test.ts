import { test } from "vitest";
import { wishOf } from "../../src/actions/wish.ts";
const P = (userId: string, login: string, displayName = login) => ({ userId, login, displayName, roles: null });
const people = [P("1", "bob", "Bob"), P("2", "carl"), P("3", "kinomi", "木の実"), P("4", "dora")];
const bad: [any, string][] = [
  ["announce", "昨天的公告很好笑"], ["announce", "公告在哪里看"], ["announce", "他宣布要退役"], ["poll", "那个投票很好玩"], ["poll", "开投票有什么好处"],
  ["marker", "标记是什么意思"], ["clip", "这个片段剪得真好"], ["clip", "你能做个蛋糕吗"], ["clip", "我录下来的歌"], ["announce", "昨日の発表すごかった"], ["announce", "告知は昨日見た"],
  ["poll", "アンケートって面白いね"], ["clip", "クリップで見た"], ["clip", "クリップ!懐かしい"], ["announce", "공지 봤어?"], ["announce", "공지 어디서 봐"], ["poll", "투표 재밌었어"], ["clip", "클립 봤어"], ["forget", "消しゴム忘れてた"], ["forget", "잊어버렸어"], ["forget", "我忘了带钥匙"], ["forget", "忘记密码了"], ["marker", "표시 나네"],["forget", "지워지지 않는 사랑"],
  ["timeout", "bob 조용히 좀 말해"], ["timeout", "bobが静かにさせてくれた"], ["warn", "bobに注意してもらった"], ["warn", "bobさん注意!"], ["delete","bobのコメント消しておいたよ"],
  ["poll","we had polls yesterday"],["poll","polls are fun"],["poll","poll results?"],["announce","announcements are loud"],["announce","announcement yesterday was loud"],["poll","a vote for carl is a vote for fun"],["marker","marker pens smell"],["marker","a marker pen is what i need"],["clip","a clip from yesterday made me laugh"],["clip","clip art is cute"],["poll","umfrage gestern war lustig"],["clip","clippers are better than scissors"],["forget","forget it lol"],["forget","forget me nots are flowers"],["forget","forgetting is fine"],["poll","poll dancing"],["clip","yes and a clip on tie"],["marker","mark is here"],["marker","mark it zero"],
  ["announce","let people know? no"],["announce","remind chat why we love you"],["poll","ask chat how they are"],["poll","ask people to be nice"],
];
const good: [any, string][] = [
  ["announce","公告一下马上开始"],["announce","告诉大家马上突袭"],["announce","宣布一下:十分钟后开始"],["poll","开个投票:象棋还是围棋"],["clip","剪一下"],["clip","帮忙剪个片段"],
  ["timeout","give bob twenty seconds off"],["timeout","steck bob in den timeout"],["marker","setz hier mal einen marker"],["shoutout","so bob"],["forget","you can forget about my cats now"],["forget","don't remember that please"],["forget","please don't keep that in mind"],
  ["timeout","why not, go ahead and mute bob"],["timeout","no, mute bob"],["timeout","yes, bob, 5 minutes off"],["clip","that's a clip"],["clip","ok that one deserves a clip lol"],["clip","CLIP"],["clip","bot, clip please"],["clip","get that on clip"],["poll","can you make a poll asking if we should play chess"],["poll","quick poll, chess or go"],["announce","please announce: raid in 5"],["marker","put a marker on this"],["marker","marker please"],["marker","marker"],["warn","give bob a formal warning"],["warn","bob: final warning"],["warn","can you warn @bob for me"],["delete","delete that message from bob"],["delete","bob's last message, delete it please"],["delete","nuke bob's message"],["shoutout","can we get a shoutout for bob"],["shoutout","show bob some love with a shoutout"],["shoutout","hey, shoutout bob!"],["timeout","bob, timeout, 1 min"],["timeout","timeout bob 60s spoilers"],["timeout","tempmute bob 60"],["timeout","stick bob in timeout for a minute"],["timeout","bob needs to cool off for 5 minutes"],["timeout","quiet bob down for a bit"],["timeout","have bob sit out for 2 minutes"],
];
test("x", () => {
  const T = new Set(["timeout", "warn", "delete", "shoutout"]);
  const w = (n: any, l: string) => wishOf(n, {}, { words: [l], repliesToId: null, ownNames: ["automark", "bot"], target: T.has(n) ? people[0]! : null, people });
  console.log(["", ...bad.filter(([n, l]) => w(n, l) === "said").map(([n, l]) => `BAD ${n}: ${l}`), ...good.filter(([n, l]) => w(n, l) !== "said").map(([n, l]) => `GOOD ${n}: ${l} ${w(n, l)}`)].join("\n"));
});
