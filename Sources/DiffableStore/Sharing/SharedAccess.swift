import Diffable
import DiffableJSON

/// Whose a shared list is and who may what with it, by names, because each host has numbers of its own. What it does not say
/// stays as it was.
///
///     {"owner":"anna","group":"staff","mode":"0660"}
package struct SharedAccess: Sendable, Equatable {
    package var owner: String?
    package var group: String?
    package var mode: AccessMode?

    package init(owner: String? = nil, group: String? = nil, mode: AccessMode? = nil) {
        (self.owner, self.group, self.mode) = (owner, group, mode)
    }

    /// What this version does not understand is left out.
    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { bytes in
            var scanner = JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: 8)
            return (try? SharedAccess(from: &scanner)) ?? SharedAccess()
        }
    }

    init(from scanner: inout JSONScanner) throws {
        var object = try scanner.beginObject()
        while let name = try scanner.nextMember(of: &object) {
            switch name {
            case "owner": owner = try scanner.string().text
            case "group": group = try scanner.string().text
            case "mode": mode = try AccessMode(octal: scanner.string().text)
            default: try scanner.skipValue()
            }
        }
    }

    func write(into writer: inout ByteWriter) {
        writer.append(byte: UInt8(ascii: "{"))
        for (name, value) in [("owner", owner), ("group", group), ("mode", mode?.description)] {
            guard let value else { continue }
            if writer.last != UInt8(ascii: "{") { writer.append(byte: UInt8(ascii: ",")) }
            writer.appendString(name)
            writer.append(byte: UInt8(ascii: ":"))
            writer.appendString(value)
        }
        writer.append(byte: UInt8(ascii: "}"))
    }

    package var text: String {
        var writer = ByteWriter()
        write(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// What a shared list begins with, as it is kept with its name. The log knows what has become of it.
///
///     {"owner":"anna","group":"staff","mode":"0660","lease":["alpha","k3v9x1m2qp",4]}
package struct SharedBeginning: Sendable, Equatable {
    var access: SharedAccess
    /// Who holds the list itself.
    var lease: SharedHolder?

    init(access: SharedAccess, lease: SharedHolder? = nil) { (self.access, self.lease) = (access, lease) }

    package init(_ text: String) {
        access = SharedAccess(text)
        var text = text
        lease = text.withUTF8 { bytes in
            var scanner = JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: 8)
            return try? Self.lease(from: &scanner)
        }
    }

    private static func lease(from scanner: inout JSONScanner) throws -> SharedHolder? {
        var object = try scanner.beginObject()
        while let name = try scanner.nextMember(of: &object) {
            if "lease" ~= name { return try SharedHolder(from: &scanner) }
            try scanner.skipValue()
        }
        return nil
    }

    package var text: String {
        guard let lease else { return access.text }
        let members = access.text.dropLast()
        return members + (members == "{" ? "" : ",") + "\"lease\":\(lease.text)}"
    }
}

extension AccessRecord {
    /// What was said of a shared list, for a host that knows nothing of it.
    var shared: SharedAccess { SharedAccess(owner: ownerName, group: groupName, mode: mode) }

    /// This record with what others say of a shared list; the rest stays.
    func changed(by told: SharedAccess) -> AccessRecord {
        var record = self
        if let owner = told.owner { record.ownerName = owner }
        if let group = told.group { record.groupName = group }
        if let mode = told.mode { record.mode = mode }
        return record
    }

    /// The numbers that the names stand for on this host, now.
    ///
    /// A user that this host does not have is root, who may do everything anyway. A group that it does not have is one that
    /// nobody is in: its members elsewhere have no rights here, and nobody here has theirs.
    func resolved(by accounts: Accounts) -> AccessRecord {
        var record = self
        if let ownerName { record.owner = accounts.user(ownerName) ?? 0 }
        if let groupName { record.group = accounts.group(groupName) ?? Self.nobodysGroup }
        return record
    }

    /// With the numbers that names have on this host, for a backup. A group that this host does not have is left to the
    /// configuration.
    func numbered(as effective: ListAccess) -> AccessRecord {
        var record = self
        if ownerName != nil { record.owner = effective.owner }
        if groupName != nil { record.group = effective.group == Self.nobodysGroup ? nil : effective.group }
        return record
    }

    /// For the system that number means none.
    private static let nobodysGroup = UInt32.max
}
