import Diffable
import DiffableJSON

extension Request {
    /// `undo` or `redo`.
    package struct Undo: Sendable, Equatable {
        package var list: ListName
        package var target: UndoTarget
        package var ifRevision: Int?
        package var requestKey: RequestKey?
        package var mode: TransactionMode

        package init(
            list: ListName, _ target: UndoTarget = .back(1), ifRevision: Int? = nil, requestKey: RequestKey? = nil,
            mode: TransactionMode = .commit
        ) {
            self.list = list
            self.target = target
            self.ifRevision = ifRevision
            self.requestKey = requestKey
            self.mode = mode
        }

        static let stepsRange = 1...1_000_000

        var isRedo: Bool { if case .forward = target { true } else { false } }
    }

    /// Reads and writes the parameters of `redo`. The request itself is an `Undo`.
    struct Redo {
        var undo: Undo
    }
}

/// The reply is a `Reply.Change`.
extension Request.Undo: RequestParameters {
    enum Parameter: UInt8, IndexedMemberName {
        case list, to, steps, ifRevision, requestKey, dryRun

        static let names = MemberNames(Parameter.self)
    }

    static let method = Method.undo
    static let required: [Parameter] = [.list]
    static let summary = "undo the newest change, or more of them, or restore a revision, by a new transaction"

    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        let start = decoder.scanner.offset
        var (steps, revision, ifRevision): (Int?, Int?, Int?)
        var requestKey: RequestKey?
        var dryRun: Bool?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .to: revision = try decoder.wholeNumber("to")
            case .steps: steps = try decoder.wholeNumber("steps", in: stepsRange)
            case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
            case .requestKey: requestKey = try decoder.identifier("requestKey")
            case .dryRun: dryRun = try decoder.boolean("dryRun")
            }
        }
        if steps != nil, revision != nil { throw .invalid("undo takes \"to\" or \"steps\", not both", at: start) }
        return .undo(
            Self(
                list: try needed(list, .list), revision.map { UndoTarget.revision($0) } ?? .back(steps ?? 1),
                ifRevision: ifRevision, requestKey: requestKey, mode: TransactionMode(dryRun: dryRun)))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        switch target {
        case .revision(let revision): writer.appendParameter("to", revision)
        case .back(1), .forward(1): break
        case .back(let steps), .forward(let steps): writer.appendParameter("steps", steps)
        }
        writer.appendChangeOptions(ifRevision: ifRevision, requestKey: requestKey, mode: mode, part: .whole)
    }
}

extension Request.Redo: RequestParameters {
    enum Parameter: UInt8, IndexedMemberName {
        case list, steps, ifRevision, requestKey, dryRun

        static let names = MemberNames(Parameter.self)
    }

    static let method = Method.redo
    static let required: [Parameter] = [.list]
    static let summary = "redo the change that was undone last, or more of them, by a new transaction"

    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var (steps, ifRevision): (Int?, Int?)
        var requestKey: RequestKey?
        var dryRun: Bool?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .steps: steps = try decoder.wholeNumber("steps", in: Request.Undo.stepsRange)
            case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
            case .requestKey: requestKey = try decoder.identifier("requestKey")
            case .dryRun: dryRun = try decoder.boolean("dryRun")
            }
        }
        return .undo(
            Request.Undo(
                list: try needed(list, .list), .forward(steps ?? 1), ifRevision: ifRevision, requestKey: requestKey,
                mode: TransactionMode(dryRun: dryRun)))
    }

    func write(into writer: inout ByteWriter) { undo.write(into: &writer) }
}
