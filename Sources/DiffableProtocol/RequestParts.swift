import Diffable
import DiffableJSON

/// A request's parameters, read in whatever order they came, until it is whole.
struct RequestParts {
    var list: ListName?
    var name: String?
    var lineLengthMax: Int?
    var durability: Request.Durability?
    var ifAbsent: Bool?
    var operations: [Operation]?
    var snapshot: Snapshot?
    var section: SectionID?
    var usingReloadData: Bool?
    var ifRevision: Int?
    var dryRun: Bool?
    var more: Bool?
    var once: Bool?
    var subscription: Int?

    /// `snapshot` in an `apply`: which of the two is meant tells by its bracket.
    enum Snapshot {
        case sections([Section])
        case items([Item])
    }

    mutating func read(_ parameter: Parameter, from decoder: inout Decoder) throws(DecodingError) {
        switch parameter {
        case .operations: operations = try decoder.operations()
        case .snapshot: snapshot = try decoder.applySnapshot()
        // Everything else may be `null`, which is the same as leaving it out.
        default: if try !decoder.readNull() { try readValue(parameter, from: &decoder) }
        }
    }

    private mutating func readValue(_ parameter: Parameter, from decoder: inout Decoder) throws(DecodingError) {
        switch parameter {
        case .list: list = try decoder.identifier("list")
        case .name: name = try decoder.clientName()
        case .maxLine: lineLengthMax = try decoder.wholeNumber("maxLine")
        case .durability: durability = try decoder.durability()
        case .ifAbsent: ifAbsent = try decoder.boolean("ifAbsent")
        case .section: section = try decoder.identifier("section")
        case .usingReloadData: usingReloadData = try decoder.boolean("usingReloadData")
        case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
        case .dryRun: dryRun = try decoder.boolean("dryRun")
        case .more: more = try decoder.boolean("more")
        case .once: once = try decoder.boolean("once")
        case .subscription: subscription = try decoder.wholeNumber("subscription")
        case .operations, .snapshot: break
        }
    }

    // MARK: - The whole request

    func request(_ method: Method, at offset: Int) throws(DecodingError) -> Request {
        func needed<Value>(_ value: Value?, _ parameter: Parameter) throws(DecodingError) -> Value {
            guard let value else { throw .invalid("\(method.rawValue) needs \(parameter.name)", at: offset) }
            return value
        }
        switch method {
        case .hello: return .hello(Request.Hello(name: name, lineLengthMax: lineLengthMax))
        case .ping: return .ping
        case .help: return .help
        case .status: return .status
        case .lists: return .lists
        case .createList:
            return .createList(
                Request.CreateList(
                    list: try needed(list, .list), durability: durability ?? .durable,
                    ifPresent: ifAbsent == true ? .isKept : .isError))
        case .deleteList: return .deleteList(try needed(list, .list))
        case .snapshot: return .snapshot(try needed(list, .list))
        case .transact:
            return .transact(
                Request.Transact(
                    list: try needed(list, .list), operations: try needed(operations, .operations),
                    ifRevision: ifRevision, mode: mode, part: part))
        case .apply:
            return .apply(
                Request.Apply(
                    list: try needed(list, .list), contents: try contents(at: offset),
                    delivery: usingReloadData == true ? .reload : .difference, ifRevision: ifRevision, mode: mode,
                    part: part))
        case .subscribe:
            return .subscribe(
                Request.Subscribe(list: try needed(list, .list), duration: once == true ? .once : .lasting))
        case .unsubscribe: return .unsubscribe(subscription: try needed(subscription, .subscription))
        }
    }

    private var mode: Request.Mode { dryRun == true ? .dryRun : .commit }
    private var part: Request.Part { more.map { $0 ? .more : .last } ?? .whole }

    private func contents(at offset: Int) throws(DecodingError) -> Request.Contents {
        switch (snapshot, operations) {
        case (nil, let operations?): return .operations(operations, section: section)
        case (let snapshot?, nil):
            if part != .whole { throw .invalid("an apply in parts needs operations instead of snapshot", at: offset) }
            switch (snapshot, section) {
            case (.sections(let sections), nil): return .snapshot(sections)
            case (.items(let items), let section?): return .items(items, section)
            case (.sections, _):
                throw .invalid("with section, snapshot is that section's items, an array", at: offset)
            case (.items, nil):
                throw .invalid("snapshot is {\"sections\":[...]}; an array of items needs section", at: offset)
            }
        case (nil, nil): throw .invalid("apply needs snapshot (or operations, to send it in parts)", at: offset)
        case (_?, _?): throw .invalid("apply takes snapshot or operations, not both", at: offset)
        }
    }
}

extension Decoder {
    fileprivate mutating func applySnapshot() throws(DecodingError) -> RequestParts.Snapshot {
        if scanner.peek() == UInt8(ascii: "[") { return .items(try items()) }
        return .sections(try snapshot())
    }

    fileprivate mutating func durability() throws(DecodingError) -> Request.Durability {
        let string = try string("durability")
        guard let durability = Request.Durability(rawValue: string.text) else {
            throw .invalid("durability is \"durable\" or \"volatile\", not \"\(string.text.shown)\"", at: string.offset)
        }
        return durability
    }

    /// A name is shown to people, so it keeps the rules of identifiers.
    fileprivate mutating func clientName() throws(DecodingError) -> String {
        let name: ListName = try identifier("name")
        return name.description
    }
}
