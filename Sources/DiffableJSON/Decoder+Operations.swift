import Diffable

/// The values of `op` in the protocol.
enum OperationVerb: UInt8, MemberName {
    case reconfigureList, patchList
    case appendSections, insertSections, deleteSections, moveSection, reloadSections
    case appendItems, insertItems, deleteItems, deleteAllItems, moveItem
    case reconfigureItems, patchItems, reloadItems, expandItems, collapseItems, replaceChildren
    case foldItems, unfoldItems

    /// Whether only the daemon sends it.
    var isOfDaemon: Bool { self == .foldItems || self == .unfoldItems }

    var takesSections: Bool {
        switch self {
        case .appendSections, .insertSections, .deleteSections, .reloadSections: true
        default: false
        }
    }

    var allowed: MemberSet<OperationMember> { Self.allowed[Int(rawValue)] }

    /// By raw value.
    private static let allowed = allCases.map { MemberSet($0.members) }

    private var members: [OperationMember] {
        switch self {
        case .reconfigureList, .patchList: [.op, .content]
        case .appendSections, .reloadSections: [.op, .sections]
        case .insertSections: [.op, .before, .after, .sections]
        case .deleteSections: [.op, .sections, .ifPresent]
        case .moveSection: [.op, .section, .before, .after]
        case .appendItems: [.op, .section, .parent, .items]
        case .insertItems: [.op, .section, .parent, .before, .after, .items]
        case .deleteItems: [.op, .items, .ifPresent]
        case .deleteAllItems: [.op]
        case .moveItem: [.op, .item, .section, .parent, .before, .after]
        case .reconfigureItems, .patchItems, .reloadItems, .expandItems, .collapseItems, .foldItems, .unfoldItems:
            [.op, .items]
        case .replaceChildren: [.op, .parent, .items]
        }
    }

    static func named(_ name: JSONString) -> OperationVerb? {
        switch name {
        case "reconfigureList": .reconfigureList
        case "patchList": .patchList
        case "appendSections": .appendSections
        case "insertSections": .insertSections
        case "deleteSections": .deleteSections
        case "moveSection": .moveSection
        case "reloadSections": .reloadSections
        case "appendItems": .appendItems
        case "insertItems": .insertItems
        case "deleteItems": .deleteItems
        case "deleteAllItems": .deleteAllItems
        case "moveItem": .moveItem
        case "reconfigureItems": .reconfigureItems
        case "patchItems": .patchItems
        case "reloadItems": .reloadItems
        case "expandItems": .expandItems
        case "collapseItems": .collapseItems
        case "replaceChildren": .replaceChildren
        case "foldItems": .foldItems
        case "unfoldItems": .unfoldItems
        default: nil
        }
    }
}

extension OperationVerb {
    @inline(never)
    fileprivate static func unknown(_ name: JSONString) -> DecodingError {
        let names = allCases.filter { !$0.isOfDaemon }.map(\.name)
        let advice =
            nearestName(to: name.text, among: names).map { "did you mean \"\($0)\"?" }
            ?? "there are \(names.joined(separator: ", "))"
        return DecodingError.invalid("there is no operation \(name.text.quoted); \(advice)", at: name.offset)
            .inside("op")
    }
}

enum OperationMember: UInt8, MemberName {
    case op, sections, section, items, item, parent, before, after, ifPresent, content

    /// `null` means the front, the last section, and no content.
    var takesNull: Bool { self == .after || self == .section || self == .content }

    static func named(_ name: JSONString) -> OperationMember? {
        switch name {
        case "op": .op
        case "sections": .sections
        case "section": .section
        case "items": .items
        case "item": .item
        case "parent": .parent
        case "before": .before
        case "after": .after
        case "ifPresent": .ifPresent
        case "content": .content
        default: nil
        }
    }
}

extension Decoder {
    /// `[{"op":…},…]`
    package mutating func operations() throws(DecodingError) -> [ListOperation] {
        let operationsMax = limits.operationsMax
        var operations: [ListOperation] = []
        try array("operations") { index, decoder throws(DecodingError) in
            guard index < operationsMax else {
                throw DecodingError(.tooLarge(limit: "operationsMax", max: operationsMax), at: decoder.scanner.offset)
            }
            do throws(DecodingError) {
                operations.add(try decoder.operation())
            } catch {
                var error = error
                error.operation = index
                throw error
            }
        }
        return operations
    }

    package mutating func operation() throws(DecodingError) -> ListOperation {
        var object = try beginObject("an operation")
        let start = scanner.offset - 1
        let verb = try verb(of: &object, startingAt: start)
        var parts = OperationParts(idLengthMax: limits.idLengthMax)
        try members(of: &object, verb.name, verb.allowed) { member, decoder throws(DecodingError) in
            try decoder.read(member, of: verb, into: &parts)
        }
        return try parts.operation(verb, startingAt: start)
    }

    /// Finds the operation's `op`, which determines how to read the other members. It is nearly always the first member, and is
    /// consumed then; otherwise it stays unread.
    private mutating func verb(
        of object: inout OpenObject, startingAt start: Int
    ) throws(DecodingError) -> OperationVerb {
        let first = (scanner, object)
        var isFirst = true
        while let name = try nextName(of: &object) {
            guard "op" ~= name else {
                try scan { scanner throws(JSONError) in try scanner.skipValue() }
                isFirst = false
                continue
            }
            if try readNull() {
                isFirst = false
                continue
            }
            let string = try string("op")
            guard let verb = OperationVerb.named(string),
                !verb.isOfDaemon || limits.unknownMembers == .areIgnored
            else { throw OperationVerb.unknown(string) }
            if isFirst {
                try object.recordMember(OperationMember.op.rawValue, name, of: verb.name)
            } else {
                (scanner, object) = first
            }
            return verb
        }
        throw .invalid("an operation needs op, its name, such as \"appendItems\"", at: start)
    }

    private mutating func read(
        _ member: OperationMember, of verb: OperationVerb, into parts: inout OperationParts
    ) throws(DecodingError) {
        switch member {
        case .op: try scan { scanner throws(JSONError) in try scanner.skipValue() }
        case .sections: parts.sections = try sectionRun(of: verb)
        case .items: parts.items = try itemRun(of: verb)
        case .section: parts.section = .some(try readNull() ? nil : try string("section"))
        case .item: parts.item = try identifier("item")
        case .parent: parts.parent = try identifier("parent")
        case .before: parts.before = try string("before")
        case .after: parts.after = .some(try readNull() ? nil : try string("after"))
        case .ifPresent: parts.unknown = try boolean("ifPresent") ? .isPassedOver : .isError
        case .content where verb == .patchList: parts.patch = try mergePatch()
        case .content: parts.content = .some(try newContent())
        }
    }

    private mutating func sectionRun(of verb: OperationVerb) throws(DecodingError) -> SectionRun {
        switch verb {
        case .deleteSections:
            .ids(try elements("sections") { decoder throws(DecodingError) in try decoder.identifier("a section's id") })
        case .reloadSections:
            .reloads(
                try elements("sections") { decoder throws(DecodingError) in try decoder.sectionReload() })
        default: .sections(try sections())
        }
    }

    private mutating func itemRun(of verb: OperationVerb) throws(DecodingError) -> ItemRun {
        switch verb {
        case .deleteItems, .expandItems, .collapseItems, .foldItems, .unfoldItems:
            .ids(try elements("items") { decoder throws(DecodingError) in try decoder.identifier("an item's id") })
        case .reconfigureItems:
            .reconfigurations(
                try elements("items") { decoder throws(DecodingError) in try decoder.reconfiguration() })
        case .patchItems:
            .patches(try elements("items") { decoder throws(DecodingError) in try decoder.patch() })
        case .reloadItems:
            .reloads(try elements("items") { decoder throws(DecodingError) in try decoder.reload() })
        default: .items(try items())
        }
    }
}
