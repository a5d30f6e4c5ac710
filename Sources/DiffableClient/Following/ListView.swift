import Diffable
import DiffableJSON
import DiffableProtocol

/// The part of a list that a follower sees: filter, order, expansion and window. Items that enter or leave a view are inserted
/// or deleted; index paths are the view's.
///
///     let due = try ListView(where: "/done" == false && "/due" < 5, sort: ["/due"])
///     for try await update in client.list("tasks", as: Todo.self, options: ListOptions(view: due)) { … }
public struct ListView: Sendable {
    let view: View

    /// A view from the protocol's JSON.
    ///
    /// - Parameter json: a view in the form of `docs/protocol-views.md`. An invalid view throws an error with the daemon's text.
    public init(json: String) throws(ClientError) { try self.init(bytes: Array(json.utf8)) }

    /// Makes a view. A parameter that is `nil` or empty leaves nothing out. The parameters apply one after the other: first the
    /// matching items at all depths, with their ancestors; then the folding; then the window.
    ///
    /// - Parameters:
    ///   - sections: these sections, with or without items.
    ///   - condition: the items that match it.
    ///   - search: the items with each of these words in some string of their content, in upper or lower case.
    ///   - sort: the order of siblings, the most significant key first.
    ///   - expansion: the items whose children are shown.
    ///   - folded: whether items are marked whose children the expansion leaves out (`Snapshot.isFolded`).
    ///   - window: a range of the resulting rows.
    /// - Throws: a mistake in the view, as the daemon would report it, such as an invalid path. The daemon itself refuses a
    ///   view that exceeds its limits (such as `viewTermsMax`).
    public init(
        sections: [SectionID]? = nil, where condition: ListCondition? = nil, search: String? = nil, sort: [Order] = [],
        expansion: Expansion = .all, folded: Bool = false, window: Window? = nil
    ) throws(ClientError) {
        var json = ObjectWriter()
        if let sections { json.append("sections") { $0.appendArray(sections) { $0.appendString($1) } } }
        if let condition { json.append("where") { condition.write(to: &$0) } }
        if let search { json.append("search") { $0.appendString(search) } }
        if !sort.isEmpty { json.append("sort") { $0.appendArray(sort) { $1.write(to: &$0) } } }
        switch expansion {
        case .all: break
        case .shared: json.append("expansion") { $0.appendString("shared") }
        case .own(let expanded):
            json.append("expansion") { $0.appendString("own") }
            json.append("expanded") { $0.appendArray(expanded.sorted()) { $0.appendString($1) } }
        }
        if folded { json.append("folded") { $0.append("true") } }
        if let window { json.append("window") { window.write(to: &$0) } }
        try self.init(bytes: json.finished())
    }

    init(bytes: [UInt8]) throws(ClientError) {
        let result = bytes.withUnsafeBytes { text in
            Result { () throws(DecodingError) in try View(json: text) }
        }
        do { view = try result.get() } catch {
            throw .refused(Refusal(WireError(error, list: nil)))
        }
    }
}

extension ListView: CustomStringConvertible {
    /// The view in the protocol's JSON: `{"where":{"path":"/done","equals":false}}`; `{}` shows everything.
    public var description: String { view.json.isEmpty ? "{}" : String(decoding: view.json, as: UTF8.self) }
}

extension ListView {
    /// The order of siblings, by the value at a path. The default is ascending.
    public struct Order: Hashable, Sendable, ExpressibleByStringLiteral {
        private var path: ContentPointer
        private var isDescending = false
        private var isNumeric = false

        /// Ascending order of the values at a path.
        public init(_ path: ContentPointer) { self.path = path }

        /// The same as `init(_:)`, for a literal.
        public init(stringLiteral path: String) { self.init(ContentPointer(path)) }

        /// Descending order of the values at a path.
        public static func descending(_ path: ContentPointer) -> Order {
            var order = Order(path)
            order.isDescending = true
            return order
        }

        /// The same order, but strings that read as numbers count as numbers.
        public var numeric: Order {
            var order = self
            order.isNumeric = true
            return order
        }

        fileprivate func write(to json: inout ByteWriter) {
            var object = ObjectWriter()
            object.append("path") { $0.appendString(path.text) }
            if isDescending { object.append("descending") { $0.append("true") } }
            if isNumeric { object.append("numeric") { $0.append("true") } }
            json.append(object.finished())
        }
    }

    /// The items whose children are shown.
    public enum Expansion: Hashable, Sendable {
        /// All items, even collapsed ones.
        case all
        /// The items that are expanded in the list, for all followers.
        case shared
        /// These items, for this view only.
        case own(Set<ItemID>)
    }

    /// A range of rows. A row is an item at any depth, and precedes its children.
    public struct Window: Hashable, Sendable {
        private let window: Diffable.Window

        /// At most `limit` rows from this index on.
        ///
        /// - Parameters:
        ///   - keep: items, at most 64. The first of them that the view shows and that did not move keeps its row of the
        ///     window when rows before it are inserted or deleted.
        ///   - pins: items, at most 256, whose rows each update has, inside and outside of the window (`ListWindow.pins`).
        ///   - allSections: whether sections without a row in the window are shown too (`ListWindow.rows`).
        public static func offset(
            _ offset: Int, limit: Int, keep: [ItemID] = [], pins: [ItemID] = [], allSections: Bool = false
        ) -> Window {
            var window = Diffable.Window(start: .offset(offset), limit: limit)
            window.keep = keep
            return Window(window, pins, allSections)
        }

        /// At most `limit` rows from this item on, even if it moves. If it is deleted, the item that took its place replaces it
        /// (`ListWindow.anchor`).
        ///
        /// - Parameters:
        ///   - before: the number of rows to show before the item, less than `limit`.
        ///   - pins: as for `offset`.
        ///   - allSections: as for `offset`.
        public static func anchor(
            _ item: ItemID, before: Int = 0, limit: Int, pins: [ItemID] = [], allSections: Bool = false
        ) -> Window {
            var window = Diffable.Window(start: .anchor(item), limit: limit)
            window.before = before
            return Window(window, pins, allSections)
        }

        private init(_ window: Diffable.Window, _ pins: [ItemID], _ hasAllSections: Bool) {
            var window = window
            window.pins = pins
            window.hasAllSections = hasAllSections
            self.window = window
        }

        fileprivate func write(to json: inout ByteWriter) { window.write(into: &json) }
    }
}

private struct ObjectWriter {
    private var json = ByteWriter()

    mutating func append(_ name: StaticString, _ value: (inout ByteWriter) -> Void) {
        json.append(json.count == 0 ? "{\"" : ",\"")
        json.append(name)
        json.append("\":")
        value(&json)
    }

    consuming func finished() -> [UInt8] { json.count == 0 ? Array("{}".utf8) : json.bytes + [UInt8(ascii: "}")] }
}

extension ByteWriter {
    fileprivate mutating func appendArray<Element>(
        _ elements: [Element], _ append: (inout ByteWriter, Element) -> Void
    ) {
        self.append("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { self.append(",") }
            append(&self, element)
        }
        self.append("]")
    }
}
