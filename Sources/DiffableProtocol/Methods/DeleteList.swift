import Diffable
import DiffableJSON

extension Request {
    package struct DeleteList: Sendable, Equatable {
        package var list: ListName
        package var ifRevision: Int?
        package var keeping: DeletedListKeeping

        package init(list: ListName, ifRevision: Int? = nil, keeping: DeletedListKeeping = .ifPossible) {
            self.list = list
            self.ifRevision = ifRevision
            self.keeping = keeping
        }
    }
}

extension Request.DeleteList: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var ifRevision: Int?
        var keeping = DeletedListKeeping.ifPossible
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
            case .keep: keeping = try decoder.deletedListKeeping()
            }
        }
        return .deleteList(Self(list: try needed(list, .list), ifRevision: ifRevision, keeping: keeping))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        if let ifRevision { writer.appendParameter("ifRevision", ifRevision) }
        if keeping != .ifPossible { writer.appendParameter("keep", keeping.rawValue) }
    }
}

extension Decoder {
    fileprivate mutating func deletedListKeeping() throws(DecodingError) -> DeletedListKeeping {
        let string = try string("keep")
        guard let keeping = DeletedListKeeping(rawValue: string.text) else {
            throw .invalid(
                "keep must be \"ifPossible\", \"required\" or \"never\", not \(string.text.quoted)",
                at: string.offset)
        }
        return keeping
    }
}
