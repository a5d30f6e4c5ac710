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
).split("|").flatMap(([sign, ...names]) => names.join("").split(" ").map(name => [name, sign])));

const iconSign = icon => icon?.name ? named[icon.name.replace(/-symbolic$/, "")] : icon;

/** The character that is drawn as a row's icon; "" for a picture; undefined if there is none. */
const sign = look => look.image?.startsWith("data:") ? "" : iconSign(look.icon) ?? (look.image && "▧");

export const withIcon = ({icon, title}) => `${iconSign(icon) ?? ""} ${title}`.trim();

export function make(tag, name, ...content) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content.filter(Boolean));
  return element;
}

const span = (...content) => make("span", ...content);

export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.toggleAttribute(name, value != null) && element.setAttribute(name, value);
  return element;
}

/** Text in its own direction. */
const text = (name, content) => content === undefined ? null : set(span(name, content), {dir: "auto"});

/** A tint is a variable of the style sheet; an exact colour is mixed with the text's, to be readable on any ground. */
function tinted(element, tint) {
  if (tint) element.style.setProperty("--tint", tint[0] == "#" ? `color-mix(in srgb, ${tint} 72%, var(--fg))` : `var(--${tint})`);
  return element;
}

const signs = {disclosureIndicator: "›", checkmark: "✓", reorder: "≡", detail: "i", popUpMenu: "⌄", multiselect: "○", delete: "⊖", insert: "⊕"};
const tints = {delete: "red", insert: "green", custom: "accent", detail: "accent"};
const isShown = ({displayed}, isEditing) => !displayed || (displayed == "editing") == !!isEditing;
const words = ({type, text}) => [text, signs[type]].filter(Boolean).join(" ");

/** The accessories before or after the text. */
const accessories = (look, {isEditing, isMarked}, atFront) => (look.accessories ?? []).flatMap((accessory, index) => {
  const {type, tint} = accessory;
  if (type == "outlineDisclosure" || /multiselect|delete|insert/.test(type) != atFront || !isShown(accessory, isEditing)) return [];
  const element = span("acc " + type, type == "multiselect" && isMarked ? "◉" : words(accessory));
  element.dataset.accessory = index;
  return [tinted(element, tint ?? tints[type] ?? (type == "checkmark" ? look.tint ?? "accent" : ""))];
});

/** Whether a row shows a disclosure: true and false as it is expanded or not. */
function disclosure(row, look, isEditing) {
  const isNamed = !look.accessories || look.accessories.some(accessory => accessory.type == "outlineDisclosure" && isShown(accessory, isEditing));
  return row && isNamed && (row.isParent || look.hasChildren) ? row.isOpen : undefined;
}

/** The room that the rows of a section leave for each part, so that they align. */
export function slotsOf(rows) {
  const most = size => Math.max(0, ...rows.map(({row, look}) => +size(look, row) || 0));
  return {disclosure: most((look, row) => row.isParent || look.hasChildren || row.level), check: most(look => !!look.checked), icon: most(look => sign(look) !== undefined),
    bar: most(look => look.progress !== undefined), badge: most(look => look.badge?.text.length), label: most(look => look.accessories?.some(accessory => accessory.text)),
    end: most(look => look.accessories?.reduce((sum, accessory) => sum + (signs[accessory.type]?.length ?? 0) + (accessory.text?.length ?? 0) + 1, 0))};
}

/** The parts before the text. */
function front(look, slots, env) {
  const isOpen = disclosure(env.row, look, env.isEditing);
  const icon = sign(look);
  const parts = [
    [isOpen !== undefined && span("disc" + (isOpen ? " open" : ""), "›"), slots.disclosure],
    ...accessories(look, env, true).map(part => [part]),
    [look.checked && tinted(span("check " + look.checked, {checked: "✓", mixed: "–"}[look.checked]), look.tint), slots.check],
    [icon === "" ? Object.assign(make("img", "icon"), {src: look.image, alt: ""}) : icon && tinted(span("icon", icon), look.tint), slots.icon],
    [look.urgent && span("urgent", "!")],
  ];
  return parts.flatMap(([part, isReserved]) => part || (isReserved ? span("pad") : []));
}

const bar = look => {
  const fill = span("fill");
  fill.style.width = look.progress * 100 + "%";
  return tinted(span("bar", fill), look.tint);
};

/** The parts after the text, each in a slot as wide as the section's widest. */
function end(look, slots, env) {
  const {badge, progress, urgent} = look;
  const slot = (name, width, ...content) => {
    const element = span("slot " + name, ...content);
    if (width) element.style.minWidth = `calc(${Math.min(width, 24)}ch + 16px)`;
    return element.firstChild || width ? element : [];
  };
  const hasBar = progress !== undefined;
  const pill = badge?.text && set(tinted(text("badge" + (urgent ? " solid" : ""), badge.text), badge.tint), {part: "badge"});
  return [slot("track", hasBar ? 0 : slots.bar, hasBar && bar(look)), slots.bar && !slots.label ? slot("percent", 3, hasBar && Math.round(progress * 100) + "%") : [],
    slot("", slots.badge, pill), slot("", slots.end, ...accessories(look, env, false))].flat();
}

/** The words of a row for screen readers. */
function label(look, hasText = true) {
  const {text, secondaryText, badge, checked, progress, urgent} = spoken(look);
  return [hasText && text, hasText && secondaryText, badge?.text, {checked: "checked", unchecked: "not checked", mixed: "partly checked"}[checked],
    progress !== undefined && Math.round(progress * 100) + "%", urgent && "urgent"].filter(Boolean).join(", ");
}

function title(look) {
  const {lines = 1} = look;
  const element = text("text" + (lines == 1 ? "" : " wrap"), look.text);
  if (lines > 1) element.style.webkitLineClamp = lines;
  return look.icon ? element : tinted(element, look.tint);
}

const sub = look => text("sub", look.secondaryText || undefined);

function inside(element, pad, role, ...content) {
  const inner = set(span("in", ...content), {role});
  inner.style.paddingInline = pad + "px";
  element.replaceChildren(inner);
  return inner;
}

/** Draws a row of a list or a table, or a card. `env` has the row's state and its section's `slots` and `columns`. */
function drawRow(element, frame, env) {
  const {row, look, swipe, columns, isTree, isEditing} = env;
  const {width, pad, lines, kind} = frame;
  const isCard = kind == "card";
  const indent = isCard ? 0 : Math.min(row.level * 24, width / 3);
  // On a narrow screen, the texts need the room.
  const isNarrow = width < 560;
  const slots = isCard || isNarrow ? {} : env.slots;
  const parts = front(look, isNarrow && !isCard ? {...env.slots, check: 0} : slots, env);
  const ends = end(look, slots, env);
  let inner;
  if (columns) {
    const cells = columns.map(({px, path, align}, index) => {
      if (!px) return null;
      const {text: content} = cell(path, row.item, look);
      const part = set(span("cell " + align, ...index ? [] : parts, index ? text("", content) : tinted(text("text", content), look.icon ? "" : look.tint)),
        {role: "gridcell", part: "cell", "aria-label": index ? null : [content, label(look, false)].filter(Boolean).join(", ")});
      part.style.width = px + "px";
      return part;
    });
    inner = inside(element, pad, "none", ...cells, ends.length && set(span("cell ends", ...ends), {role: "gridcell"}));
    inner.firstChild.style.paddingInlineStart = indent + "px";
  } else {
    const texts = span("main", title(look), sub(look));
    if (isCard) inner = inside(element, 12, "gridcell", span("top", ...parts, title(look), ...end({...look, progress: undefined}, {}, env)), sub(look), look.progress !== undefined && bar(look));
    else inner = inside(element, pad, "gridcell", ...parts, texts, ...ends);
    if (!isCard && width > 460 && (look.lines ?? 1) == 1) {
      // The secondary texts of a section begin in one column.
      texts.classList.add("beside");
      texts.firstChild.style.minWidth = Math.max(Math.min(width * 0.4, 352) - indent - parts.length * 28, 40) + "px";
    }
    set(inner, {"aria-label": label(look)});
    if (!isCard) inner.style.paddingInlineStart = pad + indent + "px";
    if (lines) inner.style.height = lines * 20 + (isCard ? 24 : 16) + "px";
  }
  if (swipe) element.append(span("swipe " + swipe.edge, ...swipe.actions.map((action, index) => {
    const button = set(make("button", `act ${action.style ?? ""} ${index == swipe.selected ? "selected" : ""}`, withIcon(action)), {tabindex: -1});
    button.action = action;
    return button;
  })));
  set(element, {part: isCard ? "row card" : "row", "aria-level": isTree ? row.level + 1 : null, "aria-expanded": disclosure(row, look, isEditing), "aria-disabled": look.enabled === false || null});
}

/** Draws a frame, if it is not a carousel. */
export function draw(element, frame, env) {
  const {look, kind, pad} = frame;
  if (env.row) return drawRow(element, frame, env);
  set(element, {part: kind});
  if (kind == "header") set(inside(element, pad, "gridcell", ...front({...look, checked: 0}, {}, env), title({...look, icon: 1}), sub(look), span("space"), ...end(look, {}, env)), {"aria-label": label(look)});
  else if (kind == "more") inside(element, pad, "gridcell", "⋯ More");
  else if (kind == "footer") inside(element, pad, "gridcell", text("text", look.text), sub(look));
  else if (kind == "empty") inside(element, 24, "gridcell", iconSign(look.icon) && span("icon", iconSign(look.icon)), text("text", look.text), sub(look));
  else if (kind == "titles") {
    const titles = env.columns.filter(column => column.px).map(column => {
      const part = set(span("cell " + column.align, text("", column.title)), {role: "columnheader"});
      part.style.width = column.px + "px";
      return part;
    });
    const step = by => {
      const button = set(make("button", "step", by < 0 ? "‹" : "›"), {"aria-label": "More columns", tabindex: -1});
      button.by = by;
      return set(span("", button), {role: "columnheader"});
    };
    inside(element, pad, "none", ...titles, env.isPassed && step(-1), env.isCut && step(1));
  }
  tinted(element, look?.tint);
}
