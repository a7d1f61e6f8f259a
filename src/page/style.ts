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
  --c1: light-dark(#2f5bb0, #8fb2ff);
  --serif: "Iowan Old Style", P052, "Palatino Linotype", Palatino, "Book Antiqua", Georgia, serif;
  --sans: -apple-system, "Segoe UI", Inter, Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
  font: 15px/1.55 var(--sans);
}
*, ::before, ::after { box-sizing: border-box; }
html { scrollbar-gutter: stable; background: var(--paper); }
body { margin: 0; background: var(--paper); color: var(--ink); display: grid; min-height: 100vh;
  grid-template-columns: 12.5rem minmax(0, 1fr); }
a { color: var(--blue); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a.plain { color: inherit; text-decoration: none; } a.plain:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--sheet); padding: .5rem; z-index: 9; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

/* The rail */
.rail { position: sticky; top: 0; height: 100vh; padding: 1.6rem 1rem 1.2rem 1.5rem; display: flex; flex-direction: column; gap: 1.4rem; }
.brand { display: flex; align-items: center; gap: .55rem; font: 600 1.06rem/1 var(--serif); color: var(--ink); text-decoration: none; letter-spacing: .005em; }
.brand svg { width: 1.4rem; height: 1.4rem; flex: none; }
.petal { fill: var(--blue); } .eye { fill: light-dark(#f2c230, #f0c35a); }
.rail ol { list-style: none; margin: 0; padding: 0; display: grid; gap: 1px; }
.rail li a { display: flex; justify-content: space-between; align-items: baseline; padding: .36rem .6rem; margin-left: -.6rem; border-radius: 6px; color: var(--soft); text-decoration: none; }
.rail li a:hover { color: var(--ink); background: var(--hair); }
.rail li a[aria-current] { color: var(--ink); font-weight: 600; background: var(--sheet); box-shadow: 0 0 0 1px var(--line); }
.tally { font-size: .78rem; font-variant-numeric: tabular-nums; color: var(--sun); font-weight: 600; }
.pulse { margin-top: auto; font-size: .82rem; color: var(--soft); display: grid; gap: .15rem; }
.pulse b { color: var(--ink); font-weight: 600; }
.dot { display: inline-block; width: .55rem; height: .55rem; border-radius: 50%; background: var(--soft); margin-right: .4rem; }
.dot.good { background: var(--leaf); } .dot.warn { background: var(--sun); } .dot.bad { background: var(--rose); }

/* The sheet */
main { padding: 2.1rem clamp(1rem, 4vw, 3.2rem) 5rem; max-width: 74rem; width: 100%; }
h1 { font: 500 2.05rem/1.15 var(--serif); margin: 0; letter-spacing: -.01em; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font: 500 1.28rem/1.25 var(--serif); margin: 0 0 .7rem; }
h3 { font: 600 .8rem/1.3 var(--sans); color: var(--soft); margin: 0 0 .5rem; }
/* A text keeps its own direction, and never turns what stands beside it. */
h1, .quote, .asked, .fact, main :is(a, b, span, bdi, input, textarea) { unicode-bidi: plaintext; text-align: left; }
main:focus { outline: none; }
p { margin: 0 0 .7rem; overflow-wrap: anywhere; } .lead { color: var(--soft); margin: .35rem 0 0; max-width: 62ch; overflow-wrap: anywhere; }
.head { display: flex; flex-wrap: wrap; gap: .6rem 1.6rem; align-items: end; justify-content: space-between; margin-bottom: 1.7rem; }
.head > div { min-width: 0; }
section { margin: 0 0 2.4rem; } section > .more { margin-top: .8rem; }
.cols { display: grid; grid-template-columns: minmax(0, 1.75fr) minmax(15rem, 1fr); gap: 0 3rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 0 3rem; }
.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.15rem; }
.soft { color: var(--soft); } .small { font-size: .86rem; } .num { font-variant-numeric: tabular-nums; }
.nowrap { white-space: nowrap; } .quote { font: 1.06rem/1.5 var(--serif); overflow-wrap: anywhere; }
.row { display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; }
.between { justify-content: space-between; }

/* Badges, tabs, buttons */
.badge { display: inline-block; font-size: .76rem; line-height: 1.35; padding: .06rem .45rem; border-radius: 4px; background: var(--hair); color: var(--soft); white-space: nowrap; }
.badge.good { background: var(--leaf-wash); color: var(--leaf); } .badge.warn { background: var(--sun-wash); color: var(--sun); }
.badge.bad { background: var(--rose-wash); color: var(--rose); } .badge.blue { background: var(--blue-wash); color: var(--blue); }
.tabs { display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; border-bottom: 1px solid var(--line); margin: 0 0 1.3rem; padding: 0; list-style: none; }
.tabs a { display: block; padding: .35rem 0 .5rem; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; margin-bottom: -1px; }
.tabs a[aria-current] { color: var(--ink); border-color: var(--blue); font-weight: 600; }
button, .button { font: inherit; font-size: .88rem; line-height: 1.3; padding: .36rem .75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--sheet); color: var(--ink); cursor: pointer; text-decoration: none; display: inline-block; }
button:hover, .button:hover { border-color: var(--soft); } button.first { background: var(--blue); border-color: var(--blue); color: light-dark(#fff, #10151f); font-weight: 600; }
button.quiet { background: none; border-color: transparent; color: var(--soft); padding-inline: .4rem; } button.quiet:hover { color: var(--ink); border-color: var(--line); }
button.grave { color: var(--rose); border-color: currentColor; }
button kbd, kbd { font: 600 .72rem/1 var(--mono); border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: .1rem .3rem; color: var(--soft); background: var(--paper); margin-left: .35rem; }
form.inline { display: inline; }
.line { display: block; } details.behind { margin: .4rem 0 1.4rem; } form + details.behind { margin-top: 1rem; }
details.confirm { display: inline-block; min-width: 0; max-width: 100%; } details.confirm button { overflow-wrap: anywhere; } details.confirm > summary { list-style: none; cursor: pointer; font-size: .88rem; color: var(--soft); padding: .36rem .4rem; border-radius: 6px; }
details.confirm > summary::-webkit-details-marker { display: none; } details.confirm > summary:hover { color: var(--rose); }
details.confirm[open] { background: var(--rose-wash); border-radius: 8px; padding: .2rem .6rem .6rem; } details.confirm[open] > summary { color: var(--rose); font-weight: 600; }
details > summary { cursor: pointer; } details.fold { border-top: 1px solid var(--line); padding: .7rem 0; } details.fold > summary { font: 500 1.1rem var(--serif); padding-bottom: .15rem; } details.fold[open] > summary { padding-bottom: .7rem; } summary::marker { color: var(--soft); font-size: .8em; } .acts + details.fold { margin-top: 1.2rem; }

/* Fields */
label { display: block; font-size: .86rem; color: var(--soft); } label > span { display: block; margin-bottom: .2rem; }
input, select, textarea { font: inherit; font-size: .92rem; color: var(--ink); background: var(--sheet); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .6rem; width: 100%; min-width: 0; }
select, input { min-height: 2.3rem; } input[type=checkbox] { width: auto; min-height: 0; accent-color: var(--blue); } textarea { resize: vertical; min-height: 4.2rem; }
.filters { display: flex; flex-wrap: wrap; gap: .6rem; margin: 0 0 1.2rem; align-items: end; } .filters > * { flex: 0 1 11.5rem; } .filters > .wide { flex: 1 1 16rem; }
.fields { display: grid; gap: .9rem; align-content: start; } .pair > .fields { margin-bottom: 1.6rem; } .acts + .fields { margin-top: 1.1rem; } .setting { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 15rem); gap: .2rem 1.6rem; align-items: start; padding: .65rem 0; border-top: 1px solid var(--hair); }
.setting code { font: .84rem var(--mono); color: var(--ink); overflow-wrap: anywhere; } .setting p { margin: .1rem 0 0; font-size: .86rem; color: var(--soft); }
.setting.wide { grid-template-columns: minmax(0, 1fr); } .setting .row { flex-wrap: nowrap; align-items: start; } .setting .row:has(label) { flex-wrap: wrap; }
.columns { columns: 2 24rem; column-gap: 3rem; } .columns > section { break-inside: avoid; }

/* Switches */
.switches { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); margin-bottom: 2rem; } .switches form { display: grid; } .switch { display: grid; grid-template-columns: 1fr auto; gap: .1rem 1rem; align-content: center; width: 100%; text-align: left; padding: .7rem .9rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; }
.switch b { font: 500 1.06rem var(--serif); } .switch small { grid-column: 1; color: var(--soft); font-size: .84rem; }
.switch i { grid-row: 1 / 3; grid-column: 2; align-self: center; width: 2.6rem; height: 1.5rem; border-radius: 1rem; background: var(--line); position: relative; transition: background .15s; }
.switch i::after { content: ""; position: absolute; inset: .2rem auto .2rem .2rem; width: 1.1rem; border-radius: 50%; background: var(--sheet); transition: translate .15s; }
.switch[aria-checked=true] { border-color: var(--sun); background: var(--sun-wash); } .switch[aria-checked=true] i { background: var(--sun); } .switch[aria-checked=true] i::after { translate: 1.1rem 0; }

/* Lists */
.list { list-style: none; margin: 0; padding: 0; } .list > li { padding: .95rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; } .list > li:first-child { border-top: 0; padding-top: 0; } .list > li > :last-child, .note-card { margin-bottom: 0; }
.list.sheet { padding: .1rem 1.15rem; } .list.sheet > li, .list.sheet > li:first-child { padding: .85rem 0; } [data-tried]:empty { display: none; }
.list > li:focus { outline: none; } .list > li[tabindex]:focus-within, .list > li[tabindex]:focus { box-shadow: -.9rem 0 0 var(--paper), calc(-.9rem - 3px) 0 0 var(--blue); }
.meta { display: flex; flex-wrap: wrap; gap: .1rem .7rem; font-size: .84rem; color: var(--soft); align-items: baseline; } .meta .who { color: var(--ink); font-weight: 600; }
.asked { color: var(--soft); margin: .2rem 0 .15rem; overflow-wrap: anywhere; } .acts { display: flex; flex-wrap: wrap; gap: .25rem .4rem; margin-top: .5rem; align-items: start; }
.fact { font: 1.08rem/1.45 var(--serif); margin: .1rem 0; overflow-wrap: anywhere; } .fact a { color: inherit; text-decoration: none; } .fact a:hover { text-decoration: underline; }
[data-item] > .acts button:not(.first, .grave) { background: none; border-color: transparent; color: var(--soft); } [data-item] > .acts button:hover, [data-item]:is(:focus, :focus-within) > .acts button:not(.first, .grave) { color: var(--ink); border-color: var(--line); background: var(--sheet); }
li[data-item]:not(:focus, :focus-within) button:not(.first) kbd { visibility: hidden; }
button.first kbd { background: none; color: inherit; border-color: currentColor; }
.gone { color: var(--soft); font-style: italic; }
dl.facts { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .25rem 1.2rem; margin: 0; font-size: .92rem; } dl.facts dt { color: var(--soft); } dl.facts dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.figures { display: flex; flex-wrap: wrap; gap: 1.1rem 2.6rem; margin: 0 0 1.8rem; padding: 0; list-style: none; } .figures b { display: block; font: 500 1.75rem/1.1 var(--serif); font-variant-numeric: tabular-nums lining-nums; } .figures li > span { font-size: .84rem; color: var(--soft); }
.note-card + * { margin-top: 1.2rem; } .note-card { border-left: 3px solid var(--blue); padding: .15rem 0 .15rem 1rem; }
.flash { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; justify-content: space-between; background: var(--leaf-wash); color: var(--ink); border-radius: 8px; padding: .6rem 1rem; margin-bottom: 1.4rem; overflow-wrap: anywhere; } .flash.wrong { background: var(--rose-wash); }
.notice { border-left: 3px solid var(--sun); padding: .1rem 0 .1rem .9rem; margin-bottom: .7rem; overflow-wrap: anywhere; } .notice.error { border-color: var(--rose); } .notice.info { border-color: var(--line); }
.chain { list-style: none; margin: 0; padding: 0 0 0 1.2rem; border-left: 2px solid var(--line); } .chain li { position: relative; padding: 0 0 1.1rem; } .chain li::before { content: ""; position: absolute; left: calc(-1.2rem - 5px); top: .5rem; width: 8px; height: 8px; border-radius: 50%; background: var(--blue); }
.empty { color: var(--soft); font: italic 1.05rem/1.5 var(--serif); padding: .6rem 0; max-width: 55ch; }

/* Drawings */
figure { margin: 0 0 1.6rem; } .columns figure { max-width: 27rem; } figcaption { font-size: .86rem; color: var(--soft); margin-bottom: .45rem; } svg.chart { display: block; width: 100%; height: auto; overflow: visible; } svg text { fill: var(--soft); font: 11px var(--sans); }
.one { fill: var(--c1); } svg text.soft { fill: var(--soft); }
.axis { stroke: var(--line); } .trend { fill: none; stroke: var(--c1); stroke-width: 1.8; stroke-linejoin: round; } .room { fill: var(--hair); }
.notice + .cols { margin-top: 1.2rem; } .note-card + .chain { margin-top: 1.1rem; } details.fold + section { margin-top: 2rem; }

@media (max-width: 60rem) {
  body { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; }
  .rail { position: static; height: auto; padding: .8rem 1rem .2rem; gap: .5rem; } .rail ol { display: flex; gap: 0; flex-wrap: wrap; margin: 0 -.6rem; } .rail li a { margin: 0; padding: .35rem .6rem; gap: .4rem; } .pulse { margin: 0; display: flex; gap: .8rem; }
  main { padding-top: 1.1rem; } .cols { grid-template-columns: minmax(0, 1fr); } h1 { font-size: 1.7rem; }
}
@media (forced-colors: active) { .dot, .switch i, .switch i::after { forced-color-adjust: none; } }
@media (max-width: 40rem) { button kbd { display: none; } .filters > *, .filters > .wide { flex: 1 1 8rem; } .filters > .wide { flex-basis: 100%; } .switch small { display: none; } .switches { gap: .35rem; }  .setting { grid-template-columns: minmax(0, 1fr); } dl.facts { grid-template-columns: 1fr; gap: 0; } dl.facts dd { margin-bottom: .45rem; } .only-wide { display: none; } .figures { gap: .9rem 1.8rem; } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
`;

/** The overlay: a bubble on whatever the streamer shows, and nothing else. */
export const OVERLAY_STYLE = `
:root { --ink: #1d2027; --bubble: #fffefb; font: 500 28px/1.35 "Iowan Old Style", "Palatino Linotype", P052, Georgia, serif; }
html.dark { --ink: #f2efe8; --bubble: #1c1f26; } html.small { font-size: 22px; } html.large { font-size: 38px; }
body { margin: 0; min-height: 100vh; background: transparent; display: flex; align-items: flex-end; padding: 1.2rem; box-sizing: border-box; overflow: hidden; }
body.right { justify-content: flex-end; } body.top { align-items: flex-start; }
.bubble { max-width: min(26em, 92vw); background: var(--bubble); color: var(--ink); border-radius: .9em .9em .9em .2em; padding: .6em .9em; box-shadow: 0 .1em .9em #0004; overflow-wrap: anywhere; opacity: 0; translate: 0 .4em; transition: opacity .3s, translate .3s; }
.bubble.shown { opacity: 1; translate: 0 0; } .right .bubble { border-radius: .9em .9em .2em .9em; }
`;
