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
  --gray: var(--secondary);
  --line: light-dark(#d9d9de, #38383d);
  --accent: light-dark(#0759c2, #74b4ff);
  --blue: var(--accent);
  --red: light-dark(#b3261a, #ff8a80);
  --orange: light-dark(#8f4400, #ffb067);
  --yellow: light-dark(#6e5400, #e9c852);
  --green: light-dark(#12632a, #63d67d);
  --purple: light-dark(#7a2fac, #d3a4ff);
  --focus: light-dark(#dbe9fb, #213d5e);
  --mark: light-dark(#eaf2fc, #22303f);
  display: block; height: 100%; min-height: 120px; contain: content; overflow: hidden;
  font: 15px/20px system-ui, sans-serif; color: var(--fg); background: var(--bg);
}
* { box-sizing: border-box }
[hidden], .names :empty, .banner:empty, .note:empty { display: none !important }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0 10px; min-height: 32px; border-radius: 8px }
button:hover { background: var(--focus) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px }
h2, p { margin: 0; font-size: 13px; color: var(--secondary); overflow: hidden; text-overflow: ellipsis }
h2 { font-size: 18px; line-height: 24px; color: var(--fg) }
.root { display: flex; flex-direction: column; height: 100% }
.paged { background: var(--page) }
.head, .prompt, .in, .top, .slot, .cell { display: flex; align-items: center; gap: 4px }
.head, .prompt, .banner { padding: 8px 12px 8px 20px }
.head button { font-size: 22px; color: var(--accent) }
.names, .main, .space, .prompt input, .bar, .top .text { flex: 1; min-width: 0 }
input, textarea { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--line); border-radius: 8px; padding: 7px }
textarea { width: min(440px, 80vw); height: 200px; font-family: monospace }
.banner { background: var(--bar); color: var(--orange) }
.scroller { flex: 1; overflow: hidden auto; position: relative; outline: none; overflow-anchor: none; contain: strict }
.dim .scroller { opacity: .55 }
.box { position: relative; overflow: hidden; contain: strict }
.line, .drop { position: absolute; left: 0; top: 0; will-change: transform }
.line { contain: layout style; user-select: none; -webkit-user-select: none }
.row { touch-action: pan-y }
.slide .line { transition: transform .28s }
.fresh { animation: fade .28s }
@keyframes fade { from { opacity: 0 } }
.in { min-height: var(--row); padding-block: calc((var(--row) - 20px) / 2); position: relative }
.row > .in, .more > .in, .titles > .in, .header > .in, .card { background: var(--ground) }
:where(.pin > *) { --ground: var(--bg) }
:where(.grouped, .insetGrouped, .sidebar.card):where(.row, .more, .titles, .card) { --ground: var(--group) }
.row:hover, .plain:is(.header, .card), .sidebarPlain.card { --ground: var(--bar) }
.card { overflow: hidden; border-radius: var(--radius) }
.card > .in { display: block; padding-block: 0; border: solid #0000; border-width: 12px 0; overflow: hidden }
.card .text, .card .sub { white-space: normal; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2 }
.insetGrouped:is(.isFirst, .titles) > .in { border-radius: var(--radius) var(--radius) 0 0 }
.insetGrouped.isLast > .in { border-radius: 0 0 var(--radius) var(--radius) }
.insetGrouped.isFirst.isLast:not(.table) > .in { border-radius: var(--radius) }
.insetGrouped.table.isFirst:not(.isLast) > .in { border-radius: 0 }
.sidebar > .in { border-radius: 8px }
.separated:not(.isFirst)::before { content: ""; position: absolute; inset: 0 0 auto var(--pad); height: 1px; background: var(--line); z-index: 1 }
.line.marked { --ground: var(--mark) }
.marked > .in::before { content: "✓"; position: absolute; left: 3px; color: var(--accent); font-size: 12px }
:host(:focus-within:not([kiosk])) .cursor.line { --ground: var(--focus); .in { box-shadow: inset 3px 0 var(--accent) } }
:host([kiosk]) .head button { display: none }
.text, .sub, .cell > [dir] { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; display: block; text-align: start; color: var(--tint, inherit) }
.off * { color: var(--secondary); font-style: italic }
.beside { display: flex; gap: 16px }
.beside .sub { flex: 1 1.5 0 }
.text.wrap, .footer .text, .empty * { white-space: pre-wrap; overflow-wrap: anywhere }
.wrap[style*=clamp] { display: -webkit-box; -webkit-box-orient: vertical }
.sub, .badge, .percent, .footer, .titles, .sidebar.header, .grouped.header, .insetGrouped.header { color: var(--secondary); font-size: 13px }
.disc, .check, .icon, .pad, .sign, .urgent { flex: none; width: 24px; height: 20px; text-align: center }
.icon { color: var(--tint, inherit); font-size: 17px; object-fit: contain }
.disc { color: var(--secondary); font-size: 20px; line-height: 17px }
.open { rotate: 90deg }
.urgent { color: var(--red) }
.sign { color: var(--tint) }
.urgent, .urgent ~ .main .text, .header .text, .titles, .top .text, .empty .text { font-weight: 600 }
.check { width: 18px; height: 18px; margin: 0 3px; line-height: 16px; font-size: 13px; border: 1.5px solid var(--secondary); border-radius: 5px; color: var(--bg) }
.checked, .mixed { background: var(--tint, var(--accent)); border-color: transparent }
.acc { color: var(--tint, var(--secondary)); padding: 0 3px }
.multiselect, .delete, .insert { width: 24px; font-size: 17px }
.detail { width: 20px; height: 20px; padding: 0; line-height: 17px; text-align: center; border: 1.5px solid; border-radius: 50%; font-size: 13px }
.slot { justify-content: flex-end; margin-inline-start: 4px; max-width: 40%; flex: none }
.track { width: 100px }
.wraps { flex-wrap: wrap }
.wraps .main { flex-basis: 55% }
.ends .slot { max-width: none }
.ends .track { width: 60px }
.bar { display: block; height: 5px; border-radius: 3px; background: var(--line) }
.card .bar { margin-top: 8px }
.fill { display: block; height: 100%; border-radius: 3px; background: var(--tint, var(--accent)) }
.badge { --ink: var(--tint, var(--secondary)); padding: 0 8px; border-radius: 10px; color: var(--ink); background: color-mix(in srgb, var(--ink) 13%, var(--bg)); overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.solid { background: var(--ink); color: var(--bg) }
.footer > .in { display: block; min-height: 0; padding-block: 6px }
.header > .in, .titles > .in { min-height: 32px; padding-block: 6px }
.more { color: var(--accent) }
.titles > .in { border-bottom: 1px solid var(--line) }
.table > .in, .titles > .in { gap: 16px }
.cell { flex: none; overflow: hidden; font-variant-numeric: tabular-nums }
.right { justify-content: end }
.center { justify-content: center }
.ends { margin-inline-start: auto }
.step { color: var(--accent); font-size: 18px }
.strip { overflow: auto hidden; overscroll-behavior-x: contain; scrollbar-width: none }
.run { position: relative; height: 100% }
[snap=item], [snap=page] { scroll-snap-type: x mandatory; scroll-padding-inline: var(--pad) }
[snap=item] .card, [snap=page] [stop] { scroll-snap-align: start }
.empty > .in { flex-direction: column; padding-block: 64px; gap: 8px; text-align: center }
.empty .icon { font-size: 36px; width: auto; height: auto; line-height: 44px }
.missing { background: repeating-linear-gradient(#0000 0 calc(var(--pad) / 2 - 5px), var(--line) 0 calc(var(--pad) / 2 + 5px), #0000 0 var(--pad)) no-repeat 20px 0 / 30% }
.pin { position: sticky; top: 0; height: 0; z-index: 2 }
.pin .in { border-bottom: 1px solid var(--line) }
.paged .pin > .header { --ground: var(--page) }
.swipe { position: absolute; inset-block: 0; display: flex }
.trailing { right: 0 }
.leading { left: 0 }
.act, .act:hover { border-radius: 0; background: var(--secondary); color: var(--bg) }
.act:disabled { background: var(--line); color: var(--secondary) }
.act.primary:enabled { background: var(--accent) }
.act.destructive:enabled { background: var(--red) }
.selected { outline: 2px solid var(--fg); outline-offset: -4px }
.lifted { opacity: .5 }
.drop { background: var(--accent); z-index: 4 }
.note { position: absolute; bottom: 12px; left: 50%; translate: -50%; width: max-content; max-width: 90%; padding: 8px 14px; border-radius: 10px; background: var(--fg); color: var(--bg); pointer-events: none; z-index: 5 }
.refused { background: var(--red) }
dialog { border: 1px solid var(--line); border-radius: 12px; padding: 6px; color: var(--fg); background: var(--group); min-width: 180px; max-width: min(480px, 90vw); box-shadow: 0 8px 32px #0004 }
dialog p { margin: 8px 10px; font-size: inherit; color: inherit }
dialog.menu p { font-size: 13px }
ul { margin: 0; padding: 0 10px; list-style: none }
.choices kbd { margin-inline-start: 8px }
.choices { display: flex; justify-content: end; gap: 8px }
.menu { margin: 0 }
.menu .choices { flex-direction: column; gap: 0 }
.menu button { display: flex; align-items: center; gap: 16px; justify-content: space-between }
kbd { color: var(--secondary) }
dialog .destructive { color: var(--red) }
button:disabled { color: var(--secondary); font-style: italic }
@media (pointer: coarse) { :host { --row: 44px } button { min-height: 44px; min-width: 44px } .disc, .acc:not(.detail) { min-width: 32px } }
@media (prefers-reduced-motion) { * { transition: none !important; animation: none !important } }
@media (forced-colors: active) { .cursor > .in { outline: 2px solid Highlight } .fill { background: Highlight } }
`);
