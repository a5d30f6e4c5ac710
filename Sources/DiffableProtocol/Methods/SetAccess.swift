import Diffable
import DiffableJSON

extension Request {
    /// Changes a list's access; nil members stay unchanged.
    package struct SetAccess: Sendable, Equatable {
        package var list: ListName
        package var mode: AccessMode?
        package var owner: UInt32?
        package var group: UInt32?

        package init(list: ListName, mode: AccessMode? = nil, owner: UInt32? = nil, group: UInt32? = nil) {
            self.list = list
            self.mode = mode
            self.owner = owner
            self.group = group
        }
    }
}

extension Request.SetAccess: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var mode: AccessMode?
        var (owner, group): (UInt32?, UInt32?)
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .mode: mode = try decoder.accessMode()
            case .owner: owner = try decoder.userOrGroup("owner")
            case .group: group = try decoder.userOrGroup("group")
            }
        }
        let access = Self(list: try needed(list, .list), mode: mode, owner: owner, group: group)
        guard mode != nil || owner != nil || group != nil else {
            throw .invalidRequest("setAccess needs at least one of the parameters mode, owner and group")
        }
        return .setAccess(access)
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        if let mode { writer.appendParameter("mode", mode.description) }
        if let owner { writer.appendParameter("owner", Int(owner)) }
        if let group { writer.appendParameter("group", Int(group)) }
    }
}

// MARK: - Reply

extension Reply {
    package struct ListAccess: Equatable, Sendable {
        package var list: ListName
        package var owner: UInt32
        package var group: UInt32
        package var mode: AccessMode

        package init(list: ListName, owner: UInt32, group: UInt32, mode: AccessMode) {
            self.list = list
            self.owner = owner
            self.group = group
            self.mode = mode
        }
    }
}

extension Reply.ListAccess {
    func write(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        writeRights(into: &writer)
    }

    func writeRights(into writer: inout ByteWriter) {
        writer.appendMember("owner", Int(owner))
        writer.appendMember("group", Int(group))
        writer.appendMember("mode", mode.description)
    }
}

extension Reply.ListAccess: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case list, owner, group, mode

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var list: ListName?
        var (owner, group): (UInt32?, UInt32?)
        var mode: AccessMode?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: list = try decoder.identifier("list")
            case .owner: owner = try decoder.knownUserOrGroup()
            case .group: group = try decoder.knownUserOrGroup()
            case .mode: mode = try decoder.knownAccessMode()
            }
        }
        self.init(
            list: try Self.needed(list, "list"), owner: try Self.needed(owner, "owner"),
            group: try Self.needed(group, "group"), mode: try Self.needed(mode, "mode"))
    }
}

extension Decoder {
    mutating func knownUserOrGroup() throws(DecodingError) -> UInt32 {
        UInt32(truncatingIfNeeded: try wholeNumber("a user or a group"))
    }

    /// Nil for a mode that only a newer daemon knows.
    mutating func knownAccessMode() throws(DecodingError) -> AccessMode? {
        let text = try string("mode").text
        return try? AccessMode(octal: text)
    }
}
