import { PROVIDER_NAMES } from "../catalogue/providers.ts";

/** The look of setup, on top of the page's own style: one narrow column. */
export const SETUP_STYLE = `
body.setup { display: block; max-width: 44rem; margin: 0 auto; padding: 1.6rem 1.2rem 4rem; }
.setup header { display: flex; align-items: center; gap: .55rem; margin-bottom: 1.6rem; font: 600 1.06rem/1 var(--serif); }
.setup header span { color: var(--soft); font-weight: 400; }
.setup main { padding: 0; max-width: none; }
.setup h1 { margin-bottom: 1.1rem; } .setup h1:has(+ .lead) { margin-bottom: .4rem; }
.setup .lead { margin: 0 0 1.2rem; }
.steps { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; counter-reset: step; margin: 0 0 2rem; padding: 0 0 .8rem; border-bottom: 1px solid var(--line); font-size: .88rem; color: var(--soft); }
.steps li::before { counter-increment: step; content: counter(step) " "; font-variant-numeric: tabular-nums; }
.steps li.done::before { content: "✓ "; color: var(--leaf); }
.steps [aria-current] { color: var(--ink); font-weight: 600; }
.word { border-radius: 8px; padding: .7rem 1rem; background: var(--leaf-wash); margin: 0 0 1.2rem; }
.word.wrong { background: var(--rose-wash); }
.setup form { display: grid; gap: 1.1rem; margin: 0; }
.setup form.inline { display: inline-grid; }
.setup label > span:first-child { display: block; font-weight: 600; font-size: .92rem; margin-bottom: .3rem; }
.setup input:not([type=radio], [type=checkbox]), .setup textarea { width: 100%; font: inherit; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); color: var(--ink); }
.setup ::placeholder { color: var(--soft); opacity: 1; }
.setup textarea { resize: vertical; } .setup textarea.panel { font-size: .92rem; line-height: 1.5; }
.setup fieldset { border: 0; margin: 0; padding: 0; min-width: 0; } .setup legend { font-weight: 600; font-size: .92rem; padding: 0; margin-bottom: .3rem; }
.choices { display: grid; gap: .5rem; } .choices.two { grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); } .choices.two legend { grid-column: 1 / -1; }
.setup .choice, .setup .tick { color: var(--ink); }
.choice { display: grid; grid-template-columns: auto 1fr; gap: .7rem; align-items: start; padding: .75rem .9rem; border: 1px solid var(--line); border-radius: 10px; background: var(--sheet); cursor: pointer; }
.setup .choice > span { font-weight: 400; margin: 0; font-size: 1rem; } .choice input { margin: .3rem 0 0; accent-color: var(--blue); }
.choice small { display: block; color: var(--soft); font-size: .86rem; line-height: 1.4; }
.choice:has(:checked) { border-color: var(--blue); background: var(--blue-wash); } .choice:has(:focus-visible) { outline: 2px solid var(--blue); outline-offset: 2px; } .choice :focus-visible { outline: 0; }
.tick { display: block; font-size: .95rem; } .tick input { accent-color: var(--blue); margin: 0 .35rem 0 0; }
.hint { color: var(--soft); font-size: .88rem; margin: 0; } main > .hint { margin: 0 0 1rem; } .centred { text-align: center; }
.cost { font-size: .92rem; margin: 0; padding: .7rem 1rem; border-radius: 8px; background: var(--hair); }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; margin-top: .4rem; }
.setup button, .setup .button { font-size: .98rem; padding: .6rem 1.2rem; border-radius: 8px; min-height: 2.75rem; }
.setup .button.first { background: var(--blue); border-color: var(--blue); color: light-dark(#fff, #10151f); font-weight: 600; }
.setup button:disabled { opacity: .6; cursor: progress; }
.setup details { border: 1px solid var(--line); border-radius: 10px; padding: .7rem 1rem; } .setup details > * + * { margin-top: .6rem; } .setup summary { cursor: pointer; font-size: .95rem; }
.setup main > details { margin: 0 0 1rem; }
.howto { padding-left: 1.2rem; margin: 0; display: grid; gap: .4rem; font-size: .92rem; }
.needs-account, .models > [class^=only-] { display: grid; gap: 1rem; }
.accounts:has([value=none]:checked) .needs-account { display: none; }
${PROVIDER_NAMES.map((name) => `.models:not(:has([value=${name}]:checked)) .only-${name}`).join()} { display: none; }
.voices:not(:has([name=preset][value=""]:checked)) .own { display: none; }
.code { font: 600 clamp(2.2rem, 11vw, 3.6rem)/1.2 var(--mono); letter-spacing: .12em; text-align: center; margin: 1rem 0; padding: 1.2rem .5rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; }
.sample { background: var(--sheet); border: 1px solid var(--line); border-left: 3px solid var(--blue); border-radius: 10px; padding: .8rem 1rem; } .sample p { margin: 0; } .sample p + p { margin-top: .4rem; } .sample p:first-child { color: var(--soft); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: 1rem; }
.card { display: grid; grid-template-rows: auto 1fr auto auto; gap: .6rem; align-content: start; padding: 1.1rem 1.2rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; } .card h2, .card p { margin: 0; } .card button { grid-row: 4; }
.stack { display: grid; gap: .7rem; justify-items: start; }
`;
