import Diffable
import DiffableJSON

extension Request {
    package struct Difference: Sendable, Equatable {
        package var list: ListName
        package var from: Int
        package var to: Int
        package var freshness: Freshness

        package init(list: ListName, from: Int, to: Int, freshness: Freshness = .any) {
            self.list = list
            self.from = from
            self.to = to
            self.freshness = freshness
        }
    }
}

extension Request.Difference: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var (from, to): (Int?, Int?)
        var freshness = FreshnessParameters()
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .from: from = try decoder.wholeNumber("from")
            case .to: to = try decoder.wholeNumber("to")
            case .mostRecent: freshness.isMostRecent = try decoder.boolean("mostRecent")
            case .notOlderThan: freshness.revision = try decoder.wholeNumber("notOlderThan")
            }
        }
        return .difference(
            Self(
                list: try needed(list, .list), from: try needed(from, .from), to: try needed(to, .to),
                freshness: try freshness.freshness))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        writer.appendParameter("from", from)
        writer.appendParameter("to", to)
        writer.appendParameter(freshness)
    }
}

// MARK: - Reply

extension Reply {
    package struct Difference: Sendable {
        package var list: ListName
        package var epoch: String
        package var from: Int
        package var to: Int
        package var operations: [ListOperation]

        package init(list: ListName, epoch: String, from: Int, to: Int, operations: [ListOperation]) {
            self.list = list
            self.epoch = epoch
            self.from = from
            self.to = to
            self.operations = operations
        }
    }
}

extension Reply.Difference {
    func write(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        writer.appendMember("epoch", epoch)
        writer.appendMember("from", from)
        writer.appendMember("to", to)
        writer.append(#","operations":"#)
        writer.append(OperationsWriter.array(operations))
    }
}

extension Reply.Difference: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case list, epoch, from, to, operations

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var list: ListName?
        var epoch: String?
        var (from, to): (Int?, Int?)
        var operations: [ListOperation]?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: list = try decoder.identifier("list")
            case .epoch: epoch = try decoder.string("epoch").text
            case .from: from = try decoder.wholeNumber("a count")
            case .to: to = try decoder.wholeNumber("a count")
            case .operations: operations = try decoder.operations()
            }
        }
        self.init(
            list: try Self.needed(list, "list"), epoch: try Self.needed(epoch, "epoch"),
            from: try Self.needed(from, "from"), to: try Self.needed(to, "to"),
            operations: try Self.needed(operations, "operations"))
    }
}
