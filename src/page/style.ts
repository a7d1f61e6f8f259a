import { PROVIDER_NAMES } from "../catalogue/providers.ts";

/** The look of every view, light and dark, from a phone's width up. Nothing in it comes from elsewhere. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f6f4ee, #15171c);
  --sheet: light-dark(#fffefb, #1c1f26);
  --ink: light-dark(#23262d, #e6e4dd);
  --soft: light-dark(#5d6169, #a2a6ae);
  --line: light-dark(#dfdbd0, #31353e);
  --hair: light-dark(#ebe8df, #272b33);
  --blue: light-dark(#2f5bb0, #8fb2ff);
  --blue-wash: light-dark(#e6ecf8, #232d42);
  --sun: light-dark(#8a5a00, #f0c35a);
  --sun-wash: light-dark(#fbf0d3, #3a301b);
  --leaf: light-dark(#22693f, #7fcf9e);
  --leaf-wash: light-dark(#e2f1e6, #1d3327);
  --rose: light-dark(#a32a3e, #ff9aa6);
  --rose-wash: light-dark(#fae6e7, #3d2328);
  --serif: "Iowan Old Style", P052, "Palatino Linotype", Palatino, "Book Antiqua", Georgia, serif;
  --sans: -apple-system, "Segoe UI", Inter, Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
  /* The one scale: small, text, title, heading. */
  --t0: .86rem; --t1: 1rem; --t2: 1.3rem; --t3: 1.9rem;
  font: 15px/1.55 var(--sans);
}
*, ::before, ::after { box-sizing: border-box; }
html { scrollbar-gutter: stable; background: var(--paper); }
body { margin: 0; background: var(--paper); color: var(--ink); display: grid; min-height: 100vh; align-content: start; grid-template-columns: 12.5rem minmax(0, 1fr); overflow-wrap: anywhere; }
a { color: var(--blue); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a.plain { color: inherit; text-decoration: none; } a.plain:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--sheet); padding: .5rem; z-index: 9; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

/* The rail */
.rail { position: sticky; top: 0; grid-row: 1 / span 2; height: 100vh; padding: 1.6rem 1rem 1.2rem 1.5rem; display: flex; flex-direction: column; gap: 1.4rem; }
.brand { display: flex; align-items: center; gap: .55rem; font: 600 var(--t1)/1 var(--serif); color: var(--ink); text-decoration: none; }
.brand svg { width: 1.4rem; height: 1.4rem; flex: none; }
.petal { fill: var(--blue); } .eye { fill: light-dark(#f2c230, #f0c35a); }
.rail ol { list-style: none; margin: 0; padding: 0; display: grid; gap: 1px; }
.rail li a { display: flex; justify-content: space-between; align-items: baseline; padding: .36rem .6rem; margin-left: -.6rem; border-radius: 6px; color: var(--soft); text-decoration: none; }
.rail li a:hover { color: var(--ink); background: var(--hair); }
.rail li a[aria-current] { color: var(--ink); font-weight: 600; background: var(--sheet); box-shadow: 0 0 0 1px var(--line); }
.tally { font-size: var(--t0); font-variant-numeric: tabular-nums; color: var(--sun); font-weight: 600; }
.pulse { margin-top: auto; font-size: var(--t0); color: var(--soft); display: grid; gap: .15rem; }
.pulse b { color: var(--ink); font-weight: 600; }
button.keys { align-self: start; margin-left: -.4rem; }
.dot { display: inline-block; width: .6rem; height: .6rem; border-radius: 50%; background: var(--soft); margin-right: .3rem; }
h1 .dot { width: .8rem; height: .8rem; }
.dot.good { background: var(--leaf); } .dot.warn { background: var(--sun); } .dot.bad, .lost .dot.dot { background: var(--rose); } .dot.blue { background: var(--blue); }
.lost .pulse b, .lost .pulse span + span { visibility: hidden; }
#lost { grid-column: 2; margin: 0; padding: .7rem clamp(1rem, 4vw, 3.2rem); background: var(--rose-wash); color: var(--rose); font-weight: 600; position: sticky; top: 0; z-index: 3; }

/* The sheet */
main { grid-column: 2; padding: 2.1rem clamp(1rem, 4vw, 3.2rem) 5rem; max-width: 74rem; width: 100%; }
h1 { font: 500 var(--t3)/1.2 var(--serif); margin: 0; letter-spacing: -.01em; text-wrap: balance; }
h2 { font: 500 var(--t2)/1.25 var(--serif); margin: 0 0 .8rem; }
h3 { font: 600 var(--t0)/1.3 var(--sans); color: var(--soft); margin: 0 0 .5rem; }
/* A text has its own direction, and does not turn its neighbours. */
h1, .quote, .asked, .fact, main :is(a, b, span, bdi, input, textarea) { unicode-bidi: plaintext; text-align: left; }
main:focus { outline: none; }
p { margin: 0 0 .7rem; } .lead { color: var(--soft); margin: .35rem 0 0; max-width: 62ch; }
.head { display: flex; flex-wrap: wrap; gap: .6rem 1.6rem; align-items: end; justify-content: space-between; margin-bottom: 1.7rem; }
.head > div { min-width: 0; }
section { margin: 0 0 2.4rem; } .more { margin-top: .8rem; }
.cols { display: grid; grid-template-columns: minmax(0, 1.75fr) minmax(15rem, 1fr); gap: 0 3rem; }
.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.15rem; }
.soft { color: var(--soft); } .small { font-size: var(--t0); } .num { font-variant-numeric: tabular-nums; }
.nowrap { white-space: nowrap; } .quote { font: var(--t1)/1.5 var(--serif); }
.row { display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; }
.between { justify-content: space-between; }

/* Badges, tabs, buttons */
.badge { display: inline-block; font-size: var(--t0); line-height: 1.3; padding: .03rem .45rem; border-radius: 4px; background: var(--hair); color: var(--soft); white-space: nowrap; }
.badge.good { background: var(--leaf-wash); color: var(--leaf); } .badge.warn { background: var(--sun-wash); color: var(--sun); }
.badge.bad { background: var(--rose-wash); color: var(--rose); } .badge.blue { background: var(--blue-wash); color: var(--blue); }
.tabs { display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; border-bottom: 1px solid var(--line); margin: 0 0 1.5rem; padding: 0; list-style: none; }
.tabs a { display: block; padding: .35rem 0 .5rem; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; margin-bottom: -1px; }
.tabs a[aria-current] { color: var(--ink); border-color: var(--blue); font-weight: 600; }
button, .button { font: inherit; font-size: var(--t0); line-height: 1.3; padding: .4rem .8rem; border: 1px solid var(--line); border-radius: 6px; background: var(--sheet); color: var(--ink); cursor: pointer; text-decoration: none; display: inline-block; }
button:hover, .button:hover { border-color: var(--soft); } button.first, .button.first { background: var(--blue); border-color: var(--blue); color: light-dark(#fff, #10151f); font-weight: 600; }
button:disabled { opacity: .5; cursor: default; }
button.quiet { background: none; border-color: transparent; color: var(--soft); padding-inline: .4rem; } button.quiet:hover { color: var(--ink); border-color: var(--line); }
button.grave { color: var(--rose); border-color: currentColor; }
button kbd, kbd { font: 600 .75rem/1 var(--mono); border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: .1rem .3rem; color: var(--soft); background: var(--paper); } button kbd { margin-left: .35rem; }
form.inline { display: inline; }
details.behind { margin: .4rem 0 1.4rem; }
details.confirm { display: inline-block; min-width: 0; max-width: 100%; } details.confirm > summary { list-style: none; cursor: pointer; font-size: var(--t0); color: var(--soft); padding: .4rem; border-radius: 6px; }
details.confirm > summary::-webkit-details-marker { display: none; } details.confirm > summary:hover { color: var(--rose); }
details.confirm[open] { background: var(--rose-wash); border-radius: 8px; padding: .2rem .6rem .6rem; } details.confirm[open] > summary { color: var(--rose); font-weight: 600; }
details > summary { cursor: pointer; } details.fold { border-top: 1px solid var(--line); padding: .8rem 0; } details.fold > summary { font: 500 var(--t2)/1.3 var(--serif); } details.fold[open] > summary { padding-bottom: .7rem; } summary::marker { color: var(--soft); font-size: .8em; }
dialog { background: var(--sheet); color: var(--ink); border: 1px solid var(--line); border-radius: 10px; padding: 1.4rem 1.6rem; max-width: min(28rem, 92vw); } dialog::backdrop { background: #0006; } dialog form { margin-top: 1.2rem; }
.banner { display: flex; flex-wrap: wrap; gap: .6rem 1.4rem; align-items: center; justify-content: space-between; background: var(--blue-wash); border-radius: 10px; padding: .9rem 1.2rem; margin-bottom: 1.7rem; } .banner p { margin: 0; flex: 1 1 20rem; }

/* Fields */
label { display: block; font-size: var(--t0); color: var(--soft); } label > span { display: block; margin-bottom: .2rem; }
input, select, textarea { font: inherit; font-size: .93rem; color: var(--ink); background: var(--sheet); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .6rem; width: 100%; min-width: 0; }
select, input { min-height: 2.3rem; } input[type=checkbox] { width: 1rem; height: 1rem; min-height: 0; accent-color: var(--blue); vertical-align: -.15rem; } textarea { resize: vertical; min-height: 4.2rem; }
.filters { display: flex; flex-wrap: wrap; gap: .6rem; margin: 0 0 1.5rem; align-items: end; } .filters > * { flex: 0 1 11.5rem; } .filters > .wide { flex: 1 1 16rem; }
.fields { display: grid; gap: .9rem; align-content: start; } .acts + .fields { margin-top: 1.1rem; }
.setting { display: grid; gap: .2rem 1.6rem; align-items: start; padding: .75rem 0; border-top: 1px solid var(--hair); }
.setting > :is(label, fieldset) { display: contents; } .setting > label > span, .setting legend { font-size: .93rem; color: var(--ink); margin: 0; padding: 0; }
.setting p { margin: 0; font-size: var(--t0); color: var(--soft); }
@media (min-width: 40rem) { .setting:not(.wide) { grid-template-columns: minmax(0, 1fr) minmax(0, 15rem); } .setting:not(.wide) :is(span, legend) ~ * { grid-area: 1 / 2 / 3 / 3; } }
#all-settings > fieldset { display: contents; }
.save { position: sticky; bottom: 0; padding: .9rem 0; background: var(--paper); border-top: 1px solid var(--line); }
.columns { columns: 2 24rem; column-gap: 3rem; } .columns > section { break-inside: avoid; }
.ticked { display: flex; gap: .7rem; align-items: baseline; } .ticked .fact { flex: 1; min-width: 0; }
.bulk { display: none; } main:has([name=ids]:checked) .bulk { display: flex; } .bulk { flex-wrap: wrap; gap: .5rem .8rem; align-items: center; position: sticky; bottom: .8rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; padding: .7rem 1rem; box-shadow: 0 .2rem 1rem #0003; z-index: 2; grid-column: 1 / -1; }

/* Switches */
.switch { display: grid; grid-template-columns: 1fr auto; gap: .1rem 1rem; align-content: center; width: 100%; text-align: left; padding: .55rem 0; background: none; border: 0; border-top: 1px solid var(--line); border-radius: 0; }
.switch b { font-weight: 600; font-size: .93rem; } .switch small { grid-column: 1; color: var(--soft); font-size: var(--t0); }
.switch i { grid-row: 1 / 3; grid-column: 2; align-self: center; width: 2.6rem; height: 1.5rem; border-radius: 1rem; background: var(--line); position: relative; transition: background .15s; }
.switch i::after { content: ""; position: absolute; inset: .2rem auto .2rem .2rem; width: 1.1rem; border-radius: 50%; background: var(--sheet); transition: translate .15s; }
.switch[aria-checked=true] i { background: var(--sun); } .switch[aria-checked=true] i::after { translate: 1.1rem 0; }

/* Chat: the newest line is first in the list and drawn at the bottom, where the scroll stays. */
.chat { list-style: none; margin: 0; display: flex; flex-direction: column-reverse; gap: .3rem; max-height: max(24rem, 100vh - 17rem); overflow-y: auto; }
.chat .who { font-weight: 600; color: var(--soft); } .chat li.bot { background: var(--blue-wash); border-radius: 8px; padding: .35rem .7rem; margin-inline: -.4rem; }
.chat li.soft { font-size: var(--t0); } .chat li.bot b { color: var(--blue); }

/* Lists */
.list { list-style: none; margin: 0; padding: 0; } .list > li { padding: .95rem 0; border-top: 1px solid var(--line); } .list > li:first-child { border-top: 0; padding-top: 0; } .list > li > :last-child, .note-card { margin-bottom: 0; }
.list.small > li { padding: .6rem 0; } .list.small > li:first-child { padding-top: 0; } .list.sheet { padding: .1rem 1.15rem; } .list.sheet > li, .list.sheet > li:first-child { padding: .85rem 0; }
.list > li:focus { outline: none; border-radius: 0; } .list > li[tabindex]:focus-within, .list > li[tabindex]:focus { box-shadow: -.9rem 0 0 var(--paper), calc(-.9rem - 3px) 0 0 var(--blue); }
.meta { display: flex; flex-wrap: wrap; gap: .1rem .8rem; font-size: var(--t0); color: var(--soft); align-items: baseline; } .meta .who { color: var(--ink); font-weight: 600; }
.asked { color: var(--soft); margin: .2rem 0 .15rem; } .acts { display: flex; flex-wrap: wrap; gap: .25rem .4rem; margin-top: .5rem; align-items: center; }
.fact { font: var(--t1)/1.45 var(--serif); margin: .1rem 0; } .fact a, a.fact { color: inherit; text-decoration: none; } .fact a:hover, a.fact:hover { text-decoration: underline; }
[data-item] > .acts button:not(.first, .grave) { background: none; border-color: transparent; color: var(--soft); } [data-item] > .acts button:hover, [data-item]:is(:focus, :focus-within) > .acts button:not(.first, .grave) { color: var(--ink); border-color: var(--line); background: var(--sheet); }
li[data-item]:not(:focus, :focus-within) button:not(.first) kbd { visibility: hidden; }
button.first kbd { background: none; color: inherit; border-color: currentColor; }
.gone { color: var(--soft); font-style: italic; }
dl.facts { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .3rem 1.2rem; margin: 0; font-size: .93rem; } dl.facts dt { color: var(--soft); } dl.facts dd { margin: 0; font-variant-numeric: tabular-nums; }
.figures { display: flex; flex-wrap: wrap; gap: 1.1rem 2.6rem; margin: 0 0 1.8rem; padding: 0; list-style: none; } .figures b { display: block; font: 500 var(--t3)/1.1 var(--serif); font-variant-numeric: tabular-nums lining-nums; } .figures li > span { font-size: var(--t0); color: var(--soft); }
.note-card + * { margin-top: 1.2rem; } .note-card { border-left: 3px solid var(--blue); padding: .15rem 0 .15rem 1rem; }
.flash { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; justify-content: space-between; white-space: pre-line; background: var(--leaf-wash); color: var(--ink); border-radius: 8px; padding: .6rem 1rem; margin-bottom: 1.4rem; position: sticky; top: .6rem; z-index: 3; box-shadow: 0 .1rem .6rem #0002; } .flash.wrong { background: var(--rose-wash); } form[aria-busy=true] button { opacity: .5; cursor: progress; }
.notice { border-left: 3px solid var(--sun); padding: .1rem 0 .1rem .9rem; margin-bottom: .7rem; } .notice.error { border-color: var(--rose); } .notice.info { border-color: var(--line); }
.chain { list-style: none; margin: 0; padding: 0 0 0 1.2rem; border-left: 2px solid var(--line); } .chain li { position: relative; padding: 0 0 1.1rem; } .chain li::before { content: ""; position: absolute; left: calc(-1.2rem - 5px); top: .5rem; width: 8px; height: 8px; border-radius: 50%; background: var(--blue); }
.empty { color: var(--soft); padding: .3rem 0; max-width: 55ch; }
svg.chart { display: block; width: 100%; height: 6px; margin-top: .25rem; } .one { fill: var(--blue); } .room { fill: var(--hair); }
.facts + .small, .fields + .small { margin-top: .6rem; } nav + details.fold { border-top: 0; padding-top: 0; } details.fold + .filters { margin-top: .6rem; }
.columns + details.fold, .list.sheet + * { margin-top: 1.4rem; } .chat a.small { white-space: nowrap; } form + details.confirm { margin-left: -.4rem; } .filters :is(input, select) { height: 2.35rem; }
details.fold + section { margin-top: 2rem; }

/* Setup: one narrow column */
body.setup { display: block; max-width: 44rem; margin: 0 auto; padding: 1.6rem 1.2rem 4rem; }
.setup header { display: flex; align-items: center; gap: .55rem; margin-bottom: 1.6rem; font: 600 1.06rem/1 var(--serif); }
.setup header span { color: var(--soft); font-weight: 400; }
.setup main { padding: 0; max-width: none; }
.setup h1 { margin-bottom: 1.1rem; } .setup h1:has(+ .lead) { margin-bottom: .4rem; }
.setup .lead { margin: 0 0 1.2rem; } .setup h2 { margin: 0; }
.steps { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; counter-reset: step; margin: 0 0 2rem; padding: 0 0 .8rem; border-bottom: 1px solid var(--line); font-size: var(--t0); color: var(--soft); }
.steps li::before { counter-increment: step; content: counter(step) " "; font-variant-numeric: tabular-nums; }
.steps li.done::before { content: "✓ "; color: var(--leaf); }
.steps [aria-current] { color: var(--ink); font-weight: 600; }
.setup form { display: grid; gap: 1.1rem; margin: 0; } .setup form.inline { display: inline-grid; } .setup form p { margin: 0; }
.setup :is(label > span:first-child, legend) { font-weight: 600; padding: 0; margin-bottom: .3rem; }
.setup :is(input:not([type=radio], [type=checkbox]), textarea) { padding: .6rem .75rem; }
.setup ::placeholder { color: var(--soft); opacity: 1; }
.setup fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.setup :is(.choice, .tick) { color: var(--ink); }
.choices { display: grid; gap: .5rem; } .choices.two { grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); } .choices.two legend { grid-column: 1 / -1; }
.choice { display: grid; grid-template-columns: auto 1fr; gap: .7rem; align-items: start; padding: .75rem .9rem; border: 1px solid var(--line); border-radius: 10px; background: var(--sheet); cursor: pointer; }
.setup .choice > span { font-weight: 400; margin: 0; font-size: 1rem; } .choice input { width: auto; min-height: 0; margin: .3rem 0 0; accent-color: var(--blue); }
.choice small { display: block; color: var(--soft); font-size: var(--t0); line-height: 1.4; }
.choice:has(:checked) { border-color: var(--blue); background: var(--blue-wash); } .choice:has(:focus-visible) { outline: 2px solid var(--blue); outline-offset: 2px; } .choice :focus-visible { outline: 0; }
.centred { text-align: center; } .howto { padding-left: 1.2rem; margin: .6rem 0 0; }
.setup .acts { gap: .6rem 1rem; } .setup :is(button, .button) { font-size: .98rem; padding: .6rem 1.2rem; border-radius: 8px; min-height: 2.75rem; }
.needs-account, .models > [class^=only-] { display: grid; gap: 1rem; }
.accounts:has([value=none]:checked) .needs-account { display: none; }
${PROVIDER_NAMES.map((name) => `.models:not(:has([value=${name}]:checked)) .only-${name}`).join()} { display: none; }
.voices:not(:has([name=preset][value=""]:checked)) .own { display: none; }
.code { font: 600 clamp(2.2rem, 11vw, 3.6rem)/1.2 var(--mono); letter-spacing: .12em; text-align: center; margin: 1rem 0; padding: 1.2rem .5rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: 1rem; }
.cards > .sheet { display: grid; grid-template-rows: auto 1fr auto auto; gap: .6rem; } .cards button { grid-row: 4; }

@media (max-width: 60rem) {
  body { grid-template-columns: minmax(0, 1fr); } main, #lost { grid-column: 1; }
  .rail { position: static; grid-row: auto; height: auto; padding: .8rem 1rem .2rem; gap: .5rem; } .rail ol { display: flex; gap: 0; flex-wrap: wrap; margin: 0 -.6rem; } .rail li a { margin: 0; padding: .35rem .6rem; gap: .4rem; } .pulse { margin: 0; display: flex; gap: .8rem; } button.keys { display: none; }
  main { padding-top: 1.1rem; } .cols { grid-template-columns: minmax(0, 1fr); } .chat { max-height: 28rem; }
}
@media (forced-colors: active) { .dot, .switch i, .switch i::after { forced-color-adjust: none; } }
@media (max-width: 40rem) { button kbd { display: none; } .filters > *, .filters > .wide { flex: 1 1 8rem; } .filters > .wide { flex-basis: 100%; } dl.facts { grid-template-columns: 1fr; gap: 0; } dl.facts dd { margin-bottom: .45rem; } .figures { gap: .9rem 1.8rem; } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
`;

/** The look of the overlay: a bubble over the streamer's picture. */
export const OVERLAY_STYLE = `
:root { --ink: #1d2027; --bubble: #fffefb; font: 500 28px/1.35 "Iowan Old Style", "Palatino Linotype", P052, Georgia, serif; }
html.dark { --ink: #f2efe8; --bubble: #1c1f26; } html.small { font-size: 22px; } html.large { font-size: 38px; }
body { margin: 0; min-height: 100vh; background: transparent; display: flex; align-items: flex-end; padding: 1.2rem; box-sizing: border-box; overflow: hidden; }
body.right { justify-content: flex-end; } body.top { align-items: flex-start; }
.bubble { max-width: min(26em, 92vw); background: var(--bubble); color: var(--ink); border-radius: .9em .9em .9em .2em; padding: .6em .9em; box-shadow: 0 .1em .9em #0004; overflow-wrap: anywhere; opacity: 0; translate: 0 .4em; transition: opacity .3s, translate .3s; }
.bubble.shown { opacity: 1; translate: 0 0; } .right .bubble { border-radius: .9em .9em .2em .9em; }
`;
