import Diffable
import DiffableJSON

extension Request {
    package struct Propose: Sendable {
        package var transaction: Transact
        /// Milliseconds in `timeoutRange`; nil: `timeoutUsual`.
        package var timeout: Int?

        package init(_ transaction: Transact, timeout: Int? = nil) {
            self.transaction = transaction
            self.timeout = timeout
        }
    }
}

extension Request.Propose: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var operations: [ListOperation]?
        var (ifRevision, timeout): (Int?, Int?)
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
            case .timeout: timeout = try decoder.timeout()
            }
        }
        try LeaseTerm.check(lease, excludes: requestKey)
        let transaction = Request.Transact(
            list: try needed(list, .list), operations: try needed(operations, .operations), ifRevision: ifRevision,
            requestKey: requestKey, lease: lease, mode: TransactionMode(dryRun: dryRun), part: Request.Part(more: more))
        return .propose(Self(transaction, timeout: timeout))
    }

    func write(into writer: inout ByteWriter) {
        transaction.write(into: &writer)
        if let timeout { writer.appendParameter("timeout", timeout) }
    }
}
