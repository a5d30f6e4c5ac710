import Diffable
import DiffableClient
import Files
import Glibc
import ProcessArguments
import SystemPackage

/// How far a mirror had come when it was last carried on, in a file of the user's: where its source was, and where the mirror
/// was with that.
///
/// It saves sending the whole list again, and is believed only while the mirror is where the file says: otherwise, and when
/// the file is gone or not to be read, the whole list comes and is differenced.
struct MirrorPosition {
    private let path: FilePath

    /// - Parameters:
    ///   - socket: of the daemon that has the mirror.
    ///   - list: the mirror.
    init(of list: ListName, at socket: SocketPath) {
        let environment = ProcessEnvironment.given()
        func directory(_ name: String) -> String? { ProcessEnvironment.directory(name, in: environment) }
        let state = directory("XDG_STATE_HOME") ?? (directory("HOME") ?? "/root") + "/.local/state"
        path = FilePath("\(state)/diffabled/mirrors").appending(Self.fileName("\(socket)/\(list)"))
    }

    /// With all but letters, digits, `-` and `_` as `%2F`; of what is too long for a file's name, the end.
    private static func fileName(_ text: String) -> String {
        let name = text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-_".contains(character))
            return isPlain ? "\(character)" : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        return String(name.suffix(200))
    }

    /// Where to go on from, if the mirror is where it was; nil: from nothing.
    func source(of origin: MirrorSource, mirrorAt here: ListPosition) -> ListPosition? {
        guard let file = try? FileDescriptor.open(path, .readOnly) else { return nil }
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        guard let count = try? bytes.withUnsafeMutableBytes({ try file.read(into: $0) }) else { return nil }
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
        guard lines.count == 5, lines[0] == origin.description, let there = Int(lines[2]), let revision = Int(lines[4]),
            here == ListPosition(epoch: lines[3], revision: revision)
        else { return nil }
        return ListPosition(epoch: lines[1], revision: there)
    }

    /// Without it the whole list comes once more, so that it cannot be written is no error.
    func save(_ source: ListPosition, of origin: MirrorSource, mirrorAt here: ListPosition) {
        let text = "\(origin)\n\(source.epoch)\n\(source.revision)\n\(here.epoch)\n\(here.revision)\n"
        let new = FilePath("\(path).new")
        do {
            try write(text, to: new)
        } catch {
            guard makeDirectories(), (try? write(text, to: new)) != nil else { return }
        }
        rename(new.string, path.string)
    }

    private func write(_ text: String, to file: FilePath) throws {
        let descriptor = try FileDescriptor.open(
            file, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        try descriptor.closeAfter { try descriptor.writeWhole(Array(text.utf8)) }
    }

    private func makeDirectories() -> Bool {
        let directory = path.removingLastComponent()
        var made = FilePath(root: directory.root)
        for component in directory.components {
            made.append(component)
            _ = mkdir(made.string, 0o700)
        }
        return access(directory.string, W_OK) == 0
    }
}
