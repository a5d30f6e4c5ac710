import Diffable
import DiffableJSON

extension Request {
    package struct UndeleteList: Sendable, Equatable {
        package var list: ListName
        /// The epoch of the deleted list; nil: the one that was deleted last.
        package var epoch: String?
        /// The new name, `as`; nil: unchanged.
        package var newName: ListName?

        package init(list: ListName, epoch: String? = nil, newName: ListName? = nil) {
            self.epoch = epoch
            self.list = list
            self.newName = newName
        }
    }
}

extension Request.UndeleteList: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var epoch: String?
        var newName: ListName?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .epoch: epoch = try decoder.string("epoch").text
            case .as: newName = try decoder.identifier("as")
            }
        }
        return .undeleteList(Self(list: try needed(list, .list), epoch: epoch, newName: newName))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        if let epoch { writer.appendParameter("epoch", epoch) }
        if let newName { writer.appendParameter("as", newName) }
    }
}
