import Foundation

/// A temporary file that is deleted with its last reference.
final class ScratchFile {
    let path: String

    init(_ text: String) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "diffabled-\(UUID().uuidString).yaml").path
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
