// Types of diffable.js. docs/javascript.md explains how to use it, and docs/protocol.md the requests and the JSON.

/** Any JSON value. */
export type JSONValue = null | boolean | number | string | JSONValue[] | {[name: string]: JSONValue}

export type ConnectionState =
  /** The socket is being opened. */
  | "connecting"
  /** Requests are answered, and lists are up to date. */
  | "open"
  /** The connection is lost. It is opened again after 250 ms to 8 s. */
  | "lost"
  /** The page is hidden, or the connection was closed. */
  | "resting"

export interface ConnectionOptions {
  /** By default the token in the page's address (`#token=…`), which is stored and removed from the address; else the stored one. */
  token?: string
  /** The client's name, which `clients` and `history` show. */
  name?: string
  /** Whether the connection is closed when the page has been hidden for 30 s; by default true. */
  rest?: boolean
}

/** A WebSocket that is opened again when it is lost. It carries requests, and any number of lists. */
export class Connection extends EventTarget {
  /** @param url The address of diffable-web's socket; by default `socket` next to this module. */
  constructor(url?: string | URL | null, options?: ConnectionOptions)

  readonly url: string
  readonly token: string | undefined
  readonly name: string | undefined
  readonly state: ConnectionState
  /** Why the server ended the connection, such as “the daemon is gone”, until there is one again. */
  reason?: string

  /**
   * Sends a request (docs/protocol.md), and returns its result. Fails with a `RequestError`. While there is no connection, it
   * fails at once with the name `connectionLost`: nothing is queued.
   */
  request(method: string, params?: {[name: string]: unknown}): Promise<any>

  /** Follows a list, until `stop()`. */
  follow(list: string, options?: FollowOptions): Following

  /** Closes the connection for good. */
  close(): void

  addEventListener(type: "state", listener: (event: Event) => void, options?: boolean | AddEventListenerOptions): void
  /** A notification of another kind than those of followed lists, such as `listsChanged`. */
  addEventListener(type: "notification", listener: (event: CustomEvent<Notification>) => void, options?: boolean | AddEventListenerOptions): void
}

export interface Notification {
  method: string
  params: {[name: string]: any}
  /** An error that belongs to no request, such as one about the whole connection. */
  error?: {code: number, message: string, data: {name: string}}
}

/** Returns the page's only connection to `url`, which its `<diffable-list>` elements share. The first call's options count. */
export function shared(url?: string | URL, options?: ConnectionOptions): Connection

/** The error of a request (docs/protocol-errors.md), with the members of its `data`. */
export interface RequestError extends Error {
  /** Such as `noSuchList` or `permissionDenied`; `connectionLost` if no answer has arrived. */
  name: string
  code?: number
  data?: {name: string, [name: string]: unknown}
}

export interface FollowOptions {
  /** The part of the list to follow; by default all of it. It is copied. */
  view?: View
  /** The shortest time between two updates, in milliseconds, from 1; by default 33. */
  minInterval?: number
  /** Called once for each update, after the mirror has changed. */
  onUpdate?: (update: Update) => void
  /**
   * Called when there is no list to show: it does not exist (`noSuchList`), was deleted (`listDeleted`), or cannot be read.
   * The mirror keeps the last state. If the list can be read again, a `reset` arrives in `onUpdate`.
   */
  onEnd?: (error: {name: string, message: string}) => void
}

export interface Following {
  readonly list: string
  /** The local copy. It is always the same object. */
  readonly mirror: Mirror
  /**
   * The view that the mirror shows. A deleted anchor of its window is replaced here as well, and the `offset` of a window
   * with `keep` is the one that it has reached.
   */
  readonly view: View
  /** Rows before the window. */
  readonly offset: number
  /** Rows inside and outside of the window; without a window, the number of items. */
  readonly total: number
  /** The revision of the mirror; undefined before the first update. */
  readonly revision?: number
  readonly epoch?: string
  /** True if the mirror is up to date, false if its source cannot be reached, undefined without a connection or a list. */
  readonly live: boolean | undefined
  /** Since when the source cannot be reached, in milliseconds since 1970, if the daemon knows. */
  readonly time?: number
  /** What this connection can do with the list. */
  readonly may?: ("see" | "ask" | "change")[]
  /** The kinds of request that the list's handler takes, and the actions if only some; undefined if they have not changed. */
  readonly handles?: ("perform" | "propose" | "expand")[]
  readonly actions?: string[] | null
  /** Rows of the items in `window.pins`; null for an item that is not in the view. */
  readonly pins: ReadonlyMap<string, number | null>
  /** Numbers of rows by section, with `window.allSections`. */
  readonly rows: ReadonlyMap<string, number>
  /** What `onEnd` was called with, until the next update. */
  readonly error?: {name: string, message: string}

  /**
   * Shows another view, and returns when it is shown. If it is refused, the old view stays. If a newer view was set in the
   * meantime, the promise is kept or rejected with that one.
   */
  setView(view: View): Promise<void>
  stop(): void
}

/** One update, as `performBatchUpdates` takes it. All sets have ids. */
export interface Update {
  /** Why everything is new, such as `initial` or `history`; undefined if the mirror has changed step by step. */
  reason?: string
  /** Whether this update shows another view. */
  isView: boolean
  /** Items that are new in the view. Items below them are named too. */
  inserted: Set<string>
  /** Items that have left the view, and all items below them. */
  deleted: Set<string>
  /** Items that moved among the others. Items below them move along and are not named. */
  moved: Set<string>
  /** Items with another kind or content, or to be drawn again. With a `reason`: all items that were there before. */
  changed: Set<string>
  /** Sections that are new, deleted, moved or changed. */
  sections: Set<string>
  /** Whether the list's own content has changed. */
  list: boolean
}

/** A local copy of a list. Its sections and items are updated in place. */
export interface Mirror {
  readonly content: JSONValue | undefined
  readonly sections: readonly Section[]
  /** All items at all depths by id, in no order. */
  readonly items: ReadonlyMap<string, Item>
  /** Returns the JSON of the daemon's `snapshot`. */
  snapshot(): Snapshot
}

export interface Section {
  readonly id: string
  readonly content: JSONValue | undefined
  readonly items: readonly Item[]
}

export interface Item {
  readonly id: string
  readonly kind: string | undefined
  readonly content: any
  readonly expanded: true | undefined
  /** Whether the view leaves out the item's children (`folded` in the view). */
  readonly folded: true | undefined
  readonly children: readonly Item[]
  /** The item above, or the section. */
  readonly parent: Item | Section
}

export interface Snapshot {
  content?: JSONValue
  sections: SnapshotSection[]
}

export interface SnapshotSection {
  id: string
  content?: JSONValue
  items?: SnapshotItem[]
}

export interface SnapshotItem {
  id: string
  kind?: string
  content?: JSONValue
  expanded?: true
  folded?: true
  children?: SnapshotItem[]
}

/** A part of a list (docs/protocol-views.md). */
export interface View {
  sections?: string[]
  where?: Condition
  search?: string | {words: string, in: unknown[], kinds?: unknown[]}
  sort?: (string | {path: string, descending?: boolean, numeric?: boolean})[]
  expansion?: "all" | "shared" | "own"
  expanded?: string[]
  toggled?: string[]
  folded?: boolean
  window?: Window
}

export interface Window {
  limit: number
  offset?: number
  anchor?: string
  before?: number
  keep?: string[]
  pins?: string[]
  allSections?: boolean
}

export type Condition =
  | {and: Condition[]}
  | {or: Condition[]}
  | {not: Condition}
  | {
      path: string
      equals?: JSONValue
      lessThan?: number | string
      atMost?: number | string
      greaterThan?: number | string
      atLeast?: number | string
      contains?: string | number | boolean | null
      prefix?: string
      exists?: boolean
    }
