import Foundation
import Glibc

/// A temporary directory that a test changes.
struct ScratchFolder {
    let path: String

    init() throws {
        path = "/tmp/diffable-folder-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    }

    /// Writes a file, and makes missing folders.
    func write(_ text: String, to name: String) throws {
        if let slash = name.lastIndex(of: "/") { try makeFolder(String(name[..<slash])) }
        try put(text, in: name, "w")
    }

    func append(_ text: String, to name: String) throws { try put(text, in: name, "a") }

    private func put(_ text: String, in name: String, _ mode: String) throws {
        guard let stream = fopen(file(name), mode) else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        fputs(text, stream)
        fclose(stream)
    }

    func makeFile(named name: [UInt8]) throws {
        let bytes = Array("\(path)/".utf8) + name
        let descriptor = open(bytes.map { CChar(bitPattern: $0) } + [0], O_CREAT | O_WRONLY, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        close(descriptor)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: target)
    }

    func rename(_ old: String, _ new: String) throws {
        guard Glibc.rename(file(old), file(new)) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    func delete(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }

    /// - Parameter seconds: since 1970.
    func setTime(_ seconds: Int, of name: String) throws {
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file(name))
    }
}
