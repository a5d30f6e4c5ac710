import Diffable
import DiffableJSON

/// A request's parameters, read in whatever order they came, until it is whole.
///
/// Never copied: they are many, and nearly all of them are empty.
struct RequestParts: ~Copyable {
    var list: ListName?
    var name: String?
    var lineLengthMax: Int?
    var durability: Request.Durability?
    var ifAbsent: IfAbsent?
    var operations: [Operation]?
    var snapshot: Snapshot?
    var section: SectionID?
    var usingReloadData: Bool?
    var ifRevision: Int?
    var requestKey: RequestKey?
    var lease: Request.Lease?
    var dryRun: Bool?
    var more: Bool?
    var once: Bool?
    var subscription: Int?
    var since: Request.Subscribe.Since?
    var at: Int?
    var from: Int?
    var to: Int?
    var limit: Int?
    var view: View?
    var form: Request.Subscribe.Form?
    var minInterval: Int?
    var bookmark: Int?
    var replace: Bool?
    var mode: AccessMode?
    var owner: UInt32?
    var group: UInt32?

    /// It means one thing to `createList` and another to `subscribe`.
    enum IfAbsent {
        case boolean(Bool, at: Int)
        case wait(at: Int)
    }

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
        case .ifAbsent: ifAbsent = try decoder.ifAbsent()
        case .section: section = try decoder.identifier("section")
        case .usingReloadData: usingReloadData = try decoder.boolean("usingReloadData")
        case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
        case .requestKey: requestKey = try decoder.identifier("requestKey")
        case .lease: lease = try decoder.lease()
        case .dryRun: dryRun = try decoder.boolean("dryRun")
        case .more: more = try decoder.boolean("more")
        case .replace: replace = try decoder.boolean("replace")
        case .once: once = try decoder.boolean("once")
        case .subscription: subscription = try decoder.wholeNumber("subscription")
        case .since: since = try decoder.since()
        case .at: at = try decoder.wholeNumber("at")
        case .from: from = try decoder.wholeNumber("from")
        case .to: to = try decoder.wholeNumber("to")
        case .limit: limit = try decoder.wholeNumber("limit")
        case .view: view = try decoder.view()
        case .deliver: form = try decoder.form()
        case .minInterval:
            minInterval = try decoder.milliseconds("minInterval", in: Request.Subscribe.minIntervalRange)
        case .bookmark: bookmark = try decoder.milliseconds("bookmark", in: Request.Subscribe.bookmarkRange)
        case .mode: mode = try decoder.accessMode()
        case .owner: owner = try decoder.userOrGroup("owner")
        case .group: group = try decoder.userOrGroup("group")
        case .operations, .snapshot: break
        }
    }

    // MARK: - The whole request

    func request(_ method: Method, at offset: Int) throws(DecodingError) -> Request {
        func needed<Value>(_ value: Value?, _ parameter: Parameter) throws(DecodingError) -> Value {
            guard let value else { throw .invalid("\(method.rawValue) needs \(parameter.name)", at: offset) }
            return value
        }
        if lease != nil, requestKey != nil {
            throw .invalid(
                "lease and requestKey exclude each other: what is leased goes with the connection, so on a new one it is "
                    + "put there anew", at: offset)
        }
        switch method {
        case .hello: return .hello(Request.Hello(name: name, lineLengthMax: lineLengthMax))
        case .ping: return .ping
        case .help: return .help
        case .status: return .status
        case .clients: return .clients
        case .reload: return .reload
        case .lists: return .lists
        case .createList:
            return .createList(
                Request.CreateList(
                    list: try needed(list, .list), durability: durability ?? .durable,
                    ifPresent: try ifPresent(), lease: lease, mode: mode))
        case .deleteList: return .deleteList(try needed(list, .list))
        case .snapshot:
            return .snapshot(Request.Snapshot(list: try needed(list, .list), revision: at, view: view ?? View()))
        case .transact:
            return .transact(
                Request.Transact(
                    list: try needed(list, .list), operations: try needed(operations, .operations),
                    ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: transactionMode, part: part))
        case .apply:
            return .apply(
                Request.Apply(
                    list: try needed(list, .list), contents: try contents(at: offset),
                    delivery: usingReloadData == true ? .reload : .difference, ifRevision: ifRevision,
                    requestKey: requestKey, lease: lease, mode: transactionMode, part: part))
        case .subscribe:
            return .subscribe(
                Request.Subscribe(
                    list: try needed(list, .list), since: since, view: view ?? View(), form: form ?? .operations,
                    minInterval: minInterval, bookmark: bookmark, ifAbsent: try ifAbsentOfSubscribe(),
                    duration: once == true ? .once : .lasting))
        case .setView:
            return .setView(try needed(view, .view), subscription: try needed(subscription, .subscription))
        case .history: return .history(try needed(list, .list), limit: limit)
        case .difference:
            return .difference(try needed(list, .list), from: try needed(from, .from), to: try needed(to, .to))
        case .undo:
            return .undo(
                Request.Undo(
                    list: try needed(list, .list), revision: to, ifRevision: ifRevision, requestKey: requestKey,
                    mode: transactionMode))
        case .backup: return .backup
        case .restore:
            switch part {
            case .more:
                let access = Request.SetAccess(
                    list: try needed(list, .list), mode: mode, owner: owner, group: group)
                return .restore(.part(access, try needed(operations, .operations)))
            case .last where list == nil && operations == nil: return .restore(.end(replacing: replace == true))
            case .last, .whole:
                throw .invalid(
                    "restore takes lists in parts, each with \"more\":true, and at last \"more\":false without a list",
                    at: offset)
            }
        case .setAccess:
            let list = try needed(list, .list)
            guard mode != nil || owner != nil || group != nil else {
                throw .invalid("setAccess needs mode, owner or group", at: offset)
            }
            return .setAccess(Request.SetAccess(list: list, mode: mode, owner: owner, group: group))
        case .unsubscribe: return .unsubscribe(subscription: try needed(subscription, .subscription))
        }
    }

    private var transactionMode: Request.Mode { dryRun == true ? .dryRun : .commit }
    private var part: Request.Part { more.map { $0 ? .more : .last } ?? .whole }

    private func ifPresent() throws(DecodingError) -> Request.IfPresent {
        switch ifAbsent {
        case .boolean(let isKept, _)?: return isKept ? .isKept : .isError
        case .wait(let offset)?: throw .invalid("ifAbsent is true or false", at: offset).inside("ifAbsent")
        case nil: return .isError
        }
    }

    private func ifAbsentOfSubscribe() throws(DecodingError) -> Request.Subscribe.IfAbsent {
        switch ifAbsent {
        case .wait?: return .isAwaited
        case .boolean(_, let offset)?:
            throw .invalid("ifAbsent is \"wait\", or left out", at: offset).inside("ifAbsent")
        case nil: return .isError
        }
    }

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

    /// `{"epoch":"k3v9","revision":7}`
    fileprivate mutating func since() throws(DecodingError) -> Request.Subscribe.Since {
        _ = scanner.peek()
        let start = scanner.offset
        var epoch: String?
        var revision: Int?
        try object("since", SinceMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .epoch: epoch = try decoder.epoch()
            case .revision: revision = try decoder.wholeNumber("revision")
            }
        }
        guard let epoch, let revision else {
            throw .invalid("since needs the epoch and the revision of the last line that was read", at: start)
        }
        return Request.Subscribe.Since(epoch: epoch, revision: revision)
    }

    /// `true`, `false` or `"wait"`; which of them it may be depends on the method.
    fileprivate mutating func ifAbsent() throws(DecodingError) -> RequestParts.IfAbsent {
        guard scanner.peek() == UInt8(ascii: "\"") else {
            let offset = scanner.offset
            return .boolean(try boolean("ifAbsent"), at: offset)
        }
        let string = try string("ifAbsent")
        guard "wait" ~= string else {
            throw .invalid("ifAbsent is \"wait\", or true or false, not \"\(string.text.shown)\"", at: string.offset)
        }
        return .wait(at: string.offset)
    }

    fileprivate mutating func form() throws(DecodingError) -> Request.Subscribe.Form {
        let string = try string("deliver")
        switch string {
        case "operations": return .operations
        case "snapshots": return .snapshots
        case "patches": return .patches
        default:
            throw .invalid(
                "deliver is \"operations\", \"snapshots\" or \"patches\", not \"\(string.text.shown)\"",
                at: string.offset)
        }
    }

    fileprivate mutating func milliseconds(
        _ what: StaticString, in range: ClosedRange<Int>
    ) throws(DecodingError) -> Int {
        _ = scanner.peek()
        let start = scanner.offset
        let number = try wholeNumber(what)
        guard range.contains(number) else {
            throw .invalid(
                "\(what) is \(range.lowerBound) to \(range.upperBound) milliseconds, not \(number)", at: start)
        }
        return number
    }

    fileprivate mutating func lease() throws(DecodingError) -> Request.Lease {
        let string = try string("lease")
        guard let lease = Request.Lease(rawValue: string.text) else {
            throw .invalid("lease is \"connection\" or left out, not \"\(string.text.shown)\"", at: string.offset)
        }
        return lease
    }

    private mutating func epoch() throws(DecodingError) -> String {
        let string = try string("epoch")
        guard string.bytes.count <= epochLengthMax else {
            throw .invalid("epoch is longer than \(epochLengthMax) bytes", at: string.offset)
        }
        return string.text
    }

    fileprivate mutating func durability() throws(DecodingError) -> Request.Durability {
        let string = try string("durability")
        switch string {
        case "durable": return .durable
        case "volatile": return .volatile
        default:
            throw .invalid("durability is \"durable\" or \"volatile\", not \"\(string.text.shown)\"", at: string.offset)
        }
    }

    /// `"0640"`: a number would be taken for one of base 10.
    fileprivate mutating func accessMode() throws(DecodingError) -> AccessMode {
        guard scanner.peek() == UInt8(ascii: "\"") else {
            throw unexpected("mode", "a string of octal digits such as \"0640\"")
        }
        let string = try string("mode")
        do throws(AccessModeError) { return try AccessMode(octal: string.text) } catch {
            throw .invalid("\(error)", at: string.offset)
        }
    }

    fileprivate mutating func userOrGroup(_ what: StaticString) throws(DecodingError) -> UInt32 {
        _ = scanner.peek()
        let start = scanner.offset
        // The greatest number means "none" to the system.
        guard let number = UInt32(exactly: try wholeNumber(what)), number < .max else {
            throw .invalid("\(what) is a number below \(UInt32.max)", at: start)
        }
        return number
    }

    /// A name is shown to people, so it keeps the rules of identifiers.
    fileprivate mutating func clientName() throws(DecodingError) -> String {
        let name: ListName = try identifier("name")
        return name.description
    }
}

/// In bytes, with escapes; the daemon's own are far shorter.
private let epochLengthMax = 255

private enum SinceMember: UInt8, MemberName {
    case epoch, revision

    static func named(_ name: JSONString) -> SinceMember? {
        switch name {
        case "epoch": .epoch
        case "revision": .revision
        default: nil
        }
    }
}
