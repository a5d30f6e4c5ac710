import Diffable
import DiffableJSON

extension Request {
    package struct Undo: Sendable, Equatable {
        package var list: ListName
        /// The revision to restore; nil: the one before the newest.
        package var revision: Int?
        package var ifRevision: Int?
        package var requestKey: RequestKey?
        package var mode: TransactionMode

        package init(
            list: ListName, revision: Int? = nil, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
            mode: TransactionMode = .commit
        ) {
            self.list = list
            self.revision = revision
            self.ifRevision = ifRevision
            self.requestKey = requestKey
            self.mode = mode
        }
    }
}

/// The reply is a `Reply.Change`.
extension Request.Undo: RequestParameters {
    enum Parameter: UInt8, IndexedMemberName {
        case list, to, ifRevision, requestKey, dryRun

        static let names = MemberNames(Parameter.self)
    }

    static let method = Method.undo
    static let required: [Parameter] = [.list]
    static let summary = "restore an earlier revision by a new transaction; by default the one before the newest"

    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var (revision, ifRevision): (Int?, Int?)
        var requestKey: RequestKey?
        var dryRun: Bool?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .to: revision = try decoder.wholeNumber("to")
            case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
            case .requestKey: requestKey = try decoder.identifier("requestKey")
            case .dryRun: dryRun = try decoder.boolean("dryRun")
            }
        }
        return .undo(
            Self(
                list: try needed(list, .list), revision: revision, ifRevision: ifRevision, requestKey: requestKey,
                mode: TransactionMode(dryRun: dryRun)))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        if let revision { writer.appendParameter("to", revision) }
        writer.appendChangeOptions(ifRevision: ifRevision, requestKey: requestKey, mode: mode, part: .whole)
    }
}
