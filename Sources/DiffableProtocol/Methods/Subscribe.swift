import Diffable
import DiffableJSON

extension Request {
    package struct Subscribe: Sendable {
        package var list: ListName
        /// The state that the client has; nil: none.
        package var since: Since?
        package var view: View
        package var form: Form
        /// The minimal pause between two updates in milliseconds, in `minIntervalRange`; nil: no pause.
        package var minInterval: Int?
        /// The time without a line after which a `bookmark` is sent, in milliseconds, in `bookmarkRange`; nil: never.
        package var bookmark: Int?
        /// `"ifAbsent":"wait"` is `.isAwaited`.
        package var ifAbsent: AbsentList
        package var duration: Duration
        package var freshness: Freshness

        package init(
            list: ListName, since: Since? = nil, view: View = View(), form: Form = .operations,
            minInterval: Int? = nil, bookmark: Int? = nil, ifAbsent: AbsentList = .isError,
            duration: Duration = .lasting, freshness: Freshness = .any
        ) {
            self.list = list
            self.since = since
            self.view = view
            self.form = form
            self.minInterval = minInterval
            self.bookmark = bookmark
            self.ifAbsent = ifAbsent
            self.duration = duration
            self.freshness = freshness
        }

        /// `deliver`: the form of updates.
        package enum Form: String, CaseIterable, Sendable {
            case operations
            /// The whole state each time: `snapshot`.
            case snapshots
            /// The whole state first, then JSON patches (RFC 6902) on it: `snapshot` and `patch`.
            case patches
        }

        /// The revision of the last update that was read, and the epoch in which it is valid.
        package struct Since: Sendable, Equatable {
            package var epoch: String
            package var revision: Int
            /// The view that the update showed; nil if it is the view of the request.
            package var view: View?

            package init(epoch: String, revision: Int, view: View? = nil) {
                self.epoch = epoch
                self.revision = revision
                self.view = view
            }
        }

        package enum Duration: Sendable {
            case lasting
            /// `"once":true`: only the `reset`.
            case once
        }
    }
}

extension Request.Subscribe: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var since: Since?
        var view: View?
        var form = Form.operations
        var (minInterval, bookmark): (Int?, Int?)
        var ifAbsent = AbsentList.isError
        var duration = Duration.lasting
        var freshness = FreshnessParameters()
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .since: since = try decoder.since()
            case .view: view = try decoder.view()
            case .deliver: form = try decoder.form()
            case .minInterval: minInterval = try decoder.milliseconds("minInterval", in: minIntervalRange)
            case .bookmark: bookmark = try decoder.milliseconds("bookmark", in: bookmarkRange)
            case .ifAbsent: ifAbsent = try decoder.absentList()
            case .once: duration = try decoder.boolean("once") ? .once : .lasting
            case .mostRecent: freshness.isMostRecent = try decoder.boolean("mostRecent")
            case .notOlderThan: freshness.revision = try decoder.wholeNumber("notOlderThan")
            }
        }
        return .subscribe(
            Self(
                list: try needed(list, .list), since: since, view: view ?? View(), form: form,
                minInterval: minInterval, bookmark: bookmark, ifAbsent: ifAbsent, duration: duration,
                freshness: try freshness.freshness))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        if let since {
            writer.appendParameterName("since")
            writer.append(#"{"epoch":"#)
            writer.appendString(since.epoch)
            writer.appendMember("revision", since.revision)
            if let view = since.view {
                writer.append(#","view":"#)
                writer.append(view.json.isEmpty ? Array("{}".utf8) : view.json)
            }
            writer.append(byte: UInt8(ascii: "}"))
        }
        writer.appendParameter(view)
        if form != .operations { writer.appendParameter("deliver", form.rawValue) }
        if let minInterval { writer.appendParameter("minInterval", minInterval) }
        if let bookmark { writer.appendParameter("bookmark", bookmark) }
        if ifAbsent == .isAwaited { writer.appendParameter("ifAbsent", "wait") }
        if duration == .once { writer.appendParameter("once", true) }
        writer.appendParameter(freshness)
    }
}

private enum SinceMember: UInt8, MemberName {
    case epoch, revision, view

    static func named(_ name: JSONString) -> SinceMember? {
        switch name {
        case "epoch": .epoch
        case "revision": .revision
        case "view": .view
        default: nil
        }
    }
}

/// Bytes, with escapes; the daemon's own are far shorter.
private let epochLengthMax = 255

extension Decoder {
    /// `{"epoch":"k3v9","revision":7,"view":{}}`
    fileprivate mutating func since() throws(DecodingError) -> Request.Subscribe.Since {
        _ = scanner.peek()
        let start = scanner.offset
        var epoch: String?
        var revision: Int?
        var view: View?
        try object("since", SinceMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .epoch: epoch = try decoder.epoch()
            case .revision: revision = try decoder.wholeNumber("revision")
            case .view: view = try decoder.view()
            }
        }
        guard let epoch, let revision else {
            throw .invalid(
                "since needs both epoch and revision of the last update that you received; to begin with the whole list, leave since out",
                at: start)
        }
        return Request.Subscribe.Since(epoch: epoch, revision: revision, view: view)
    }

    private mutating func epoch() throws(DecodingError) -> String {
        let string = try string("epoch")
        guard string.bytes.count <= epochLengthMax else {
            throw .invalid(
                "epoch is longer than \(epochLengthMax) bytes; send it as you received it", at: string.offset)
        }
        return string.text
    }

    fileprivate mutating func absentList() throws(DecodingError) -> AbsentList {
        guard scanner.peek() == UInt8(ascii: "\"") else { throw unexpected("ifAbsent", "\"wait\" or left out") }
        let string = try string("ifAbsent")
        guard "wait" ~= string else {
            throw .invalid("ifAbsent must be \"wait\" or left out, not \(string.text.quoted)", at: string.offset)
        }
        return .isAwaited
    }

    fileprivate mutating func form() throws(DecodingError) -> Request.Subscribe.Form {
        let string = try string("deliver")
        switch string {
        case "operations": return .operations
        case "snapshots": return .snapshots
        case "patches": return .patches
        default:
            throw .invalid(
                "deliver must be \"operations\", \"snapshots\" or \"patches\", not \(string.text.quoted)",
                at: string.offset)
        }
    }

    mutating func milliseconds(
        _ what: StaticString, in range: ClosedRange<Int>
    ) throws(DecodingError) -> Int {
        try wholeNumber(what, in: range, units: " number of milliseconds")
    }
}

// MARK: - Reply

extension Reply {
    package struct Subscribe: Equatable, Sendable {
        package var subscription: Int
        package var list: ListName
        /// The list's revision; nil if the list does not exist yet.
        package var start: ListRevision?
        /// Whether it continues from the client's state; nil if the client gave none.
        package var isResumed: Bool?
        /// The client's permissions for the list; nil if the list does not exist yet.
        package var may: Set<Permission>?

        package init(
            subscription: Int, list: ListName, start: ListRevision?, isResumed: Bool? = nil, may: Set<Permission>? = nil
        ) {
            self.subscription = subscription
            self.list = list
            self.start = start
            self.isResumed = isResumed
            self.may = may
        }
    }
}

extension Reply.Subscribe {
    func write(into writer: inout ByteWriter) {
        writer.append(#""subscription":"#)
        writer.append(subscription)
        writer.appendMember("list", list)
        if let start {
            writer.appendMember("epoch", start.epoch)
            writer.appendMember("revision", start.revision)
        }
        if let isResumed { writer.append(isResumed ? #","resumed":true"# : #","resumed":false"#) }
        if let may { writer.appendMay(may) }
    }
}

extension Reply.Subscribe: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case subscription, list, epoch, revision, resumed, may

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var subscription: Int?
        var list: ListName?
        var epoch: String?
        var revision: Int?
        var isResumed: Bool?
        var may: Set<Permission>?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .subscription: subscription = try decoder.wholeNumber("a count")
            case .list: list = try decoder.identifier("list")
            case .epoch: epoch = try decoder.string("epoch").text
            case .revision: revision = try decoder.wholeNumber("a count")
            case .resumed: isResumed = try decoder.boolean("resumed")
            case .may: may = try decoder.may()
            }
        }
        let name = try Self.needed(list, "list")
        var start: Reply.ListRevision?
        if let epoch {
            start = Reply.ListRevision(list: name, epoch: epoch, revision: try Self.needed(revision, "revision"))
        }
        self.init(
            subscription: try Self.needed(subscription, "subscription"), list: name, start: start,
            isResumed: isResumed, may: may)
    }
}
