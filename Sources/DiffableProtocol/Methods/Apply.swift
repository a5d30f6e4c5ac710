import Diffable
import DiffableJSON

extension Request {
    package struct Apply: Sendable {
        package var list: ListName
        package var contents: Target
        /// `"usingReloadData":true` is `.reload`.
        package var delivery: Delivery
        package var ifRevision: Int?
        package var requestKey: RequestKey?
        package var lease: LeaseTerm?
        package var mode: TransactionMode
        package var part: Part

        package init(
            list: ListName, contents: Target, delivery: Delivery = .difference, ifRevision: Int? = nil,
            requestKey: RequestKey? = nil, lease: LeaseTerm? = nil, mode: TransactionMode = .commit,
            part: Part = .whole
        ) {
            self.list = list
            self.contents = contents
            self.delivery = delivery
            self.ifRevision = ifRevision
            self.requestKey = requestKey
            self.lease = lease
            self.mode = mode
            self.part = part
        }
    }
}

extension Request.Apply: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var contents = ApplyContents()
        var delivery = Delivery.difference
        var ifRevision: Int?
        var requestKey: RequestKey?
        var lease: LeaseTerm?
        var (dryRun, more): (Bool?, Bool?)
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .snapshot: contents.snapshot = try decoder.applySnapshot()
            case .operations: contents.operations = try decoder.operations()
            case .section: contents.section = try decoder.identifier("section")
            case .usingReloadData: delivery = try decoder.boolean("usingReloadData") ? .reload : .difference
            case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
            case .requestKey: requestKey = try decoder.identifier("requestKey")
            case .lease: lease = try decoder.leaseTerm()
            case .dryRun: dryRun = try decoder.boolean("dryRun")
            case .more: more = try decoder.boolean("more")
            }
        }
        try LeaseTerm.check(lease, excludes: requestKey)
        let part = Request.Part(more: more)
        return .apply(
            Self(
                list: try needed(list, .list), contents: try contents.target(part), delivery: delivery,
                ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: TransactionMode(dryRun: dryRun),
                part: part))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        switch contents {
        case .whole(let list):
            writer.appendParameterName("snapshot")
            writer.appendSnapshot(list, expansion: .asSaid)
        case .section(let section, let items):
            writer.appendParameter("section", section)
            writer.appendParameterName("snapshot")
            writer.appendItems(items, expansion: .asSaid)
        case .operations(let operations, let section):
            if let section { writer.appendParameter("section", section) }
            writer.appendParameter("operations", operations: operations, expansion: .asSaid)
        }
        if delivery == .reload { writer.appendParameter("usingReloadData", true) }
        writer.appendChangeOptions(
            ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: mode, part: part)
    }
}

private struct ApplyContents {
    var snapshot: Snapshot?
    var operations: [ListOperation]?
    var section: SectionID?

    enum Snapshot {
        case whole(WholeList)
        case items([Item])
    }

    func target(_ part: Request.Part) throws(DecodingError) -> Target {
        switch (snapshot, operations) {
        case (nil, let operations?): return .operations(operations, section: section)
        case (let snapshot?, nil):
            if part != .whole { throw .invalidRequest("an apply in parts needs operations instead of snapshot") }
            switch (snapshot, section) {
            case (.whole(let list), nil): return .whole(list)
            case (.items(let items), let section?): return .section(section, items)
            case (.whole, _):
                throw .invalidRequest("with section, snapshot must be an array of that section's items")
            case (.items, nil):
                throw .invalidRequest("snapshot must be {\"sections\":[...]}; for an array of items, add section")
            }
        case (nil, nil): throw .invalidRequest("apply needs snapshot (or operations, to send it in parts)")
        case (_?, _?): throw .invalidRequest("apply takes snapshot or operations, not both")
        }
    }
}

extension Decoder {
    fileprivate mutating func applySnapshot() throws(DecodingError) -> ApplyContents.Snapshot {
        if scanner.peek() == UInt8(ascii: "[") { return .items(try items()) }
        guard scanner.peek() == UInt8(ascii: "{") else {
            throw unexpected("snapshot", "{\"sections\":[...]}, or an array of items with section")
        }
        return .whole(try snapshot())
    }
}
