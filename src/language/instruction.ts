// Pure: values in, values out.
import { extractActions } from "./action-syntax.ts";
import { fold } from "./fold.ts";
import { findHosts } from "./links.ts";
import { PERSON } from "./people.ts";

/**
 * The kinds of sentences that are more than a statement. They have several lines, a link, an action or command syntax,
 * a part of a prompt, or an order to a bot.
 */
export type InstructionKind = "not_one_line" | "url" | "action" | "marker" | "instruction";

/** Replaces a viewer's token or label, whose digits are no number. */
const SOMEBODY = "somebody";
const BREAKS = /[\p{Cc}\u2028\u2029]/u;
const COMMAND = /^\W{0,3}[/!\\.]\p{L}/u;
/** An action's argument or a note's number, without their brackets. */
const ARGUMENT =
  /(?<![\p{L}\p{N}])(?:action|fact|note|user|text|reason|seconds|title|choices|target)\s?=\s?\S|\[\s?id\s?[:#=]|(?<!\p{L})action\s?:\s?\p{L}/u;
const MARK =
  /~[0-9a-z]{8,}~|<\|?\/?\s?(?:system|user|assistant|think|im_|start|end|inst|s>|[a-z_]{2,20}\|?>)|\[\/?(?:inst|system|user|assistant|admin)\]|'''|~~~|-{3,}|={3,}|#{2,}|_{4,}|\{|\}|<<|>>/u;
const SPEAKER =
  /^\W{0,4}(?:\[\d{1,4}\]\s?)?(?:system|user|assistant|developer|admin|bot|human|ai|model|somebody(?!:\p{Ll}{1,5}\s)|prompt|rules?|summary|notes?|memory|instructions?)\s?[:：]|^\W{0,3}#\s?\p{L}|^\s?\[\d{1,4}\]/u;
/** Injected prompts are nearly always English. The model's own flag and the rule of known carriers catch the rest. */
const ORDER = new RegExp(
  `(?<!\\p{L})(?:${[
    "(?:ignore|disregard|forget|override) (?:(?:all|any|the|your|my|these|previous|prior|earlier|above) ){0,4}(?:instructions?|rules?|prompts?|guidelines)",
    "system ?prompt|jailbreak|developer mode",
    "(?:from now on )?you are (?:now )?an? |pretend (?:to be|you)|(?:act|roleplay) (?:as|like) (?:an?|the|if|my) ",
    "(?:wants?|tells?|asks?|orders?) the bot to|obeyed by the bot|the bot (?:must|should|has to|always|never) ",
    "has permission to|is (?:an?|the) (?:admin|moderator)(?!\\p{L})|(?:must|has to|should) (?:always )?be obeyed",
    // "Is now mod": a role of the channel, in languages that write it alike.
    "^\\W{0,6}(?:is|ist|es|est|e|é|è|jest|wurde|was made|becomes?) (?:(?:now|our|your|your new|jetzt|neue[rs]?|ein|der|die|un|una|une|um|uma|ahora|agora|maintenant|ora|adesso|teraz|an?|the) ){0,2}(?:mod|moderator(?:in)?|moderadora?|moderateur|modérateur|moderatore|admin)(?= *(?:[.!,]|here|now|hier|jetzt|(?:in|of|im|des) (?:this|the|diesem|der)? ?(?:chat|channel|kanal|stream)|$))",
    "^\\W{0,6}(?:you must )?(?:always|never) (?:answer|reply|respond|speak|talk|obey|say|greet) ",
  ].join("|")})`,
  "u",
);

/**
 * Returns the part of a prompt that a text imitates: several lines, an action or a mark. Null if it imitates none. Not
 * even the streamer's texts may.
 */
export function findMarkup(text: string): "not_one_line" | "action" | "marker" | null {
  if (BREAKS.test(text)) return "not_one_line";
  if (extractActions(text).spans.length > 0) return "action";
  return MARK.test(fold(text.replaceAll(PERSON, SOMEBODY))) ? "marker" : null;
}

/** Returns why a sentence must not become a fact. Null if it may. `mayRefer`: it may hold links and begin with a command. */
export function findInstruction(text: string, mayRefer = false): InstructionKind | null {
  const markup = findMarkup(text);
  if (markup === "not_one_line") return markup;
  if (!mayRefer && findHosts(text).length > 0) return "url";
  const latin = fold(text.replaceAll(PERSON, SOMEBODY), { lookAlikes: true });
  const isCommand = !mayRefer && COMMAND.test(text);
  if (markup === "action" || isCommand || ARGUMENT.test(latin)) return "action";
  if (markup === "marker" || SPEAKER.test(latin)) return "marker";
  return ORDER.test(fold(text.replaceAll(PERSON, " "), { lookAlikes: true }))
    ? "instruction"
    : null;
}
