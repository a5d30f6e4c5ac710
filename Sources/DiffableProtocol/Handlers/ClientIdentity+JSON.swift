import Diffable
import DiffableJSON

extension ByteWriter {
    /// `,"name":{"name":"bar","pid":7,"uid":0}`
    mutating func appendMember(_ name: StaticString, _ identity: ClientIdentity) {
        append(",\"")
        append(name)
        append("\":{")
        if let name = identity.name { appendParameter("name", name) }
        if let processID = identity.processID { appendParameter("pid", processID) }
        if let userID = identity.userID { appendParameter("uid", userID) }
        append(byte: UInt8(ascii: "}"))
    }
}

private enum ClientIdentityMember: UInt8, MemberName {
    case name, pid, uid

    static func named(_ name: JSONString) -> ClientIdentityMember? {
        switch name {
        case "name": .name
        case "pid": .pid
        case "uid": .uid
        default: nil
        }
    }
}

extension Decoder {
    mutating func clientIdentity(_ what: String) throws(DecodingError) -> ClientIdentity {
        var identity = ClientIdentity()
        try object(what, ClientIdentityMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .name: identity.name = try decoder.string("name").text
            case .pid: identity.processID = try decoder.wholeNumber("a process")
            case .uid: identity.userID = try decoder.wholeNumber("a user")
            }
        }
        return identity
    }
}
