// <diffable-list list="tasks"> draws a list of diffabled and keeps it up to date, by the rules of docs/appearance.md and
// docs/viewer.md.
//
// Attributes
//   list          the name of the list
//   src           the address of diffable-web; by default where this module comes from
//   look          the viewer's own appearance as JSON, or the name of one, such as `grouped`; `appearance` means the same
//   view          a view as JSON (docs/protocol-views.md), which the others narrow
//   search, sort, where   as a user types them: words; `-.due`; `cpu>10`
//   min-interval  milliseconds between two updates, by default 33
//   readonly      nothing can be changed
//
// Properties: `cursor` and `marked` (ids), `following` (what `Connection.follow` returned), `connection` (another connection than
// the page's). Events: `update` (detail as of `onUpdate`), `choose` (cancelable; detail `{id, ids, item}`: Enter, a double click or a tap
// on a row), `refused` (detail `{message}`).
//
// CSS variables
//   --row         the height of a row of one line: 36px, or 44px for fingers
//   --radius      of cards and groups
//   --fg --secondary --accent              texts, secondary texts, and whatever can be touched
//   --bg --page --group --bar --line       the ground of a plain list, around groups, of a group, of a header, and of separators
//   --focus --mark                         the ground of the row under the cursor, and of marked rows
//   --red --orange --yellow --green --blue --purple --gray    the tints
// Parts: `head row card header footer titles cell badge more empty note banner`.
//
// Colours follow the `color-scheme` of the page.

import {shared} from "./diffable.js";
import {make} from "./draw.js";
import {Pointing} from "./pointing.js";
import {condition, order} from "./query.js";
import {sheet} from "./style.js";

const attributes = ["list", "src", "look", "appearance", "view", "search", "sort", "where", "min-interval", "readonly"];

/** Milliseconds without a connection before a banner says so, and before it says since when. */
const lostTime = 300;
const sinceTime = 5000;

function json(text) {
  if (!text) return undefined;
  try { return JSON.parse(text); } catch { return undefined; }
}

const lookOf = text => json(text) ?? (text ? {appearance: text} : undefined);

class ListView extends Pointing {
  /** Shows the list's title, and buttons for fingers. */
  showHead() {
    const {head, title, subtitle, menuButton} = this.ui;
    const {title: name, subtitle: more, actions} = this.listLook;
    title.textContent = name ?? "";
    subtitle.textContent = more ?? "";
    subtitle.hidden = !more;
    menuButton.hidden = !actions || this.readonly;
    head.classList.toggle("bare", !name && !more && !actions);
    this.scroller.setAttribute("aria-label", name ?? this.list);
    this.showGround();
  }

  showGround() {
    const first = this.shape.sections[0];
    const appearance = (first && this.look(first).appearance) ?? this.userLook?.appearance ?? this.content?.appearance;
    this.host.shadowRoot.host.classList.toggle("paged", /^(grouped|insetGrouped|sidebar)$/.test(appearance));
  }

  /** Shows the search, the condition and the order as they were typed. */
  showQuery() {
    const {where, sort} = this.words ?? {};
    const parts = [this.query.search && `“${this.query.search}”`, where && `where ${where}`, sort && `sorted by ${sort}`].filter(Boolean);
    this.ui.query.textContent = parts.join(" · ");
    this.ui.query.hidden = !parts.length;
  }

  showBanner() {
    const {banner} = this.ui;
    const isOpen = !this.connection?.state || this.connection.state == "open";
    const isStale = this.following?.live === false;
    const isLost = !isOpen || !!this.absence || isStale;
    if (!isLost) {
      clearTimeout(this.bannerTimer);
      [this.lostAt, this.bannerTimer] = [];
    } else {
      this.lostAt ??= new Date(isStale && this.following.time ? this.following.time : Date.now());
      this.bannerTimer ??= setTimeout(() => this.showBanner(), lostTime);
    }
    const age = isLost ? Date.now() - this.lostAt : 0;
    banner.hidden = !isLost || age < lostTime - 5;
    const since = age >= sinceTime ? `, as of ${this.lostAt.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit"})}` : "";
    const text = (this.absence ?? (isOpen ? "The source of this list cannot be reached" : "The connection is lost")) + since;
    if (banner.textContent != text) banner.textContent = text;
    this.ui.root.classList.toggle("dim", !banner.hidden);
    if (isLost && age >= lostTime - 5 && age < sinceTime) {
      clearTimeout(this.sinceTimer);
      this.sinceTimer = setTimeout(() => this.showBanner(), sinceTime - age + 10);
    }
  }

  paint() {
    super.paint();
    this.showGround();
  }
}

export class DiffableList extends HTMLElement {
  static observedAttributes = attributes;
  #view;
  #state = () => this.#view.showBanner();
  #connection;
  #isWaiting = false;

  constructor() {
    super();
    const root = this.attachShadow({mode: "open", delegatesFocus: true});
    root.adoptedStyleSheets = [sheet];
    const button = (sign, label) => {
      const element = make("button", "", sign);
      element.setAttribute("aria-label", label);
      element.title = label;
      return element;
    };
    const title = make("h2"), subtitle = make("p"), query = make("p", "query"), searchButton = button("⌕", "Search"), menuButton = button("⋯", "Actions of the list");
    const head = make("div", "head bare", make("div", "names", title, subtitle, query), searchButton, menuButton);
    const promptLabel = make("span"), input = make("input");
    const prompt = make("label", "prompt", promptLabel, input);
    const banner = make("div", "banner"), note = make("div", "note"), dialog = make("dialog");
    const pin = make("div", "pin"), box = make("div", "box"), scroller = make("div", "scroller", pin, box);
    for (const element of [banner, prompt, query, subtitle]) element.hidden = true;
    for (const [element, name] of [[head, "head"], [banner, "banner"], [note, "note"]]) element.part = name;
    banner.role = note.role = "status";
    [scroller.tabIndex, scroller.role, pin.inert, pin.role, box.role] = [0, "grid", true, "none", "none"];
    pin.setAttribute("aria-hidden", true);
    scroller.setAttribute("aria-multiselectable", true);
    const frame = make("div", "frame", head, prompt, banner, scroller, note, dialog);
    root.append(frame);
    this.#view = new ListView(this, {root: frame, head, title, subtitle, query, menuButton, prompt, promptLabel, input, banner, scroller, box, pin, note, dialog});
    const view = this.#view;
    searchButton.onclick = () => view.search();
    menuButton.onclick = () => view.openListMenu();
    input.onkeydown = event => {
      if (event.key == "Enter") view.endTyping(true);
      else if (event.key == "Escape") view.endTyping(false);
      else if (event.key == "ArrowDown" || event.key == "ArrowUp") view.step(event.key == "ArrowDown" ? 1 : -1);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    input.onblur = () => view.mode.kind == "typing" && document.hasFocus() && view.endTyping(true);
  }

  connectedCallback() { this.#restart(); }

  disconnectedCallback() {
    this.#view.leave();
    this.#connection?.removeEventListener?.("state", this.#state);
    this.#connection = undefined;
  }

  attributeChangedCallback() { if (this.isConnected) this.#restart(); }

  /** Follows the list after all attributes of one task have changed. */
  #restart() {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    queueMicrotask(() => {
      this.#isWaiting = false;
      if (this.isConnected) this.#follow();
    });
  }

  #follow() {
    const view = this.#view;
    const list = this.getAttribute("list");
    this.#connection?.removeEventListener?.("state", this.#state);
    view.leave();
    if (!list) return;
    const src = this.getAttribute("src");
    const connection = this.#connection = this.connection ?? shared(src ? new URL("socket", new URL(src, document.baseURI)) : undefined);
    connection.addEventListener?.("state", this.#state);
    const where = this.getAttribute("where"), sort = this.getAttribute("sort");
    let standard = {};
    try { standard = {where: where ? condition(where) : undefined, sort: sort ? order(sort) : undefined}; } catch (error) { view.say(error.message); }
    view.start(connection, list, {baseView: json(this.getAttribute("view")), userLook: lookOf(this.getAttribute("appearance") ?? this.getAttribute("look")),
      minInterval: +this.getAttribute("min-interval") || 33, readonly: this.hasAttribute("readonly"), standard,
      query: {...standard, search: this.getAttribute("search") ?? ""}, words: {where, sort}});
    view.showQuery();
    view.showBanner();
  }

  get following() { return this.#view.following; }
  get cursor() { return this.#view.row?.id; }
  set cursor(id) { this.#view.goToRow("i" + id); }
  get marked() { return this.#view.orderedMarks; }
  set marked(ids) {
    this.#view.marks = new Set(ids);
    this.#view.schedule();
  }
}

customElements.define("diffable-list", DiffableList);
