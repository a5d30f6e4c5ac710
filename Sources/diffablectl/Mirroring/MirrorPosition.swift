import Diffable
import DiffableClient
import Files
import Glibc
import ProcessArguments
import SystemPackage

/// The position at which a mirror's copying ended, in a file of the user: the source's position and the matching position of the
/// mirror. With it, the whole list need not be sent again. It counts only if the mirror is still where the file says. Otherwise,
/// and if the file is missing or unreadable, the whole list is sent and compared.
struct MirrorPosition {
    private let path: FilePath

    /// `socket` belongs to the daemon that has the mirror.
    init(of list: ListName, at socket: SocketPath) {
        let environment = ProcessEnvironment.given()
        func directory(_ name: String) -> String? { ProcessEnvironment.directory(name, in: environment) }
        let state = directory("XDG_STATE_HOME") ?? (directory("HOME") ?? "/root") + "/.local/state"
        path = FilePath("\(state)/diffabled/mirrors").appending(Self.fileName("\(socket)/\(list)"))
    }

    /// Percent-encodes everything except letters, digits, `-` and `_`. If the result is too long for a file name, its end is used.
    private static func fileName(_ text: String) -> String {
        let name = text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-_".contains(character))
            return isPlain ? "\(character)" : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        return String(name.suffix(200))
    }

    /// The source's position to continue from, if the mirror is still at the saved position; otherwise nil.
    func source(of origin: MirrorSource, mirrorAt here: ListPosition) -> ListPosition? {
        guard isTrusted(.refused), let file = try? FileDescriptor.open(path, .readOnly) else { return nil }
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        guard let count = try? bytes.withUnsafeMutableBytes({ try file.read(into: $0) }) else { return nil }
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
        guard lines.count == 5, lines[0] == origin.description, let there = Int(lines[2]), let revision = Int(lines[4]),
            here == ListPosition(epoch: lines[3], revision: revision)
        else { return nil }
        return ListPosition(epoch: lines[1], revision: there)
    }

    /// The limit in bytes of a saved epoch. A daemon's epochs have about a dozen.
    private static let epochLengthMax = 255

    /// A failure to write is ignored, because it only means that the whole list is sent once more.
    func save(_ source: ListPosition, of origin: MirrorSource, mirrorAt here: ListPosition) {
        guard source.epoch.utf8.count <= Self.epochLengthMax else { return }
        let text = "\(origin)\n\(source.epoch)\n\(source.revision)\n\(here.epoch)\n\(here.revision)\n"
        let new = FilePath("\(path).new")
        guard isTrusted(.allMade(0o700)), (try? write(text, to: new)) != nil else { return }
        rename(new.string, path.string)
    }

    private func write(_ text: String, to file: FilePath) throws {
        let descriptor = try FileDescriptor.open(
            file, .writeOnly, options: [.create, .truncate, .noFollow], permissions: .ownerReadWrite)
        try descriptor.closeAfter { try descriptor.writeWhole(Array(text.utf8)) }
    }

    /// Whether no other user can write to the directory. `sudo` may keep `$HOME`, which then belongs to another user.
    private func isTrusted(_ missing: TrustedPath.Missing) -> Bool {
        (try? TrustedPath(directory: path.removingLastComponent().string, isShared: false, missing: missing)) != nil
    }
}
