import Diffable
import DiffableJSON

extension Request {
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

        var isRedo: Bool { if case .forward = target { true } else { false } }
    }

    struct Redo {
        var undo: Undo
    }
}

extension Request.Undo: RequestParameters {
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
                list: try needed(list, .list), revision.map { UndoTarget.revision($0) } ?? .back(steps ?? stepsDefault),
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
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var (steps, ifRevision): (Int?, Int?)
        var requestKey: RequestKey?
        var dryRun: Bool?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .steps: steps = try decoder.wholeNumber("steps", in: stepsRange)
            case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
            case .requestKey: requestKey = try decoder.identifier("requestKey")
            case .dryRun: dryRun = try decoder.boolean("dryRun")
            }
        }
        return .undo(
            Request.Undo(
                list: try needed(list, .list), .forward(steps ?? stepsDefault), ifRevision: ifRevision,
                requestKey: requestKey,
                mode: TransactionMode(dryRun: dryRun)))
    }

    func write(into writer: inout ByteWriter) { undo.write(into: &writer) }
}
