/**
 * Shapes in which models send JSON, each around the same summary with two claims. All hold something that can be
 * learned. Written before the parser that reads them.
 */
const CLAIM = { subject: "P2", statement: "P2 plays the cello", quotes: ["i play the cello"] };
const OTHER = { subject: "P4", statement: "P4 lives in Graz", quotes: ["living in graz"] };
const GOOD = { topic: "instruments", summary: "They compared music.", claims: [CLAIM, OTHER] };
const text = JSON.stringify(GOOD);
const pretty = JSON.stringify(GOOD, null, 2);
const claims = JSON.stringify(GOOD.claims);
const withClaims = (...some: readonly unknown[]) => JSON.stringify({ ...GOOD, claims: some });

export const JSON_SHAPES: readonly (readonly [name: string, answer: string])[] = [
  ["plain", text],
  ["pretty", `\n${pretty}\n`],
  ["fenced", `\`\`\`json\n${pretty}\n\`\`\``],
  ["fence never closed", `\`\`\`json\n${pretty}`],
  ["prose around a fence", `Here is the summary:\n\`\`\`\n${text}\n\`\`\`\nTell me if it suits.`],
  ["prose around it", `Of course! ${text} I left out the small talk {really}.`],
  ["think block", `<think>P2 said {cello}, so [claim].</think>${text}`],
  ["think block with JSON in it", `<think>{"topic":"draft","claims":[]}</think>\n${text}`],
  ["think block never opened", `so P2 is the one.</think>${text}`],
  ["thinking block", `<thinking>\nhm\n</thinking>\n${pretty}`],
  ["reasoning block", `<reasoning>two facts</reasoning>${text}`],
  ["bracketed think block", `[THINK]two facts[/THINK]${text}`],
  [
    "harmony channels",
    `<|channel|>analysis<|message|>two facts<|end|><|start|>assistant<|channel|>final<|message|>${text}`,
  ],
  ["thought line", `Thought: there are two facts.\n\nAnswer: ${text}`],
  ["end token behind it", `${text}<|im_end|>\n<|im_start|>user\nthanks`],
  ["array of one", `[${text}]`],
  ["wrapper object", `{"summary_of_window":${text}}`],
  ["wrapper named like a field", `{"summary":${text}}`],
  ["quoted JSON", JSON.stringify(text)],
  ["quoted in a wrapper", JSON.stringify({ response: text })],
  ["trailing commas", pretty.replace('graz"\n', 'graz",\n').replace(/\}\s*\]\s*\}$/, "},],}")],
  ["line comment", pretty.replace('"claims"', '// the facts\n  "claims"')],
  ["block comment", text.replace('"claims"', '/* facts */ "claims"')],
  ["single quotes", text.replaceAll('"', "'")],
  ["curly quotes", text.replace(/"([^"]*)"/g, "“$1”")],
  ["names without quotes", text.replace(/"(\w+)":/g, "$1:")],
  ["raw newline", text.replace("compared music", "compared\nmusic")],
  ["quotes not escaped", text.replace("compared music", 'compared "good" music')],
  ["None and True", `{"done": True, "extra": None, ${text.slice(1)}`],
  ["missing comma", pretty.replace('music.",', 'music."')],
  ["missing brackets at the end", text.slice(0, -2)],
  ["cut in the second claim", text.slice(0, text.indexOf("living"))],
  ["cut behind the first claim", text.slice(0, text.indexOf(',{"subject":"P4"'))],
  ["claim without quotes", withClaims(CLAIM, { subject: "P4", statement: "P4 lives in Graz" })],
  ["claim that is a string", withClaims("P4 lives in Graz", CLAIM)],
  ["quotes as one string", withClaims(CLAIM, { ...OTHER, quotes: "living in graz" })],
  ["claims as one object", JSON.stringify({ ...GOOD, claims: CLAIM })],
  ["claim of null", withClaims(null, CLAIM)],
  ["summary missing", `{"topic":"instruments","claims":${claims}}`],
  ["topic of null", JSON.stringify({ ...GOOD, topic: null, mood: "calm" })],
];

const BEES = { subject: "P3", statement: "P3 züchtet Bienen", quotes: ["ich züchte bienen"] };
const LODZ = { subject: "P1", statement: "P1 wohnt in Łódź", quotes: ["mieszkam w Łodzi"] };
const HOBBIES = { topic: "Hobbys", summary: "Sie sprachen über Hobbys.", claims: [BEES, LODZ] };
const line = JSON.stringify(HOBBIES);
const tall = JSON.stringify(HOBBIES, null, 4);

/** The second set, in other words and languages, written before the parser was taught them; each has the claim about bees. */
export const MORE_JSON_SHAPES: readonly (readonly [name: string, answer: string])[] = [
  ["two fences", `\`\`\`text\nP3 züchtet Bienen\n\`\`\`\n\n\`\`\`json\n${tall}\n\`\`\``],
  ["fence of tildes", `~~~json\n${tall}\n~~~`],
  ["brackets in the prose", `Antwort [endgültig]: ${line}`],
  ["braces in the prose", `Ich habe {P3} und {P1} gelesen: ${line}`],
  ["a draft before it", `Entwurf: {"topic":"Bienen"}\nFertig: ${line}`],
  ["two wrappers", JSON.stringify({ ergebnis: { daten: HOBBIES } })],
  ["wrapper with a status", JSON.stringify({ status: "ok", data: HOBBIES })],
  ["list in a wrapper", JSON.stringify({ results: [HOBBIES] })],
  ["tool call", JSON.stringify({ name: "summarise", arguments: line })],
  ["names with capitals", line.replace('"topic"', '"Topic"').replace('"claims"', '"Claims"')],
  ["fullwidth colons", line.replaceAll('":', '"：')],
  ["numbered claims", JSON.stringify({ ...HOBBIES, claims: { 1: BEES, 2: LODZ } })],
  ["hash comment", tall.replace('"claims"', '# Fakten\n    "claims"')],
  ["names in bold", line.replace(/"(\w+)":/g, '**"$1"**:')],
  ["German quotes", line.replace(/"([^"]*)"/g, "„$1“")],
  ["guillemets", line.replace(/"([^"]*)"/g, "«$1»")],
  ["summary as a list", JSON.stringify({ ...HOBBIES, summary: ["Kurz.", "Nett."] })],
  ["assigned to a name", `const zusammenfassung = ${tall};`],
  ["in a tag", `<json>${line}</json>`],
  ["reasoning, then a heading", `<think>P3: {Bienen}. P1: [Łódź]</think>\n\n## Ergebnis\n${tall}`],
];
