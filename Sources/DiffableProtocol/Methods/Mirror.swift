import Diffable
import DiffableJSON

extension Request {
    /// Makes a list the mirror of another daemon's list, until it is made an ordinary list again. Only the last connection that
    /// requested this may change the list.
    package struct Mirror: Sendable, Equatable {
        package var list: ListName
        package var source: Source
        package var isLive: Bool
        package var existing: ExistingMirror

        package enum Source: Sendable, Equatable {
            /// `of` is left out: this connection already mirrors the list.
            case unchanged
            case of(MirrorSource)
            /// `"end":true`: makes it an ordinary list.
            case none
        }

        package init(
            list: ListName, source: Source = .unchanged, isLive: Bool = false, existing: ExistingMirror = .isError
        ) {
            self.list = list
            self.source = source
            self.isLive = isLive
            self.existing = existing
        }
    }

    package enum ExistingMirror: Sendable {
        case isError
        /// The connection that has mirrored the list so far loses the right to change it.
        case isReplaced
    }
}

extension Request.Mirror: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var source: MirrorSource?
        var isLive: Bool?
        var existing = Request.ExistingMirror.isError
        var isEnd = false
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .of: source = try decoder.identifier("of")
            case .live: isLive = try decoder.boolean("live")
            case .replace: existing = try decoder.boolean("replace") ? .isReplaced : .isError
            case .end: isEnd = try decoder.boolean("end")
            }
        }
        let list = try needed(list, .list)
        if isEnd {
            guard source == nil, isLive == nil else {
                throw .invalidRequest("mirror cannot combine end with of or live")
            }
            return .mirror(Self(list: list, source: .none, existing: existing))
        }
        guard source != nil || isLive != nil else {
            throw .invalidRequest("mirror needs one of the parameters of (the name of the source), live and end")
        }
        return .mirror(
            Self(list: list, source: source.map(Source.of) ?? .unchanged, isLive: isLive ?? false, existing: existing))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        switch source {
        case .unchanged: writer.appendParameter("live", isLive)
        case .of(let source):
            writer.appendParameter("of", source)
            if isLive { writer.appendParameter("live", true) }
        case .none: writer.appendParameter("end", true)
        }
        if existing == .isReplaced { writer.appendParameter("replace", true) }
    }
}

// MARK: - Liveness

extension ByteWriter {
    /// `,"live":false,"time":1795299539671`
    mutating func appendMembers(_ liveness: Liveness) {
        switch liveness {
        case .live: append(#","live":true"#)
        case .notLive(let since):
            append(#","live":false"#)
            if let since { appendMember("time", since) }
        }
    }
}

extension Liveness {
    init(isLive: Bool, time: Int?) { self = isLive ? .live : .notLive(since: time) }
}

extension Reply {
    package struct MirroredList: Equatable, Sendable {
        package var source: MirrorSource
        package var liveness: Liveness

        package init(source: MirrorSource, liveness: Liveness) {
            self.source = source
            self.liveness = liveness
        }
    }
}

extension Reply.MirroredList {
    /// `,"mirror":{"of":"build:jobs","live":true}`
    func writeMember(into writer: inout ByteWriter) {
        writer.append(#","mirror":{"of":"#)
        writer.appendString(source)
        writer.appendMembers(liveness)
        writer.append(byte: UInt8(ascii: "}"))
    }
}

extension Reply.MirroredList: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case of, live, time

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var source: MirrorSource?
        var isLive: Bool?
        var time: Int?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .of: source = try decoder.identifier("of")
            case .live: isLive = try decoder.boolean("live")
            case .time: time = try decoder.wholeNumber("a time")
            }
        }
        self.init(
            source: try Self.needed(source, "of"),
            liveness: Liveness(isLive: try Self.needed(isLive, "live"), time: time))
    }
}
