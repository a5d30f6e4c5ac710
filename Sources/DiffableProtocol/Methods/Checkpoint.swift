import Diffable
import DiffableJSON

extension Request {
    /// Requests the whole state of a shared list, from which its log can start again.
    package struct Checkpoint: Sendable, Equatable {
        package var list: ListName

        package init(list: ListName) { self.list = list }
    }
}

extension Request.Checkpoint: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        try readObject(from: &decoder) { _, decoder throws(DecodingError) in list = try decoder.identifier("list") }
        return .checkpoint(Self(list: try needed(list, .list)))
    }

    func write(into writer: inout ByteWriter) { writer.appendParameter("list", list) }
}

extension Reply {
    package struct Checkpoint: Equatable, Sendable {
        package var replica: SharedReplica
        package var parts: [[UInt8]]

        package init(replica: SharedReplica, parts: [[UInt8]]) {
            self.replica = replica
            self.parts = parts
        }

        func write(into writer: inout ByteWriter) {
            replica.writeMembers(into: &writer)
            writer.append(#","parts":["#)
            for (index, part) in parts.enumerated() {
                if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
                part.withUnsafeBytes { writer.appendString(utf8: $0) }
            }
            writer.append(byte: UInt8(ascii: "]"))
        }
    }
}
