// Draws frames into elements. Content is only ever text, without control and bidirectional characters; the only addresses that
// it sets are those of `data:` images.

import {cell, spoken} from './appearance.js'

// Characters for the names of the freedesktop icon naming specification that lists use most, as in the terminal viewer.
const named = new Map((
  '◷appointment-new appointment-soon task-due task-past-due|♪audio-volume-high audio-volume-muted audio-x-generic|' +
  '☺avatar-default face-smile|▮battery|☆bookmark-new non-starred user-bookmarks|' +
  '▦calendar x-office-calendar x-office-spreadsheet|☎call-start|▣computer network-server package-x-generic|' +
  '✗dialog-error edit-delete process-stop user-trash window-close|ℹdialog-information help-about|' +
  '⚿dialog-password security-high system-lock-screen|?dialog-question|⚠dialog-warning|✎document-edit|✚document-new|' +
  '▤document-open drive-harddisk edit-paste text-html text-x-generic x-office-document|▼document-save|' +
  '➤document-send mail-send|⌫edit-clear|⧉edit-copy|✂edit-cut|⌕edit-find system-search|↷edit-redo|↶edit-undo|' +
  '✓emblem-default emblem-ok object-select|★emblem-favorite favorite starred|!emblem-important mail-mark-important|' +
  '↪emblem-symbolic-link|▰folder|▱folder-open|↓go-down|⌂go-home user-home|→go-next mail-forward|←go-previous|↑go-up|' +
  '▧image-x-generic|+list-add|−list-remove|⊘mail-attachment|○mail-read network-offline user-offline|' +
  '↩mail-replied mail-reply-sender|●mail-unread media-record network-online user-available|⏏media-eject|' +
  '‖media-playback-pause|▶media-playback-start media-skip-forward video-x-generic|■media-playback-stop|' +
  '◀media-skip-backward|⇄network-wired|≋network-wireless|⚙preferences-system system-run|⎙printer|◌process-working|' +
  '⏻system-shutdown|◈tag|◐user-away|⊖user-busy|≡view-list|↻view-refresh|☀weather-clear|☁weather-overcast'
).split('|').flatMap(([sign, ...names]) => names.join('').split(' ').map(name => [name, sign])))

const iconSign = icon => icon?.name ? named.get(icon.name.replace(/-symbolic$/, '')) : icon

/** The character that is drawn as a row's icon; '' for a picture; undefined if there is none. */
const sign = look => look.image?.startsWith('data:') ? '' : iconSign(look.icon) ?? (look.image && '▧')

export const withIcon = ({icon, title}) => `${iconSign(icon) ?? ''} ${title}`.trim()

export function make(tag, name, ...content) {
  const element = document.createElement(tag)
  element.className = name ?? ''
  element.append(...content.filter(Boolean))
  return element
}

/** Sets attributes, or removes them. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.toggleAttribute(name, value != null) && element.setAttribute(name, value)
  return element
}

const style = (element, styles) => (Object.assign(element.style, styles), element)
const span = (...content) => make('span', ...content)
const text = (name, content) => set(span(name, content), {dir: 'auto'})

/** A tint is a variable of the style sheet; an exact colour is mixed with the text's, to be readable on any ground. */
function tinted(element, tint) {
  if (tint) element.style.setProperty('--tint', tint[0] == '#' ? `color-mix(in srgb, ${tint} 72%, var(--fg))` : `var(--${tint})`)
  return element
}

const signs = {disclosureIndicator: '›', checkmark: '✓', reorder: '≡', detail: 'i', popUpMenu: '⌄', multiselect: '○', delete: '⊖', insert: '⊕'}
const tints = {delete: 'red', insert: 'green', custom: 'accent', detail: 'accent', checkmark: 'accent'}
const words = ({type, text}) => `${text ?? ''} ${signs[type] ?? ''}`.trim()
const isShown = ({displayed}, isEditing) => !displayed || (displayed == 'editing') == !!isEditing

/** The accessories before or after the text. */
const accessories = (look, {isEditing, isMarked}, atFront) => (look.accessories ?? []).flatMap((accessory, index) => {
  const {type, tint} = accessory
  if (type == 'outlineDisclosure' || /multiselect|delete|insert/.test(type) != atFront || !isShown(accessory, isEditing)) return []
  const element = span('acc ' + type, isMarked && type == 'multiselect' ? '◉' : words(accessory))
  element.dataset.accessory = index
  return tinted(element, tint ?? tints[type])
})

/** Whether a row shows a disclosure: true and false as it is expanded or not. */
const disclosure = (row, look, isEditing) => row && (row.isParent || look.hasChildren)
  && (look.accessories ?? [{type: 'outlineDisclosure'}]).some(accessory => accessory.type == 'outlineDisclosure' && isShown(accessory, isEditing)) ? row.isOpen : undefined

/** The room that the rows of a section leave for each part, so that they align. */
export function slotsOf(rows) {
  const most = size => Math.max(0, ...rows.map(({row, look}) => +size(look, row) || 0))
  return {disclosure: most((look, row) => row.isParent || look.hasChildren || row.level), check: most(look => !!look.checked), icon: most(look => sign(look) !== undefined), sign: most(look => !!look.sign), urgent: most(look => look.urgent),
    bar: most(look => look.progress !== undefined), badge: most(look => look.badge && signed(look.badge).length), label: most(look => look.accessories?.some(({text}) => text)),
    end: most(look => look.accessories?.reduce((sum, accessory) => sum + words(accessory).length + 1, 0))}
}

/** The parts before the text. */
function front(look, slots, env) {
  const isOpen = disclosure(env.row, look, env.isEditing)
  const icon = sign(look)
  const pad = isReserved => isReserved ? span('pad') : []
  return [
    isOpen === undefined ? pad(slots.disclosure) : span('disc ' + (isOpen ? 'open' : ''), '›'), accessories(look, env, true),
    look.checked ? tinted(span('check ' + look.checked, {checked: '✓', mixed: '–'}[look.checked]), look.tint) : pad(slots.check),
    icon ? tinted(span('icon', icon), look.tint) : icon === '' ? Object.assign(make('img', 'icon'), {src: look.image, alt: ''}) : pad(slots.icon),
    look.sign ? tinted(span('sign', look.sign), look.tint ?? 'secondary') : pad(slots.sign),
    look.urgent ? span('urgent', '!') : [],
  ].flat()
}

const signed = ({text, sign}) => sign ? sign + ' ' + text : text
const percent = look => Math.round(look.progress * 100) + '%'
const bar = look => look.progress === undefined ? '' : tinted(span('bar', style(span('fill'), {width: percent(look)})), look.tint)

/** The parts after the text, each in a slot as wide as the section's widest. */
function end(look, slots, env) {
  const slot = (name, width, ...content) => {
    const element = style(span('slot ' + name, ...content), width ? {minWidth: `calc(${Math.min(width, 24)}ch + 16px)`} : {})
    return element.firstChild || width ? element : []
  }
  const {badge} = look
  return [slot('track', slots.bar, bar(look)), slots.bar && !slots.label ? slot('percent', 3, bar(look) && percent(look)) : [],
    slot('', slots.badge, badge?.text && set(tinted(text('badge' + (look.urgent ? ' solid' : ''), signed(badge)), badge.tint), {part: 'badge'})),
    slot('', slots.end, ...accessories(look, env, false))].flat()
}

/** The words of a row for screen readers, after its text. */
function label(look, ...texts) {
  const {badge, checked, progress, urgent} = look
  return {'aria-label': [...texts, badge?.text, {checked: 'checked', unchecked: 'not checked', mixed: 'partly checked'}[checked],
    progress !== undefined && percent(look), urgent && 'urgent'].filter(Boolean).join(', ')}
}

function wholeLabel(look) {
  const {text, secondaryText} = spoken(look)
  return label(look, text, secondaryText)
}

const title = look => style(tinted(text('text ' + ((look.lines ?? 1) == 1 ? '' : 'wrap'), look.text), look.icon ? '' : look.tint), look.lines > 1 ? {webkitLineClamp: look.lines} : {})
const sub = look => look.secondaryText && text('sub', look.secondaryText)

function inside(element, pad, role, ...content) {
  const inner = style(set(span('in', ...content), {role}), {paddingInline: pad + 'px'})
  element.replaceChildren(inner)
  return inner
}

const cellOf = ({align, px}, role, ...content) => px ? style(set(span('cell ' + align, ...content), {role, part: 'cell'}), {width: px + 'px'}) : ''

/** Whether the texts of a section this wide need the room that others leave so that parts align. */
export const isNarrow = width => width < 560

/** Draws a row of a list or a table, or a card. `env` has the row's state and its section's `slots` and `columns`. */
function drawRow(element, {width, pad, lines, kind}, env) {
  const {row, look, swipe, columns, isTree, isEditing} = env
  const isCard = kind == 'card'
  const slots = isCard || isNarrow(width) ? {} : env.slots
  const parts = front(look, isCard ? {} : {...env.slots, ...slots.badge === undefined && {check: 0}}, env)
  const indent = isCard ? 0 : Math.min(row.level * 24, width / 3)
  let inner
  if (isCard) {
    inner = inside(element, 12, 'gridcell', span('top', ...parts, title(look), ...end({...look, progress: undefined}, {}, env)), sub(look), bar(look))
  } else if (columns) {
    const ends = end(look, slots, env)
    inner = inside(element, pad, 'none', ...columns.map((column, index) => {
      const found = cell(column, row.item, look)
      const content = signed(found)
      element.changesAt = Math.min(element.changesAt, found.changesAt ?? Infinity)
      return index ? cellOf(column, 'gridcell', tinted(text('', content), found.tint))
        : style(set(cellOf(column, 'gridcell', ...parts, title({...look, text: content, lines: 1, ...found.tint && {tint: found.tint, icon: undefined}})), label(look, content)), {paddingInlineStart: indent + 'px'})
    }), ends.length && cellOf({align: 'ends', px: ' '}, 'gridcell', ...ends))
  } else {
    const texts = span('main', title(look), sub(look))
    inner = style(inside(element, pad, 'gridcell', ...parts, texts, ...end(look, slots, env)), {paddingInlineStart: pad + indent + 'px'})
    const {bar, badge = 0, end: last = 0} = env.slots
    const room = width - 2 * pad - (bar && 150) - (badge && badge * 8 + 20) - (last && last * 9 + 20)
    if (room > 380 && (look.lines ?? 1) == 1) {
      // The secondary texts of a section begin in one column.
      texts.classList.add('beside')
      style(texts.firstChild, {minWidth: Math.max(Math.min(width * 0.4, room - 100, 352) - indent - parts.length * 28, 40) + 'px'})
    } else if (!lines && isNarrow(width)) {
      inner.classList.add('wraps')
    }
  }
  if (!columns) set(inner, wholeLabel(look))
  if (lines) style(inner, {height: lines * 20 + 24 + 'px'})
  if (swipe) element.append(set(span('swipe ' + swipe.edge, ...swipe.actions.map((action, index) => Object.assign(
    make('button', `act ${action.style ?? ''} ${index == swipe.selected ? 'selected' : ''}`, withIcon(action)), {action, tabIndex: -1, disabled: action.enabled === false}))), {role: 'gridcell'}))
  set(element, {part: isCard ? 'row card' : 'row', 'aria-level': isTree ? row.level + 1 : null, 'aria-expanded': disclosure(row, look, isEditing), 'aria-disabled': look.enabled === false || null})
}

const drawings = {
  header: ({look, pad}, env, element) => set(inside(element, pad, 'gridcell', ...front({...look, checked: ''}, {}, env), title(look), sub(look), span('space'), ...end(look, {}, env)), wholeLabel(look)),
  more: ({pad}, env, element) => inside(element, pad, 'gridcell', '⋯ More'),
  footer: ({look, pad}, env, element) => inside(element, pad, 'gridcell', title(look), sub(look)),
  empty: ({look}, env, element) => inside(element, 24, 'gridcell', iconSign(look.icon) && span('icon', iconSign(look.icon)), title(look), sub(look)),
  titles: ({pad}, {columns, steps}, element) => inside(element, pad, 'none', ...columns.map(column => cellOf(column, 'columnheader', text('', column.title))),
    ...steps.map(by => set(span('', Object.assign(make('button', 'step', by < 0 ? '‹' : '›'), {by, tabIndex: -1, ariaLabel: 'More columns'})), {role: 'columnheader'}))),
}

/** Draws a frame, if it is not a carousel. */
export function draw(element, frame, env) {
  element.changesAt = (env.look ?? frame.look)?.changesAt ?? Infinity
  if (env.row) return drawRow(element, frame, env)
  set(element, {part: frame.kind})
  drawings[frame.kind]?.(frame, env, element)
  tinted(element, frame.look?.tint)
}
