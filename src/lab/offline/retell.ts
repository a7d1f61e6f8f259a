import type { Digest } from "../../memory/summary-prompt.ts";
import { isQuestion } from "./question.ts";
import type { Tongue } from "./telling-words.ts";
import { speaksOf } from "./topic-words.ts";
import type { Said } from "./transcript.ts";

interface Retold {
  readonly claims: Digest["claims"];
  readonly words: readonly string[];
  readonly tongue: Tongue;
}

interface Wording {
  readonly and: string;
  readonly lively: (people: number) => string;
  readonly talked: (people: string, word: string) => string;
  readonly askers: (people: string) => string;
  readonly told: (people: string) => string;
  readonly cheered: string;
  readonly idle: string;
}

const PEOPLE_MAX = 3;
const CHEERS_MIN = 3;
const CHEER = /^(?:(?!P\d)\S{1,14}[!\s]*){1,2}$/u;

const WORDINGS: Readonly<Record<Tongue, Wording>> = {
  english: {
    and: " and ",
    lively: (people) => `${people} people were in the conversation.`,
    talked: (people, word) => `${people} brought up ${word}.`,
    askers: (people) => `${people} had questions.`,
    told: (people) => `${people} shared something of their own life.`,
    cheered: "Several people reacted with short cheers.",
    idle: "It was small talk.",
  },
  russian: {
    and: " и ",
    lively: (people) => `Участников разговора: ${people}.`,
    talked: (people, word) => `О теме «${word}» говорили ${people}.`,
    askers: (people) => `Вопросы были у ${people}.`,
    told: (people) => `О себе рассказали ${people}.`,
    cheered: "Несколько человек коротко порадовались.",
    idle: "Болтали о мелочах.",
  },
  spanish: {
    and: " y ",
    lively: (people) => `Participaron ${people} personas.`,
    talked: (people, word) => `El tema ${word} salió de ${people}.`,
    askers: (people) => `Hubo preguntas de ${people}.`,
    told: (people) => `Contaron algo propio ${people}.`,
    cheered: "Varias personas reaccionaron con gritos cortos.",
    idle: "Fue charla ligera.",
  },
  japanese: {
    and: "と",
    lively: (people) => `会話の参加者は${people}人。`,
    talked: (people, word) => `${people}が${word}の話をした。`,
    askers: (people) => `${people}から質問があった。`,
    told: (people) => `${people}が自分の話をした。`,
    cheered: "何人かが短い歓声を上げた。",
    idle: "雑談だった。",
  },
};

/** What went on in a window, told from counts alone: who spoke of what, who asked, who cheered. No line is copied. */
export function retell(lines: readonly Said[], { claims, words, tongue }: Retold): string {
  const say = WORDINGS[tongue];
  const people = (labels: Iterable<string>): string =>
    [...new Set(labels)].slice(0, PEOPLE_MAX).join(say.and);
  const sentences = [say.lively(new Set(lines.map(({ label }) => label)).size)];
  for (const word of words) {
    const about = lines.filter(({ text }) => speaksOf(text, word, tongue));
    sentences.push(say.talked(people(about.map(({ label }) => label)), word));
  }
  if (words.length === 0) sentences.push(say.idle);
  const askers = lines.filter(({ text }) => isQuestion(text));
  if (askers.length > 0) sentences.push(say.askers(people(askers.map(({ label }) => label))));
  if (claims.length > 0) sentences.push(say.told(people(claims.map(({ subject }) => subject))));
  const cheers = lines.filter(({ text }) => CHEER.test(text) && !isQuestion(text));
  if (cheers.length >= CHEERS_MIN) sentences.push(say.cheered);
  return sentences.join(" ");
}
