// Draws frames into elements. Content is only ever text, without control and bidirectional characters; the only addresses that
// it sets are those of `data:` images.

import {cell, spoken} from "./appearance.js";

// Characters for the names of the freedesktop icon naming specification that lists use most, as in the terminal viewer.
const named = Object.fromEntries((
  "◷appointment-new appointment-soon task-due task-past-due|♪audio-volume-high audio-volume-muted audio-x-generic|" +
  "☺avatar-default face-smile|▮battery|☆bookmark-new non-starred user-bookmarks|" +
  "▦calendar x-office-calendar x-office-spreadsheet|☎call-start|▣computer network-server package-x-generic|" +
  "✗dialog-error edit-delete process-stop user-trash window-close|ℹdialog-information help-about|" +
  "⚿dialog-password security-high system-lock-screen|?dialog-question|⚠dialog-warning|✎document-edit|✚document-new|" +
  "▤document-open drive-harddisk edit-paste text-html text-x-generic x-office-document|▼document-save|" +
  "➤document-send mail-send|⌫edit-clear|⧉edit-copy|✂edit-cut|⌕edit-find system-search|↷edit-redo|↶edit-undo|" +
  "✓emblem-default emblem-ok object-select|★emblem-favorite favorite starred|!emblem-important mail-mark-important|" +
  "↪emblem-symbolic-link|▰folder|▱folder-open|↓go-down|⌂go-home user-home|→go-next mail-forward|←go-previous|↑go-up|" +
  "▧image-x-generic|+list-add|−list-remove|⊘mail-attachment|○mail-read network-offline user-offline|" +
  "↩mail-replied mail-reply-sender|●mail-unread media-record network-online user-available|⏏media-eject|" +
  "‖media-playback-pause|▶media-playback-start media-skip-forward video-x-generic|■media-playback-stop|" +
  "◀media-skip-backward|⇄network-wired|≋network-wireless|⚙preferences-system system-run|⎙printer|◌process-working|" +
  "⏻system-shutdown|◈tag|◐user-away|⊖user-busy|≡view-list|↻view-refresh|☀weather-clear|☁weather-overcast"
).split("|").flatMap(group => {
  const [sign, ...rest] = [...group];
  return rest.join("").split(" ").map(name => [name, sign]);
}));

const iconSign = icon => typeof icon == "string" ? icon : named[icon?.name.replace(/-symbolic$/, "")];

/** The character that is drawn as a row's icon; "" for a picture; undefined if there is none. */
export const sign = look => look.image?.startsWith("data:") ? "" : iconSign(look.icon) ?? (look.image && "▧");

export function make(tag, name, ...content) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content.filter(part => part != null));
  return element;
}

const span = (name, ...content) => make("span", name, ...content);

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) element.removeAttribute(name); else element.setAttribute(name, value);
  }
  return element;
}

function text(name, content) {
  const element = span(name, content);
  element.dir = "auto";
  return element;
}

/** A tint is a variable of the style sheet; an exact colour is mixed with the text's, to be readable on any ground. */
function tinted(element, tint) {
  if (tint) element.style.setProperty("--tint", tint[0] == "#" ? `color-mix(in srgb, ${tint} 72%, var(--fg))` : `var(--${tint})`);
  return element;
}

const signs = {disclosureIndicator: "›", checkmark: "✓", reorder: "≡", detail: "i", popUpMenu: "⌄", multiselect: "○", delete: "⊖", insert: "⊕"};
const isLeading = {multiselect: true, delete: true, insert: true};
const standardTint = {delete: "red", insert: "green", custom: "accent", detail: "accent", label: "secondary", popUpMenu: "secondary",
  disclosureIndicator: "secondary", multiselect: "secondary", reorder: "secondary"};

const isShown = ({displayed}, isEditing) => !displayed || (displayed == "editing") == isEditing;

function accessories(look, isEditing, atFront) {
  return (look.accessories ?? []).map((accessory, index) => ({accessory, index})).filter(({accessory}) =>
    accessory.type != "outlineDisclosure" && !!isLeading[accessory.type] == atFront && isShown(accessory, isEditing));
}

const accessoryText = ({type, text}) => [text, signs[type]].filter(Boolean).join(" ");

function drawAccessory({accessory, index}, look, isMarked) {
  const {type} = accessory;
  const element = span("acc " + type, type == "multiselect" && isMarked ? "◉" : accessoryText(accessory));
  element.dataset.accessory = index;
  return tinted(element, accessory.tint ?? standardTint[type] ?? look.tint);
}

/** Whether a row shows a disclosure: true and false as it is expanded or not. */
export function disclosure(row, look, isEditing) {
  if (!row.isParent && !look.hasChildren) return undefined;
  if (look.accessories && !look.accessories.some(accessory => accessory.type == "outlineDisclosure" && isShown(accessory, isEditing))) return undefined;
  return row.isOpen;
}

const lead = 28;

/** Widths that the rows of a section leave for each part, so that they align. It grows with the rows that are drawn. */
export function reserve(slots, look, row, isEditing) {
  const most = (name, value) => { if (value > (slots[name] ?? 0)) slots[name] = value; };
  most("disclosure", disclosure(row, look, isEditing) === undefined && !row.level ? 0 : 1);
  most("check", look.checked ? 1 : 0);
  most("icon", sign(look) === undefined ? 0 : 1);
  most("badge", look.badge ? look.badge.text.length : 0);
  most("bar", look.progress === undefined ? 0 : 1);
  const ends = accessories(look, isEditing, false).map(({accessory}) => accessoryText(accessory).length);
  most("label", look.accessories?.some(accessory => accessory.text) ? 1 : 0);
  most("end", ends.reduce((sum, length) => sum + length + 1.5, 0));
}

function image(look) {
  const element = make("img", "icon");
  element.alt = "";
  element.src = look.image;
  return element;
}

/** The parts before the text, and their width. */
function front(look, slots, {row, isEditing, isMarked}) {
  const parts = [];
  const put = (part, isReserved) => { if (part || isReserved) parts.push(part ?? span("pad")); };
  const isOpen = row && disclosure(row, look, isEditing);
  let arrow;
  if (isOpen !== undefined) {
    arrow = span("disc" + (isOpen ? " open" : ""), "›");
  }
  put(arrow, slots.disclosure);
  for (const part of accessories(look, isEditing, true)) parts.push(drawAccessory(part, look, isMarked));
  put(look.checked && tinted(span("check " + look.checked, {checked: "✓", mixed: "–"}[look.checked] ?? ""), look.tint), slots.check);
  const icon = sign(look);
  put(icon === "" ? image(look) : icon && tinted(span("icon", icon), look.tint), slots.icon);
  if (look.urgent) parts.push(span("urgent", "!"));
  return parts;
}

function bar(look) {
  const fill = span("fill");
  fill.style.width = look.progress * 100 + "%";
  return tinted(span("bar", fill), look.tint);
}

function badge(look) {
  const element = tinted(text("badge" + (look.urgent ? " solid" : ""), look.badge.text), look.badge.tint);
  element.part = "badge";
  return element;
}

const slot = (name, width, ...content) => {
  const element = span("slot " + name, ...content);
  if (width) element.style.minWidth = width;
  return element;
};

/** The parts after the text, each in a slot as wide as the section's widest. */
function end(look, slots, env) {
  const parts = [];
  if (look.progress !== undefined || slots.bar) {
    parts.push(slot("track", "", look.progress === undefined ? null : bar(look)));
    if (slots.bar && !slots.label) parts.push(slot("percent", "", look.progress === undefined ? null : Math.round(look.progress * 100) + "%"));
  }
  if (look.badge?.text || slots.badge) parts.push(slot("badges", slots.badge ? `calc(${Math.min(slots.badge, 20)}ch + 16px)` : "", look.badge?.text ? badge(look) : null));
  const last = accessories(look, env.isEditing, false).map(part => drawAccessory(part, look));
  if (last.length || slots.end) parts.push(slot("ends", slots.end ? Math.min(slots.end, 30) + "ch" : "", ...last));
  return parts;
}

/** The words of a row for screen readers. */
export function label(look, first = true) {
  const {text, secondaryText, badge, checked, progress, urgent} = spoken(look);
  return [first && text, first && secondaryText, badge?.text, {checked: "checked", unchecked: "not checked", mixed: "partly checked"}[checked],
    progress !== undefined && Math.round(progress * 100) + "%", urgent && "urgent"].filter(Boolean).join(", ");
}

function clamp(element, lines) {
  if (lines != 1) element.classList.add("wrap");
  if (lines > 1) element.style.webkitLineClamp = lines;
  return element;
}

function title(look) {
  const element = clamp(text("text", look.text), look.lines ?? 1);
  if (!look.icon) tinted(element, look.tint);
  return element;
}

const sub = look => look.secondaryText ? text("sub", look.secondaryText) : null;

/** The texts of a row: beside each other on a wide screen, where the secondary texts of a section begin in one column. */
function main(look, parts, frame, indent) {
  const texts = span("main", title(look), sub(look));
  const room = frame.width - 2 * frame.pad;
  if (room >= 420 && (look.lines ?? 1) == 1) {
    texts.classList.add("beside");
    const start = Math.min(room * 0.4, 352) - indent - parts.length * lead;
    texts.firstChild.style.minWidth = Math.max(start, 40) + "px";
  }
  return texts;
}

const cellRole = part => set(part, {role: "gridcell"});

/** Cells of a table. `columns` are `{path, title, align, width}`; the first cell begins with the row's front. */
function cells(look, parts, ends, frame, env, indent) {
  const {columns} = env;
  const shown = columns.filter(column => column.px);
  const all = shown.map((column, index) => {
    const {text: content} = cell(column.path, env.row.item, look);
    const element = cellRole(span("cell " + column.align, index ? text("", content) : null));
    element.part = "cell";
    element.style.width = column.px + "px";
    if (index == 0) {
      const name = text("text", content);
      if (!look.icon) tinted(name, look.tint);
      element.append(...parts, name);
      element.style.paddingInlineStart = indent + "px";
      set(element, {"aria-label": [content, label(look, false)].filter(Boolean).join(", ")});
    }
    return element;
  });
  if (ends.length) all.push(cellRole(span("cell ends", ...ends)));
  return all;
}

function inside(element, frame, role, ...content) {
  const inner = set(span("in", ...content), {role});
  inner.style.paddingInline = frame.pad + "px";
  element.replaceChildren(inner);
  return inner;
}

function swipe(element, {edge, actions, selected}) {
  const buttons = actions.map((action, index) => {
    const button = make("button", "act " + (action.style ?? "") + (index == selected ? " selected" : ""), actionTitle(action));
    button.tabIndex = -1;
    button.dataset.swipe = index;
    return button;
  });
  element.append(span("swipe " + edge, ...buttons));
}

export const actionTitle = action => [iconSign(action.icon), action.title].filter(Boolean).join(" ");

/** Draws a row of a list or a table, or a card. `env` has the row's state and its section's `slots` and `columns`. */
function drawRow(element, frame, env) {
  const {row} = frame;
  const {look} = env;
  const isCard = frame.kind != "row";
  const indent = isCard ? 0 : Math.min(row.level * 24, frame.width / 3);
  // On a narrow screen, the texts need the room.
  const slots = isCard || frame.width < 560 ? {} : env.slots;
  const lead = frame.width < 560 && !isCard ? {...env.slots, check: 0} : slots;
  const parts = front(look, lead, env);
  const tail = end(look, slots, env);
  if (isCard) {
    const top = span("top", ...parts, title(look), ...tail.filter(part => !/track|percent/.test(part.className)));
    const inner = inside(element, {pad: 12}, "gridcell", top, sub(look), look.progress === undefined ? null : bar(look));
    set(inner, {"aria-label": label(look)});
    if (frame.lines) inner.style.height = frame.lines * 20 + 24 + "px";
  } else if (frame.table) {
    inside(element, frame, "none", ...cells(look, parts, tail, frame, env, indent));
  } else {
    const inner = inside(element, frame, "gridcell", ...parts, main(look, parts, frame, indent), ...tail);
    inner.style.paddingInlineStart = frame.pad + indent + "px";
    set(inner, {"aria-label": label(look)});
    if (frame.lines) inner.style.minHeight = frame.lines * 20 + 16 + "px";
  }
  if (env.swipe) swipe(element, env.swipe);
  const isOpen = disclosure(row, look, env.isEditing);
  set(element, {"aria-level": env.isTree ? row.level + 1 : null, "aria-expanded": isOpen, "aria-disabled": look.enabled === false || null,
    "aria-posinset": env.isTree ? row.index + 1 : null, title: null});
  element.part = isCard ? "row card" : "row";
}

function drawPart(element, frame, env) {
  const {look, kind} = frame;
  const all = {isEditing: env.isEditing};
  if (kind == "header") {
    const parts = front({...look, checked: undefined}, {}, all);
    set(inside(element, frame, "gridcell", ...parts, title({...look, icon: true}), sub(look), span("space"), ...end(look, {label: 1}, all)), {"aria-label": label(look)});
    tinted(element, look.tint);
  } else if (kind == "footer") {
    tinted(inside(element, frame, "gridcell", text("text", look.text), sub(look)), look.tint);
  } else if (kind == "empty") {
    inside(element, {pad: 24}, "gridcell", tinted(span("icon", iconSign(look.icon) ?? ""), look.tint), text("text", look.text), sub(look));
  } else if (kind == "more") {
    inside(element, frame, "gridcell", "⋯ More");
  }
  element.part = kind;
}

function drawTitles(element, frame, {columns, isPassed, isCut}) {
  const titles = columns.filter(column => column.px).map(column => {
    const title = set(span("cell " + column.align, text("", column.title)), {role: "columnheader"});
    title.style.width = column.px + "px";
    return title;
  });
  const inner = inside(element, frame, "none", ...titles);
  const step = (name, sign, by) => {
    const button = set(make("button", "step " + name, sign), {"aria-label": by < 0 ? "Previous columns" : "Next columns", tabindex: -1});
    button.dataset.step = by;
    const cell = set(span("", button), {role: "columnheader"});
    inner.append(cell);
  };
  if (isPassed) step("back", "‹", -1);
  if (isCut) step("next", "›", 1);
  element.part = "titles";
}

/** Draws a frame, if it is not a carousel. */
export function draw(element, frame, env) {
  if (frame.row) drawRow(element, frame, env);
  else if (frame.kind == "titles") drawTitles(element, frame, env);
  else if (frame.kind != "missing") drawPart(element, frame, env);
}
