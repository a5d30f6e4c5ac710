import DiffableJSON
import DiffableProtocol
import Files
import Glibc
import SystemPackage

/// The file `links.json` in the state directory. Only its owner can read it. Each change replaces it by a rename.
package struct LinkFile: Sendable {
    package let directory: String

    package init(directory: String) { self.directory = directory }

    private static let name = "links.json"
    var path: String { "\(directory)/\(Self.name)" }

    /// Reads all links; none before the file exists.
    package func read() throws(LinkError) -> [Link] {
        let bytes: [UInt8]
        do throws(UntrustedPath) { bytes = try TrustedPath.contents(ofPrivateFile: path) } catch {
            if error.number == ENOENT { return [] }
            throw .unusable(path, error.reason(for: path))
        }
        do { return try bytes.withUnsafeBytes { try Self.links(in: $0) } } catch {
            throw .unusable(path, "\(error); correct or remove it")
        }
    }

    /// Adds a link. Throws if its name is taken.
    package func add(_ link: Link) throws(LinkError) {
        try change { links throws(LinkError) in
            guard !links.contains(where: { $0.name == link.name }) else { throw .taken(link.name) }
            links.append(link)
        }
    }

    package func remove(_ name: String) throws(LinkError) {
        try change { links throws(LinkError) in
            guard let index = links.firstIndex(where: { $0.name == name }) else { throw .missing(name) }
            links.remove(at: index)
        }
    }

    /// Two commands at the same time change the file one after the other: the lock is on the directory.
    private func change(_ body: (inout [Link]) throws(LinkError) -> Void) throws(LinkError) {
        let folder = try LinkFile.folder(directory)
        defer { try? folder.close() }
        guard flock(folder.rawValue, LOCK_EX) == 0 else { throw .unusable(directory, Errno.last.description) }
        var links = try read()
        try body(&links)
        do throws(Errno) { try folder.replaceFile(Self.name, with: Self.json(of: links)) } catch {
            throw .unusable(path, error.description)
        }
    }

    /// Opens the state directory, and creates it if it is missing. No other user can change its entries.
    static func folder(_ directory: String) throws(LinkError) -> FileDescriptor {
        do throws(UntrustedPath) {
            let trusted = try TrustedPath(directory: directory, isShared: false, missing: .allMade(0o700))
            do throws(Errno) { return try FileDescriptor.openedDirectory(trusted.path) } catch {
                throw .failed(directory, error)
            }
        } catch { throw .unusable(directory, error.reason(for: directory)) }
    }

    // MARK: - JSON

    private static func json(of links: [Link]) -> [UInt8] {
        var writer = ByteWriter()
        writer.append("{\"links\":[")
        for (index, link) in links.enumerated() {
            writer.append(index == 0 ? "\n{\"name\":" : ",\n{\"name\":")
            writer.appendString(link.name)
            writer.append(",\"token\":")
            writer.appendString(link.token)
            writer.append(",\"lists\":")
            writer.appendArray(link.lists) { $1.appendString($0) }
            writer.append(",\"may\":")
            writer.appendString(link.may.rawValue)
            if let end = link.end {
                writer.append(",\"end\":")
                writer.append(end)
            }
            writer.append("}")
        }
        writer.append("\n]}\n")
        return writer.bytes
    }

    private static func links(in bytes: UnsafeRawBufferPointer) throws -> [Link] {
        var scanner = JSONScanner(bytes, depthMax: 8)
        var links: [Link] = []
        var file = try scanner.beginObject()
        while let name = try scanner.nextMember(of: &file) {
            guard "links" ~= name else {
                try scanner.skipValue()
                continue
            }
            var array = try scanner.beginArray()
            while try scanner.nextElement(of: &array) { links.append(try link(&scanner)) }
        }
        try scanner.end()
        return links
    }

    private static func link(_ scanner: inout JSONScanner) throws -> Link {
        var link = Link(name: "", token: "", lists: [], may: .see)
        var object = try scanner.beginObject()
        while let name = try scanner.nextMember(of: &object) {
            switch name {
            case "name": link.name = try scanner.string().text
            case "token": link.token = try scanner.string().text
            case "end": link.end = try scanner.integer()
            case "may":
                let text = try scanner.string().text
                guard let may = Permission(rawValue: text) else { throw LinkError.noRights(text) }
                link.may = may
            case "lists":
                var lists = try scanner.beginArray()
                while try scanner.nextElement(of: &lists) { link.lists.append(try scanner.string().text) }
            // A mistyped `end` would give access for good.
            default: throw LinkError.unknownMember(name.text)
            }
        }
        guard !link.name.isEmpty, link.token.utf8.count == 43 else { throw LinkError.noToken(link.name) }
        return link
    }
}

/// The links of a running server, read again when the file has changed.
final class CurrentLinks {
    private let file: LinkFile
    private var version: (file: FileVersion?, directory: FileVersion?)
    private var links: [Link] = []

    /// A version of a file or directory. Each change makes a new one, also of its mode.
    private struct FileVersion: Equatable {
        var inode: ino_t
        var size: off_t
        var seconds: time_t
        var nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (inode, size) = (status.st_ino, status.st_size)
            (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
        }
    }

    init(_ file: LinkFile) { self.file = file }

    /// Costs two calls of stat(2) while nothing changes. If the file cannot be used, it returns no links.
    func read(complain: (LinkError) -> Void) -> [Link] {
        // A directory that others can write is refused, and used again when its mode is corrected.
        let version = (FileVersion(file.path), FileVersion(file.directory))
        guard version != self.version else { return links }
        self.version = version
        do throws(LinkError) { links = try file.read() } catch {
            links = []
            complain(error)
        }
        return links
    }
}

package enum LinkError: Error, Equatable, CustomStringConvertible {
    case unusable(String, String)
    case taken(String)
    case missing(String)
    case noRights(String)
    case noToken(String)
    case unknownMember(String)

    package var description: String {
        switch self {
        case .unusable(let path, let reason): "\(path) cannot be used: \(reason)"
        case .taken(let name): "the link \"\(name)\" exists already; remove it first with diffable-web unlink \(name)"
        case .missing(let name): "there is no link \"\(name)\"; diffable-web links prints all links"
        case .noRights(let text): "\"may\" is see, ask or change, and not \"\(text)\""
        case .noToken(let name): "the link \"\(name)\" has no name or no token"
        case .unknownMember(let name): "a link has no member \"\(name)\""
        }
    }
}
