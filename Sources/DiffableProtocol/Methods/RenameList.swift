import Diffable
import DiffableJSON

extension Request {
    package struct RenameList: Sendable, Equatable {
        package var list: ListName
        /// `to`
        package var newName: ListName
        package var ifRevision: Int?

        package init(list: ListName, newName: ListName, ifRevision: Int? = nil) {
            self.list = list
            self.newName = newName
            self.ifRevision = ifRevision
        }
    }
}

extension Request.RenameList: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var newName: ListName?
        var ifRevision: Int?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .to: newName = try decoder.identifier("to")
            case .ifRevision: ifRevision = try decoder.wholeNumber("ifRevision")
            }
        }
        return .renameList(
            Self(list: try needed(list, .list), newName: try needed(newName, .to), ifRevision: ifRevision))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        writer.appendParameter("to", newName)
        if let ifRevision { writer.appendParameter("ifRevision", ifRevision) }
    }
}
