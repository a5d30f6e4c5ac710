import DiffableClient
import DiffableInput
import Files
import Glibc
import SystemPackage

/// A temporary file with a text for an editor. It exists until `remove`.
struct EditedFile {
    let path: String
    private let directory: String

    /// `name` is the name of the file. Editors choose the syntax by its extension.
    init(_ text: String, named name: String) throws {
        let parent: String
        do throws(UntrustedPath) { parent = try TrustedPath(directory: Self.variable("TMPDIR") ?? "/tmp").path } catch {
            throw InputError("cannot create a file to edit: \(error); check $TMPDIR")
        }
        var template = Array("\(parent)/diffablectl-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw InputError("cannot create a file to edit: \(Errno.last); check $TMPDIR")
        }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = "\(directory)/\(name)"
        do { try Self.write(text, to: path) } catch {
            remove()
            throw error
        }
    }

    private static func write(_ text: String, to path: String) throws(InputError) {
        do {
            let file = try FileDescriptor.opened(
                path, .writeOnly, [.create, .exclusiveCreate], permissions: .ownerReadWrite)
            try file.closeAfter { try file.writeWhole(Array(text.utf8)) }
        } catch {
            throw InputError("\(path) cannot be written: \(error)")
        }
    }

    func edited() async throws -> [UInt8] {
        let editor = Self.variable("VISUAL") ?? Self.variable("EDITOR") ?? "vi"
        let words = try CommandLineSplitter.words(of: editor)
        let status = try await ChildProcess.status(of: words + [path], input: .inherited)
        guard status == 0 else {
            throw CommandError(
                .unusable, "the editor \(words[0]) ended with status \(status), so the list was not changed")
        }
        return try await bytes()
    }

    /// Whether the text was changed. Also true if the file cannot be read.
    func isEdited(from text: String) async -> Bool {
        (try? await bytes()) != Array(text.utf8)
    }

    private func bytes() async throws -> [UInt8] {
        try await inputBytes(of: path, "what was edited", within: InputLimit { _ in nil })
    }

    func remove() {
        unlink(path)
        rmdir(directory)
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
