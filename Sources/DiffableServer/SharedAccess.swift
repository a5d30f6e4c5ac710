import Diffable
import DiffableJSON
import DiffableStore
import Glibc

/// Whose a shared list is and who may what with it, by names, because each host has numbers of its own.
///
///     {"owner":"anna","group":"staff","mode":"0660"}
struct SharedAccess {
    private var owner: String?
    private var group: String?
    private var mode: AccessMode?

    init(_ access: ListAccess) {
        owner = Self.name(of: access.owner) { getpwuid($0)?.pointee.pw_name }
        group = Self.name(of: access.group) { getgrgid($0)?.pointee.gr_name }
        mode = access.mode
    }

    private static func name(of number: UInt32, _ look: (UInt32) -> UnsafeMutablePointer<CChar>?) -> String? {
        look(number).map { String(cString: $0) }
    }

    /// What it does not say, or what this version does not understand, is left out.
    init(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var scanner = JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: 8)
            guard var object = try? scanner.beginObject() else { return }
            while let name = try? scanner.nextMember(of: &object) {
                guard let value = try? scanner.string().text else { return }
                switch name {
                case "owner": owner = value
                case "group": group = value
                case "mode": mode = try? AccessMode(octal: value)
                default: continue
                }
            }
        }
    }

    var text: String {
        var writer = ByteWriter()
        writer.append(byte: UInt8(ascii: "{"))
        for (name, value) in [("owner", owner), ("group", group), ("mode", mode?.description)] {
            guard let value else { continue }
            if writer.last != UInt8(ascii: "{") { writer.append(byte: UInt8(ascii: ",")) }
            writer.appendString(name)
            writer.append(byte: UInt8(ascii: ":"))
            writer.appendString(value)
        }
        writer.append(byte: UInt8(ascii: "}"))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A user or a group that this host does not have is root's.
    var record: AccessRecord {
        AccessRecord(
            owner: owner.map { getpwnam($0)?.pointee.pw_uid ?? 0 },
            group: group.map { getgrnam($0)?.pointee.gr_gid ?? 0 }, mode: mode)
    }
}
