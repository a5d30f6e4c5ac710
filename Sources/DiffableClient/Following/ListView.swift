import Diffable
import DiffableJSON
import DiffableProtocol

/// What a follower sees of a list: filter, order, expansion and window. What enters or leaves a view is inserted or
/// deleted; index paths are those of the view.
///
///     let due = try ListView(where: "/done" == false && "/due" < 5, sort: ["/due"])
///     for try await update in client.list("tasks", as: Todo.self, options: ListOptions(view: due)) { … }
public struct ListView: Sendable {
    let view: View

    /// A view as it is written on the wire.
    ///
    /// - Parameter json: as `docs/protocol.md` has it. What is wrong with it is thrown as the daemon would say it.
    public init(json: String) throws(ClientError) { try self.init(bytes: Array(json.utf8)) }

    /// What is `nil` or empty leaves nothing out. Each part leaves less of what the one before it has left: first what
    /// matches is found, at all depths, with whatever it stands under; then some of it is folded; then rows are counted.
    ///
    /// - Parameters:
    ///   - sections: these sections, with or without items.
    ///   - condition: the items that meet it.
    ///   - search: the items with each of these words in some string of their content, in upper or lower case.
    ///   - sort: how siblings are sorted, the first one first.
    ///   - expansion: whose children are seen.
    ///   - window: some neighbouring rows of all that.
    /// - Throws: what is wrong with it as the daemon would say it, such as a path that is none. What is more than the daemon's
    ///   limits allow (`viewTermsMax` and its like) it refuses itself.
    public init(
        sections: [SectionID]? = nil, where condition: ListCondition? = nil, search: String? = nil, sort: [Order] = [],
        expansion: Expansion = .all, window: Window? = nil
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
    /// As it is written on the wire: `{"where":{"path":"/done","equals":false}}`; `{}` shows everything.
    public var description: String { view.json.isEmpty ? "{}" : String(decoding: view.json, as: UTF8.self) }
}

extension ListView {
    /// How siblings are sorted: by what stands at a path, from the smallest to the largest when nothing else is said.
    public struct Order: Hashable, Sendable, ExpressibleByStringLiteral {
        private var path: ContentPointer
        private var isDescending = false
        private var isNumeric = false

        /// By what stands at a path, from the smallest to the largest.
        public init(_ path: ContentPointer) { self.path = path }

        /// The same as `init(_:)`, for a path that stands in the program.
        public init(stringLiteral path: String) { self.init(ContentPointer(path)) }

        /// By what stands at a path, from the largest to the smallest.
        public static func descending(_ path: ContentPointer) -> Order {
            var order = Order(path)
            order.isDescending = true
            return order
        }

        /// The same, but strings that read as numbers count as numbers.
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

    /// Whose children are seen.
    public enum Expansion: Hashable, Sendable {
        /// Also those of what is collapsed.
        case all
        /// Those of what is expanded in the list, for everybody.
        case shared
        /// Those of these items, for this view alone.
        case own(Set<ItemID>)
    }

    /// Some neighbouring rows. A row is an item at any depth, and comes before its children.
    public enum Window: Hashable, Sendable {
        /// From so many rows after the first one on, at most so many.
        case offset(Int, limit: Int)
        /// From this item on, wherever it goes.
        case anchor(ItemID, limit: Int)

        fileprivate func write(to json: inout ByteWriter) {
            var object = ObjectWriter()
            switch self {
            case .offset(let offset, let limit):
                object.append("offset") { $0.append(offset) }
                object.append("limit") { $0.append(limit) }
            case .anchor(let item, let limit):
                object.append("anchor") { $0.appendString(item) }
                object.append("limit") { $0.append(limit) }
            }
            json.append(object.finished())
        }
    }
}

/// An object in the making.
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
