import Diffable
import DiffableJSON

extension Request {
    package struct Transact: Sendable {
        package var list: ListName
        package var operations: [ListOperation]
        package var ifRevision: Int?
        package var requestKey: RequestKey?
        package var lease: LeaseTerm?
        package var mode: TransactionMode
        package var part: Part

        package init(
            list: ListName, operations: [ListOperation], ifRevision: Int? = nil, requestKey: RequestKey? = nil,
            lease: LeaseTerm? = nil, mode: TransactionMode = .commit, part: Part = .whole
        ) {
            self.list = list
            self.operations = operations
            self.ifRevision = ifRevision
            self.requestKey = requestKey
            self.lease = lease
            self.mode = mode
            self.part = part
        }
    }
}

extension Request.Transact: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var operations: [ListOperation]?
        var ifRevision: Int?
        var requestKey: RequestKey?
        var lease: LeaseTerm?
        var (dryRun, more): (Bool?, Bool?)
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .operations: operations = try decoder.operations()
            case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
            case .requestKey: requestKey = try decoder.identifier("requestKey")
            case .lease: lease = try decoder.leaseTerm()
            case .dryRun: dryRun = try decoder.boolean("dryRun")
            case .more: more = try decoder.boolean("more")
            }
        }
        try LeaseTerm.check(lease, excludes: requestKey)
        return .transact(
            Self(
                list: try needed(list, .list), operations: try needed(operations, .operations),
                ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: TransactionMode(dryRun: dryRun),
                part: Request.Part(more: more)))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        writer.appendParameter("operations", operations: operations, expansion: .canonical)
        writer.appendChangeOptions(
            ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: mode, part: part)
    }
}
