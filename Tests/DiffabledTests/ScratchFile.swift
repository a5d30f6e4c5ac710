import Foundation

/// A file that is gone when the test is done with it.
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
