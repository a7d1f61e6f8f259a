import type { SelfLanguage, SelfRule } from "./self-rule.ts";

const HOW =
  "(?:(?:todav[ií]a|a[uú]n|tambi[eé]n|siempre|solo|s[oó]lo|casi siempre|normalmente|ahora|actualmente|sobre todo|a veces|de verdad|realmente)\\s+)*";

/** First person, third person. */
const VERBS: readonly (readonly [string, string])[] = [
  ["juego", "juega"],
  ["maineo", "mainea"],
  ["soy de", "es de"],
  ["vivo", "vive"],
  ["odio", "odia"],
  ["amo", "ama"],
  ["adoro", "adora"],
  ["prefiero", "prefiere"],
  ["trabajo", "trabaja"],
  ["estudio", "estudia"],
  ["hablo", "habla"],
  ["dibujo", "dibuja"],
  ["colecciono", "colecciona"],
  ["streameo", "streamea"],
  ["cultivo", "cultiva"],
  ["bebo", "bebe"],
];

const PET = "gato|gata|perro|perra|gatito|perrito|loro|h[aá]mster|conejo|tortuga|pez|caballo";
const OWN = `${PET}|personaje|equipo|banda|coche|barco`;
const TIER =
  "hierro|bronce|plata|oro|platino|esmeralda|diamante|ascendente|inmortal|radiante|maestro";
const GAME = "(?: en (?!tu|mi|la|el|los|las|este|esta|vida)[^ ,.;!]+)?";
/** What may follow a fact that is told in so many words. */
const REST = "(?: (?:ya|ahora|por fin|jaja\\w*|xd+))*(?:\\s*[,;!(].*| (?:pero|y|aunque) .*)?";
const SO = "(?:muchísimo |mucho |tanto |demasiado )?";

function rule(said: string, told: string): SelfRule {
  return { said: new RegExp(`^${said}$`, "iu"), told };
}

const RULES: readonly SelfRule[] = [
  rule(
    "(?:yo )?(?<when>mañana|pasado mañana|la semana que viene|este finde|esta noche) (?:yo )?voy a (?<what>.+)",
    "$P va a {what} {when}",
  ),
  rule(
    "(?:yo )?voy a (?<what>.+?) (?<when>mañana|la semana que viene|este finde)",
    "$P va a {what} {when}",
  ),
  rule("(?<when>mañana|la semana que viene) (?:yo )?tengo (?<what>.+)", "$P tiene {what} {when}"),
  rule(
    "(?<when>mañana|la semana que viene) (?:yo )?empiezo (?<what>.+)",
    "$P empieza {what} {when}",
  ),
  rule(
    "(?:por favor,? )?(?:ll[aá]mame|ll[aá]menme|ll[aá]madme|pueden llamarme|puedes llamarme|dime|d[ií]ganme|decidme) (?!un |una |si |qu[eé] |algo |d[oó]nde |cu[aá]l )(?<what>[\\p{L}\\p{M}\\p{N}_'-]+(?: [\\p{L}\\p{M}\\p{N}_'-]+)?)",
    "$P prefiere el nombre {what}",
  ),
  rule(
    "(?:yo )?(?:quiero|prefiero) que me (?:llamen|llam[eé]is|digan|llames) (?<what>.+)",
    "$P prefiere el nombre {what}",
  ),
  rule("me llamo (?<what>.+)", "$P se llama {what}"),
  ...VERBS.flatMap(([own, their]) => [
    rule(`(?:yo )?${HOW}ya no ${own} (?<what>.+)`, `$P ya no ${their} {what}`),
    rule(`(?:yo )?${HOW}no ${own} (?<what>.+)`, `$P no ${their} {what}`),
    rule(`(?:yo )?${HOW}${own} (?<what>.+)`, `$P ${their} {what}`),
  ]),
  ...["gusta", "gustan", "encanta", "encantan", "flipa", "fascina", "fascinan"].flatMap((likes) => [
    rule(`(?:a m[ií] )?${HOW}ya no me ${likes} ${SO}(?<what>.+)`, `A $P ya no le ${likes} {what}`),
    rule(`(?:a m[ií] )?${HOW}no me ${likes} ${SO}(?<what>.+)`, `A $P no le ${likes} {what}`),
    rule(`(?:a m[ií] )?${HOW}me ${likes} ${SO}(?<what>.+)`, `A $P le ${likes} {what}`),
  ]),
  rule(
    `(?:yo )?${HOW}me (?:acabo de mudar|mud[eé]|he mudado) (?<what>(?:de .+ )?a .+)`,
    "$P se mudó {what}",
  ),
  rule("(?:yo )?acabo de mudarme (?<what>(?:de .+ )?a .+)", "$P se mudó {what}"),
  rule("(?:yo )?dej[eé] de jugar (?<what>.+)", "$P dejó de jugar {what}"),
  rule("(?:yo )?he dejado de jugar (?<what>.+)", "$P dejó de jugar {what}"),
  rule(
    `(?:yo )?${HOW}estoy (?<doing>aprendiendo|estudiando|jugando|trabajando|leyendo|viendo) (?<what>.+)`,
    "$P está {doing} {what}",
  ),
  rule(
    "mi (?<which>[\\p{L}-]+(?: [\\p{L}-]+)?) (?<fav>favorit[oa]|preferid[oa]) (?:es|son|sigue siendo) (?<what>.+)",
    "$P tiene como {which} {fav} {what}",
  ),
  rule(`mi (?<pet>${OWN}) se llama (?<what>.+)`, "$P llama a su {pet} {what}"),
  rule(
    `(?:yo )?tengo (?<pet>(?:una?|dos|tres|cuatro|\\d) (?:${PET})s?) (?:llamad[oa]|que se llama) (?<what>.+)`,
    "$P tiene {pet} de nombre {what}",
  ),
  rule(
    `(?:yo )?tengo (?<pet>(?:una?|dos|tres|cuatro|\\d) (?:${PET})s?)(?: en casa)?${REST}`,
    "$P tiene {pet}",
  ),
  rule(
    "(?:yo )?(?<not>(?:no )?)toco (?<what>(?:el|la) (?:guitarra|piano|bajo|bater[ií]a|viol[ií]n|flauta|trompeta|saxof[oó]n|acorde[oó]n))",
    "$P {not} toca {what}",
  ),
  rule(
    `(?:yo )?(?<not>(?:no )?)tomo (?<what>(?:caf[eé]|t[eé]|mate|leche|vino|cerveza)(?![\\p{L}]).*)`,
    "$P {not} toma {what}",
  ),
  rule(`(?:yo )?soy (?:el )?rango (?<rank>\\d{1,6}${GAME})${REST}`, "$P tiene el rango {rank}"),
  rule(
    `(?:yo )?(?:ya )?(?:soy|estoy en|llegu[eé] a|sub[ií] a) (?:el )?(?:rango )?(?<rank>(?:${TIER}) \\d${GAME})${REST}`,
    "$P tiene el rango {rank}",
  ),
  rule("mi rango (?:actual )?es (?<what>.+)", "$P tiene el rango {what}"),
];

export const SPANISH: SelfLanguage = {
  rules: RULES,
  own: /^(?:yo|me|mi|vivo|soy|juego|estudio|trabajo|odio|amo|ya no|no juego|a m[ií])(?![\p{L}\p{N}])/iu,
  fillers:
    /^(?:(?:pues|bueno|s[ií]|no(?=[,.!])|hola|oye|oigan|jaja\w*|la verdad|por cierto|ah|ay|y|chicos|gente|(?:buenas|hola) a tod[oa]s|buenas|chat|hoy|en serio|vale)[\s,!.:-]+|(?:the bot|someone|P\d{1,4})[\s,!]+|[^\p{L}\p{N}"'«(]+)+/iu,
  cut: /\s*(?:[,;(|]|:\s|\s[-–—]+\s|\s(?:pero|porque|y (?:yo|me|vengo|vivo|soy|juego|estudio|trabajo|tengo|voy|estoy)|aunque|cuando|jaja\w*|jeje\w*|xd+|tambi[eé]n|que|mientras|ahora|por cierto|hermano|bro|gente|chicos|desde|la verdad|la neta)(?![\p{L}\p{N}])).*$/iu,
  vague:
    /^(?:esto|eso|este|ese|esta|esa|estos|estas|lo|la de|los que|las que|el que|la que|aqu[ií]|ah[ií]|all[ií]|mucho|poco|bien|mal|mejor|peor|as[ií]|hoy|todo|nada|algo|t[uú]|ti|vos|te|mi vida|la vida|que|cuando|como|c[oó]mo|en paz|con miedo|luego|loco|tarde|por)(?![\p{L}\p{N}])/iu,
  joints:
    /\s(?:con|para|por|en|cada|despu[eé]s|antes|y|o|desde|de|del|a|al)\s(?:(?!\s(?:con|para|por|en|cada|despu[eé]s|antes|y|o|desde|de|del|a|al)\s).)*$/iu,
  spell: (text) => text,
  turn: (matter) => matter.replace(/(?<![\p{L}])mi(?=s?(?![\p{L}]))/giu, "su"),
};
