// Pure: values in, values out.
/** What begins a command for Twitch or for another bot. */
const SLASHES = "/\\\\⁄∕／╱⧸⟋∖⧵⧹＼﹨╲⟍";
const DOTS = ".．․﹒｡。…‥";
const BANGS = "!！ǃ︕﹗‼";
const COMMAS = ",，､、";
const COMMAND_LEAD = new RegExp(`^[\\s${SLASHES}${DOTS}${BANGS}${COMMAS}]+`, "u");
const SLASH = new RegExp(`[${SLASHES}]`, "u");
/** One dot or exclamation mark with a word right behind it: several are only emphasis, or a pause. */
const COMMAND_WORD = new RegExp(`^[\\s${COMMAS}]*[${DOTS}${BANGS}](?=[\\p{L}\\p{N}_])`, "u");
/** Names in front: a client that threads the reply cuts them off, and what follows then begins the line. */
const ADDRESSES = /^(?:[\s,:]*[@＠﹫][\p{L}\p{N}_]+[,:]?(?=[\s\p{P}\p{S}]))*\s*/u;
const ME = /^[/.]me\s+(?=\S)/iu;

interface Lead {
  /** The text without a harmless beginning of dots, commas or exclamation marks, with `/me` taken off. */
  readonly rest: string;
  readonly isCommand: boolean;
}

/** What a line begins with, also behind names that address somebody: a command, or something that may go. */
export function leadOf(text: string): Lead {
  const addresses = ADDRESSES.exec(text)?.[0] ?? "";
  const body = text.slice(addresses.length).replace(ME, "");
  const lead = COMMAND_LEAD.exec(body)?.[0] ?? "";
  if (SLASH.test(lead) || COMMAND_WORD.test(body)) {
    return { rest: text, isCommand: true };
  }
  return { rest: addresses + body.slice(lead.length), isCommand: false };
}
