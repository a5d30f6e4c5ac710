import Foundation

/// A temporary directory, deleted with its last reference. Its path is short, because a socket's may have 107 bytes.
final class ScratchDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/diffabled-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure("no scratch directory: \(String(cString: strerror(errno)))")
        }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: some StringProtocol, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        return file(name)
    }
}

/// An error that ends a test.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Repeats the body until it returns a value; every wait of these tests ends here.
///
/// A timeout means that nothing more will happen, even on a slow machine: no test measures how long it takes.
func eventually<R>(
    within seconds: Double = 240, _ what: @autoclosure () -> String, _ body: () throws -> R?
) throws -> R {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        if let result = try body() { return result }
        guard ContinuousClock.now < deadline else { throw Failure("after \(seconds) s still no \(what())") }
        usleep(2_000)
    }
}
