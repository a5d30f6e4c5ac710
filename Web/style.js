// The style sheet of <diffable-list>. diffable-list.js lists its variables and parts. Lines and tracks have a contrast of 1.3 to
// 1.5:1, texts at least 4.5:1 (WCAG AA), in light and in dark.

export const sheet = new CSSStyleSheet();

sheet.replaceSync(`
:host {
  --row: 36px;
  --radius: 10px;
  --bg: light-dark(#fff, #1b1b1d);
  --page: light-dark(#f2f2f6, #121214);
  --group: light-dark(#fff, #212124);
  --bar: light-dark(#f4f4f7, #29292d);
  --fg: light-dark(#1b1b1e, #f1f1f3);
  --secondary: light-dark(#606067, #a6a6ad);
  --line: light-dark(#d9d9de, #38383d);
  --accent: light-dark(#0759c2, #74b4ff);
  --red: light-dark(#b3261a, #ff8a80);
  --orange: light-dark(#8f4400, #ffb067);
  --yellow: light-dark(#6e5400, #e9c852);
  --green: light-dark(#12632a, #63d67d);
  --blue: light-dark(#0759c2, #74b4ff);
  --purple: light-dark(#7a2fac, #d3a4ff);
  --gray: light-dark(#606067, #a6a6ad);
  --focus: light-dark(#dbe9fb, #213d5e);
  --mark: light-dark(#eaf2fc, #22303f);
  display: flex; flex-direction: column; position: relative; overflow: hidden; contain: content;
  height: 100%; min-height: 120px; color-scheme: inherit;
  font: 15px/20px system-ui, sans-serif; color: var(--fg); background: var(--bg);
}
:host([hidden]) { display: none }
.paged { background: var(--page) }
* { box-sizing: border-box } [hidden] { display: none !important }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0 10px; min-height: 32px; border-radius: 8px; cursor: pointer }
button:hover { background: color-mix(in srgb, var(--fg) 8%, transparent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px }
.root { display: flex; flex-direction: column; flex: 1; min-height: 0 }
.head > button { font-size: 22px; color: var(--accent) }
.head { display: flex; align-items: center; gap: 4px; padding: 8px 12px 8px 20px; min-height: 52px; flex: none }
.head .names { flex: 1; min-width: 0 }
.head h2 { font-size: 18px; line-height: 24px; margin: 0 }
.head h2, .head p { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.names :empty, .banner:empty { display: none }
.head p { margin: 0; color: var(--secondary); font-size: 13px; line-height: 18px }
.prompt { display: flex; align-items: center; gap: 8px; padding: 6px 12px; flex: none; color: var(--secondary) }
.prompt input { flex: 1; min-width: 0; font: inherit; color: var(--fg); background: var(--group); border: 1px solid var(--line); border-radius: 8px; min-height: 36px; padding: 0 10px }
.banner { flex: none; padding: 8px 20px; background: color-mix(in srgb, var(--orange) 16%, var(--group)); color: var(--orange); font-weight: 600 }
.scroller { flex: 1; overflow: hidden auto; position: relative; outline: none; overflow-anchor: none; contain: strict; scrollbar-width: thin; -webkit-tap-highlight-color: transparent }
.dim .scroller { opacity: .55 }
.box { position: relative; overflow: hidden; contain: strict }
.line { position: absolute; left: 0; top: 0; contain: layout style; will-change: transform }
.slide .line { transition: transform .28s cubic-bezier(.2,.7,.3,1) }
.fresh { animation: fade .28s }
@keyframes fade { from { opacity: 0 } }
.in { display: flex; align-items: center; gap: 4px; min-height: var(--row); padding-block: 8px; position: relative }
.row > .in, .more > .in { padding-block: calc((var(--row) - 20px) / 2) }
.row > .in { transition: none }
.grouped > .in, .insetGrouped > .in { background: var(--group) }
.insetGrouped.row.isFirst > .in, .insetGrouped.more.isFirst > .in { border-start-start-radius: var(--radius); border-start-end-radius: var(--radius) }
.insetGrouped.isLast > .in { border-end-start-radius: var(--radius); border-end-end-radius: var(--radius) }
.insetGrouped.titles > .in { border-radius: var(--radius) var(--radius) 0 0 }
.titles + .isFirst > .in, .afterTitles.isFirst > .in { border-radius: 0 !important }
.afterTitles.isFirst.isLast.insetGrouped > .in, .afterTitles.isLast.insetGrouped > .in { border-radius: 0 0 var(--radius) var(--radius) !important }
.sidebar > .in { border-radius: 8px }
.separated:not(.isFirst)::before { content: ""; position: absolute; inset: 0 0 auto; margin-inline: var(--pad) 0; height: 1px; background: var(--line); z-index: 1 }
.marked > .in { background: var(--mark) }
.marked > .in::after { content: "✓"; position: absolute; inset-inline-start: 4px; color: var(--accent); font-size: 12px; font-weight: 700 }
:host(:focus-within) .cursor > .in { background: var(--focus); box-shadow: inset 3px 0 var(--accent) }
.row, .card, .more { cursor: default; user-select: none; -webkit-user-select: none; touch-action: pan-x pan-y }
.row { touch-action: pan-y }
.row:hover > .in { background: var(--bar) }
.off > .in > * { color: var(--secondary); opacity: 1 } .off .text, .off .icon, .off .check { color: var(--secondary) }
.off .text { font-style: italic }
.main { flex: 1; min-width: 0; display: block }
.main.beside { display: flex; gap: 16px; align-items: baseline }
.text, .sub { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; text-align: start }
.text { color: var(--tint, inherit) }
.beside .text { flex: 0 1 auto } .beside .sub { flex: 1 1.5 0; min-width: 0 }
.beside .text:only-child { flex: 1 }
.wrap { white-space: pre-wrap; overflow-wrap: anywhere; text-overflow: clip }
.wrap[style*=clamp] { display: -webkit-box; -webkit-box-orient: vertical }
.sub { color: var(--secondary); font-size: 14px }
.disc, .check, .icon, .pad, .urgent { flex: none; width: 24px; text-align: center; height: 20px; line-height: 20px }
.icon { color: var(--tint, inherit); font-size: 17px; object-fit: contain } img.icon { border-radius: 4px }
.disc { color: var(--secondary); font-size: 20px; transition: rotate .15s; line-height: 18px } .disc.open { rotate: 90deg }
.urgent { color: var(--red); font-weight: 800 } .urgent + .main .text, .urgent + .text { font-weight: 600 }
.check { width: 18px; height: 18px; margin: 0 3px; line-height: 16px; font-size: 13px; font-weight: 700; border: 1.5px solid var(--secondary); border-radius: 5px; color: var(--bg) }
.check.checked, .check.mixed { background: var(--tint, var(--accent)); border-color: transparent }
.acc { color: var(--tint, var(--secondary)); flex: none; max-width: 200px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; padding: 0 3px }
.delete, .insert, .multiselect { width: 24px; text-align: center; font-size: 17px }
.reorder { cursor: grab } .detail { width: 19px; height: 19px; padding: 0; margin: 0 3px; border: 1.5px solid; border-radius: 50%; line-height: 16px; text-align: center; font-size: 13px; font-weight: 700 }
.slot { flex: none; display: flex; justify-content: flex-end; align-items: center; gap: 2px; margin-inline-start: 8px; max-width: 40% }
.slot:empty { margin-inline-start: 8px }
.track { width: 100px } .bar { display: block; flex: 1; height: 5px; border-radius: 3px; background: var(--line); overflow: hidden }
.fill { display: block; height: 100%; border-radius: 3px; background: var(--tint, var(--accent)) }
.percent { width: 4.5ch; margin-inline-start: 0; color: var(--secondary); font-size: 13px; font-variant-numeric: tabular-nums }
.badge { --ink: var(--tint, var(--secondary)); padding: 0 8px; border-radius: 10px; font-size: 13px; min-width: 20px; text-align: center; color: var(--ink); background: color-mix(in srgb, var(--ink) 13%, transparent); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-variant-numeric: tabular-nums }
.badge.solid { background: var(--ink); color: light-dark(#fff, #1b1b1d) }
.header > .in { font-weight: 600; min-height: 32px; padding-block: 6px } .header .text { flex: 0 1 auto } .header .sub { font-weight: 400; margin-inline-start: 8px; flex: 0 2 auto } .space { flex: 1 }
.header.plain > .in { background: var(--bar) }
.header.grouped > .in, .header.insetGrouped > .in { background: none; color: var(--secondary); font-size: 14px }
.header.sidebar > .in { background: none; color: var(--secondary); font-size: 13px }
.footer > .in { background: none; display: block; color: var(--tint, var(--secondary)); font-size: 13px; min-height: 0; padding-block: 6px } .footer .text { white-space: pre-wrap; font-size: 13px }
.more > .in { color: var(--accent) }
.titles > .in { color: var(--secondary); font-size: 13px; font-weight: 600; min-height: 32px; padding-block: 6px; border-bottom: 1px solid var(--line) } .titles.plain > .in, .titles.sidebarPlain > .in { background: var(--bg) }
.row > .in:has(> .cell), .titles > .in { gap: 16px }
.cell { flex: none; display: flex; gap: 4px; min-width: 0; overflow: hidden; align-items: center } .cell > span[dir] { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate }
.right { justify-content: flex-end; font-variant-numeric: tabular-nums } .center { justify-content: center } .cell.ends { margin-inline-start: auto }
.step { position: absolute; top: 0; min-height: 100%; padding: 0 6px; color: var(--accent); font-size: 18px } .step.next { inset-inline-end: 0 } .step.back { inset-inline-start: 0 }
.card > .in { display: flex; flex-direction: column; align-items: stretch; gap: 2px; padding: 12px; border-radius: var(--radius); background: var(--group); min-height: 44px; overflow: hidden }
.card { border-radius: var(--radius); background: var(--group); overflow: hidden }
.card.plain, .card.sidebarPlain, .card.plain > .in, .card.sidebarPlain > .in { background: var(--bar) }
.card .top { display: flex; align-items: center; gap: 4px } .card .top .text { flex: 1; font-weight: 600 } .card .bar { flex: none; margin-top: 6px } .card .slot { margin-inline-start: 4px }
.strip { overflow: auto hidden; overscroll-behavior-x: contain; scrollbar-width: none } .strip > .run { position: relative; height: 100% }
.strip:is([snap=item], [snap=page]) { scroll-snap-type: x mandatory; scroll-padding-inline: var(--pad) } [snap=item] .card, [snap=page] [stop] { scroll-snap-align: start }
.empty > .in { flex-direction: column; padding: 64px 24px; text-align: center; gap: 8px; background: none } .empty .icon { font-size: 36px; width: auto; height: auto; line-height: 44px } .empty .text { font-weight: 600 } .empty .text, .empty .sub { white-space: normal }
.missing { background: repeating-linear-gradient(transparent 0 calc(var(--pad) / 2 - 5px), var(--line) 0 calc(var(--pad) / 2 + 5px), transparent 0 var(--pad)) no-repeat 20px 0 / 30% 100%; opacity: .6 }
.pin { position: sticky; top: 0; height: 0; z-index: 2; overflow: visible } .pin > * { position: absolute; will-change: transform; transform-origin: 0 0 } .pin .header > .in { background: var(--page) } .pin .header.plain > .in { background: var(--bar) } .pin .header.sidebarPlain > .in { background: var(--bg) } .pin .header > .in, .pin .titles > .in { border-bottom: 1px solid var(--line) }
.swipe { position: absolute; inset-block: 0; display: flex; z-index: 1 } .swipe.trailing { inset-inline-end: 0 } .swipe.leading { inset-inline-start: 0 }
.act { border-radius: 0; min-height: 100%; background: var(--secondary); color: var(--bg); padding: 0 14px; font-weight: 600 } .act.primary { background: var(--accent) } .act.destructive { background: var(--red) } .act:hover { background: var(--secondary) } .act.primary:hover { background: var(--accent) } .act.destructive:hover { background: var(--red) } .act.selected { outline: 2px solid var(--fg); outline-offset: -4px }
.lifted { z-index: 3; opacity: .55 } .drop { position: absolute; left: 0; top: 0; height: 2px; background: var(--accent); z-index: 4; pointer-events: none }
.note { position: absolute; inset: auto 12px 12px; margin: 0 auto; width: fit-content; max-width: calc(100% - 24px); padding: 8px 14px; border-radius: 10px; background: light-dark(#2a2a2e, #ededf0); color: light-dark(#fff, #1b1b1d); font-size: 14px; pointer-events: none; z-index: 5 } .note:empty { display: none } .note.refused { background: var(--red); color: var(--bg) }
dialog { border: 1px solid var(--line); border-radius: 12px; padding: 6px; color: var(--fg); background: var(--group); min-width: 200px; max-width: min(480px, 100vw - 32px); box-shadow: 0 8px 32px rgb(0 0 0 / .25); font: inherit }
dialog::backdrop { background: rgb(0 0 0 / .15) }
dialog p { margin: 8px 10px } ul { margin: 0; padding: 0 10px; list-style: none }
.choices { display: flex; justify-content: flex-end; gap: 8px } .menu { margin: 0 } .menu .choices { flex-direction: column; gap: 0 } .menu button { display: flex; gap: 16px; justify-content: space-between; text-align: start }
kbd { font: 13px ui-monospace, monospace; color: var(--secondary) } dialog .destructive { color: var(--red) } button:disabled { color: var(--secondary); font-style: italic }
textarea { width: min(440px, 80vw); height: 200px; font: 13px/18px ui-monospace, monospace; color: inherit; background: var(--bg); border: 1px solid var(--line) }
@media (pointer: coarse) { :host { --row: 44px } button { min-height: 44px; min-width: 44px } .disc, .acc:not(.detail) { min-width: 32px } }
@media (max-width: 480px) { .head { padding-inline-start: 12px } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important } }
@media (forced-colors: active) { .cursor > .in { outline: 2px solid Highlight; outline-offset: -2px } .fill { background: Highlight } }
`);
