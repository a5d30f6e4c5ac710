import Diffable
import DiffableJSON

/// The owner, group and mode of a shared list. It uses names, because each host has its own numbers. Missing members
/// leave the current values unchanged.
///
///     {"owner":"anna","group":"staff","mode":"0660"}
package struct SharedAccess: Sendable, Equatable {
    package var owner: String?
    package var group: String?
    package var mode: AccessMode?

    package init(owner: String? = nil, group: String? = nil, mode: AccessMode? = nil) {
        (self.owner, self.group, self.mode) = (owner, group, mode)
    }

    /// Ignores anything that this version does not understand.
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

/// The initial state of a shared list, stored in etcd with its name. Later changes are in the log.
///
///     {"owner":"anna","group":"staff","mode":"0660","lease":["alpha","k3v9x1m2qp",4]}
package struct SharedBeginning: Sendable, Equatable {
    var access: SharedAccess
    /// The holder of the list itself.
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
    var shared: SharedAccess { SharedAccess(owner: ownerName, group: groupName, mode: mode) }

    func changed(by told: SharedAccess) -> AccessRecord {
        var record = self
        if let owner = told.owner { record.ownerName = owner }
        if let group = told.group { record.groupName = group }
        if let mode = told.mode { record.mode = mode }
        return record
    }

    /// Resolves the names to the current numbers on this host.
    ///
    /// A user that does not exist here becomes root, which may do everything anyway. A group that does not exist here
    /// becomes one without members, so neither its members elsewhere nor any user here gets its rights.
    func resolved(by accounts: Accounts) -> AccessRecord {
        var record = self
        if let ownerName { record.owner = accounts.user(ownerName) ?? 0 }
        if let groupName { record.group = accounts.group(groupName) ?? Self.nobodysGroup }
        return record
    }

    /// A copy with this host's numbers, for a backup. A group that does not exist here is left to the configuration.
    func numbered(as effective: ListAccess) -> AccessRecord {
        var record = self
        if ownerName != nil { record.owner = effective.owner }
        if groupName != nil { record.group = effective.group == Self.nobodysGroup ? nil : effective.group }
        return record
    }

    /// The system uses this number for no group.
    private static let nobodysGroup = UInt32.max
}
