import type { ActionName } from "../config/names.ts";
import { normalWords } from "../text/words.ts";

/** So much of a fact has to stand in the words of whom it is about. */
const FACT_SHARE_MIN = 0.5;
/** Words by which somebody asks to be forgotten something, in some of Twitch's languages. */
const FORGETS =
  /forg[eo]t|delete|remove|erase|stop remembering|забуд|удали|olvid|borra|esquec|apaga|vergiss|vergess|lösch|oublie|efface|supprime|忘れ|消して|잊어|忘记/iu;

/**
 * Whether an action on somebody's memory is their own wish: what is to be kept stands in their own words, and what is
 * to go is asked for in them. What others wrote, and what a model makes of it, changes nobody's memory.
 */
export function isOwnWish(
  name: ActionName,
  args: Readonly<Record<string, string>>,
  words: readonly string[],
): boolean {
  const said = words.join(" ");
  if (name === "forget") return FORGETS.test(said);
  if (name !== "remember" && name !== "correct") return true;
  const fact = normalWords(args["fact"] ?? "");
  const own = new Set(normalWords(said));
  const shared = fact.filter((word) => own.has(word)).length;
  return shared > 0 && shared >= fact.length * FACT_SHARE_MIN;
}
