import Diffable
import DiffableJSON

private enum MessageMember: UInt8, MemberName {
    case id, method, params, result, error

    /// A reply may have a null id, and its result may be any value.
    var takesNull: Bool { self == .id || self == .result }

    static func named(_ name: JSONString) -> MessageMember? {
        switch name {
        case "id": .id
        case "method": .method
        case "params": .params
        case "result": .result
        case "error": .error
        default: nil
        }
    }
}

private enum NotificationMember: UInt8, MemberName {
    case subscription, list, epoch, from, revision, reason, operations, more
    case snapshot, patch
    case offset, total, anchor, pins, rows, message
    case handler, request, kind, action, items, section, arguments, summary, item
    case live, time
    case may, handles, actions
    case listed, unlisted

    /// No actions are named any more.
    var takesNull: Bool { self == .actions }

    static func named(_ name: JSONString) -> NotificationMember? {
        switch name {
        case "subscription": .subscription
        case "live": .live
        case "time": .time
        case "may": .may
        case "listed": .listed
        case "unlisted": .unlisted
        case "handles": .handles
        case "actions": .actions
        case "list": .list
        case "epoch": .epoch
        case "from": .from
        case "revision": .revision
        case "reason": .reason
        case "operations": .operations
        case "more": .more
        case "snapshot": .snapshot
        case "patch": .patch
        case "offset": .offset
        case "total": .total
        case "anchor": .anchor
        case "pins": .pins
        case "rows": .rows
        case "message": .message
        case "handler": .handler
        case "request": .request
        case "kind": .kind
        case "action": .action
        case "items": .items
        case "section": .section
        case "arguments": .arguments
        case "summary": .summary
        case "item": .item
        default: nil
        }
    }
}

extension Message {
    /// O(length), one pass. A client's limits skip unknown members.
    package init(line: UnsafeRawBufferPointer, limits: DecodingLimits = .client) throws(DecodingError) {
        var decoder = Decoder(line, limits: limits)
        var id = RequestID.null
        var method: String?
        var parts = Result<NotificationParts, DecodingError>.success(NotificationParts())
        var result: [UInt8]?
        var failure: WireError?
        try decoder.object("a message", MessageMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .id: id = try decoder.requestID()
            case .method: method = try decoder.string("method").text
            case .params: parts = try decoder.parameters()
            case .result:
                let value = try decoder.scan { scanner throws(JSONError) in try scanner.value() }
                result = [UInt8](value.bytes)
            case .error: failure = try decoder.wireError()
            }
        }
        try decoder.end()
        if let method {
            self = try Message(method, parts)
        } else if let failure {
            self = .failure(id: id, failure)
        } else if let result {
            self = .result(id: id, result)
        } else {
            throw .invalid("a message must have method, result or error", at: 0)
        }
    }
}

extension Message {
    /// Ignores mistakes in the parameters of an unknown method.
    fileprivate init(
        _ method: String, _ parts: Result<NotificationParts, DecodingError>
    ) throws(DecodingError) {
        if case .failure = parts, !NotificationParts.methods.contains(method) {
            self = .other(method: method)
        } else {
            self = try parts.get().message(method)
        }
    }
}

private struct NotificationParts {
    var subscription: Int?
    var list: ListName?
    var epoch: String?
    var from: Int?
    var revision: Int?
    var reason: String?
    var operations: [ListOperation]?
    var part = Request.Part.last
    var snapshot: WholeList?
    var patch: [UInt8]?
    var offset: Int?
    var total: Int?
    var anchor: ItemID?
    var pins: [Window.Pin] = []
    var rows: [Window.SectionRows] = []
    var message: String?
    var handler: Int?
    var request: Int?
    var kind: HandlerRequestKind?
    var content = HandlerRequestParts()
    var isLive: Bool?
    var time: Int?
    var news = CapabilitiesChange()
    var listed: [Reply.ListSummary]?
    var unlisted: [ListName]?
    var extent: Window.Extent? {
        guard let offset, let total else { return nil }
        var extent = Window.Extent(offset: offset, total: total)
        (extent.anchor, extent.pins, extent.rows) = (anchor, pins, rows)
        return extent
    }

    static let methods: Set = [
        "reset", "changes", "snapshot", "patch", "bookmark", "listsChanged", "listDeleted", "subscriptionEnded",
        "request", "requestCancelled", "handlerEnded",
    ]

    func message(_ method: String) throws(DecodingError) -> Message {
        switch method {
        case "reset":
            return .reset(
                Message.Reset(
                    subscription: try needed(subscription, "subscription"), list: try needed(list, "list"),
                    epoch: try needed(epoch, "epoch"), revision: try needed(revision, "revision"),
                    reason: try needed(reason, "reason"), operations: try needed(operations, "operations"), part: part,
                    extent: extent))
        case "changes":
            return .changes(
                Message.Changes(
                    subscription: try needed(subscription, "subscription"), list: try needed(list, "list"),
                    from: try needed(from, "from"), revision: try needed(revision, "revision"),
                    operations: try needed(operations, "operations"), part: part,
                    extent: extent))
        case "snapshot":
            return .snapshot(
                Message.Snapshot(
                    subscription: try needed(subscription, "subscription"), list: try needed(list, "list"),
                    epoch: try needed(epoch, "epoch"), revision: try needed(revision, "revision"), reason: reason,
                    snapshot: try needed(snapshot, "snapshot")))
        case "patch":
            return .patch(
                Message.Patch(
                    subscription: try needed(subscription, "subscription"), list: try needed(list, "list"),
                    from: try needed(from, "from"), revision: try needed(revision, "revision"),
                    patch: try needed(patch, "patch")))
        case "bookmark":
            return .bookmark(
                Message.Bookmark(
                    subscription: try needed(subscription, "subscription"), list: try needed(list, "list"),
                    epoch: epoch, revision: revision,
                    liveness: isLive.map { Liveness(isLive: $0, time: time) }, news: news))
        case "listsChanged":
            return .listsChanged(
                subscription: try needed(subscription, "subscription"), listed: try needed(listed, "listed"),
                unlisted: try needed(unlisted, "unlisted"))
        case "listDeleted":
            return .listDeleted(
                subscription: try needed(subscription, "subscription"), list: try needed(list, "list"))
        case "subscriptionEnded":
            return .subscriptionEnded(
                subscription: try needed(subscription, "subscription"), list: try needed(list, "list"),
                reason: try needed(reason, "reason"), message: try needed(message, "message"))
        case "request":
            // A kind that only a newer daemon knows cannot be one that this client registered for.
            guard let content = try content.content(kind, operations) else { return .other(method: method) }
            return .request(
                HandlerRequest(
                    handler: try needed(handler, "handler"), request: try needed(request, "request"),
                    list: try needed(list, "list"), content: content, revision: revision,
                    from: try needed(self.content.from, "from")))
        case "requestCancelled":
            return .requestCancelled(
                handler: try needed(handler, "handler"), request: try needed(request, "request"),
                list: try needed(list, "list"), reason: try needed(reason, "reason"))
        case "handlerEnded":
            return .handlerEnded(
                handler: try needed(handler, "handler"), list: try needed(list, "list"),
                reason: try needed(reason, "reason"))
        default: return .other(method: method)
        }
    }

    private func needed<Value>(_ value: Value?, _ name: String) throws(DecodingError) -> Value {
        guard let value else { throw .invalid("the notification lacks \(name)", at: 0) }
        return value
    }
}

private struct HandlerRequestParts {
    var action: ActionName?
    var items: [ItemID]?
    var section: SectionID?
    var arguments: [UInt8]?
    var summary: DifferenceSummary?
    var item: ItemID?
    var from: ClientIdentity?

    /// Nil for an unknown kind.
    func content(
        _ kind: HandlerRequestKind?, _ operations: [ListOperation]?
    ) throws(DecodingError) -> HandlerRequest.Content? {
        switch kind {
        case .perform?:
            guard let action else { throw .invalid("the notification lacks action", at: 0) }
            let target = items.map(ActionTarget.items) ?? section.map(ActionTarget.section) ?? .list
            return .perform(action, target, arguments: arguments)
        case .propose?:
            guard let operations else { throw .invalid("the notification lacks operations", at: 0) }
            return .propose(operations, summary)
        case .expand?:
            guard let item else { throw .invalid("the notification lacks item", at: 0) }
            return .expand(item)
        case nil: return nil
        }
    }
}

extension Decoder {
    /// The method may follow its parameters. So an error in them is returned instead of thrown, and they are skipped: the
    /// parameters of an unknown method may be anything.
    fileprivate mutating func parameters() throws(DecodingError) -> Result<NotificationParts, DecodingError> {
        var ahead = self
        do throws(DecodingError) {
            let parts = try ahead.notification()
            self = ahead
            return .success(parts)
        } catch {
            try scan { scanner throws(JSONError) in try scanner.skipValue() }
            return .failure(error)
        }
    }

    fileprivate mutating func notification() throws(DecodingError) -> NotificationParts {
        var parts = NotificationParts()
        try object("params", NotificationMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .subscription: parts.subscription = try decoder.wholeNumber("subscription")
            case .list: parts.list = try decoder.identifier("list")
            case .epoch: parts.epoch = try decoder.string("epoch").text
            case .from:
                // A revision, or the caller of a `request`.
                if decoder.scanner.peek() == UInt8(ascii: "{") {
                    parts.content.from = try decoder.clientIdentity("from")
                } else {
                    parts.from = try decoder.wholeNumber("from")
                }
            case .revision: parts.revision = try decoder.wholeNumber("revision")
            case .reason: parts.reason = try decoder.string("reason").text
            case .operations: parts.operations = try decoder.operations()
            case .offset: parts.offset = try decoder.wholeNumber("offset")
            case .message: parts.message = try decoder.string("message").text
            case .total: parts.total = try decoder.wholeNumber("total")
            case .anchor: parts.anchor = try decoder.identifier("anchor")
            case .pins:
                parts.pins = try decoder.numbers("pins") { Window.Pin(item: $0, row: $1) }
            case .rows:
                parts.rows = try decoder.numbers("rows") { Window.SectionRows(section: $0, count: $1 ?? 0) }
            case .more: parts.part = try decoder.boolean("more") ? .more : .last
            case .snapshot: parts.snapshot = try decoder.snapshot()
            case .patch:
                let value = try decoder.scan { scanner throws(JSONError) in try scanner.value() }
                parts.patch = [UInt8](value.bytes)
            case .handler: parts.handler = try decoder.wholeNumber("handler")
            case .request: parts.request = try decoder.wholeNumber("request")
            case .kind: parts.kind = try decoder.handledKind()
            case .action: parts.content.action = try decoder.identifier("action")
            case .items: parts.content.items = try decoder.itemIDs()
            case .section: parts.content.section = try decoder.identifier("section")
            case .arguments: parts.content.arguments = try decoder.arguments()
            case .summary: parts.content.summary = try decoder.summary()
            case .live: parts.isLive = try decoder.boolean("live")
            case .time: parts.time = try decoder.wholeNumber("time")
            case .may: parts.news.may = try decoder.may()
            case .listed: parts.listed = try decoder.listSummaries("listed")
            case .unlisted:
                parts.unlisted = try decoder.elements("unlisted") { decoder throws(DecodingError) in
                    try decoder.identifier("a list")
                }
            case .handles: parts.news.handles = try decoder.handledKinds("handles")
            case .actions: parts.news.actions = .some(try decoder.readNull() ? nil : try decoder.actionNames())
            case .item: parts.content.item = try decoder.identifier("item")
            }
        }
        return parts
    }
}

extension Decoder {
    /// `{"milk":7,"bread":null}`
    fileprivate mutating func numbers<Named, Element>(
        _ what: StaticString, _ element: (Identifier<Named>, Int?) -> Element
    ) throws(DecodingError) -> [Element] {
        var elements: [Element] = []
        var object = try beginObject("\(what)")
        while let name = try nextName(of: &object) {
            let id: Identifier<Named>
            do throws(IdentifierError) {
                id = try name.withUTF8 { utf8 throws(IdentifierError) in
                    try Identifier<Named>(validating: utf8, lengthMax: limits.idLengthMax)
                }
            } catch {
                throw .invalid("\(what): \(error)", at: name.offset)
            }
            elements.append(element(id, try readNull() ? nil : try wholeNumber(what)))
        }
        return elements
    }
}
