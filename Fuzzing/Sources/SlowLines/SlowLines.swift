import FuzzTargets
import Glibc

/// Times reading the worst known lines of the maximum length, without instrumentation. A fuzzer finds the branches of a reader,
/// but rarely a line of a megabyte that takes all of them.
@main struct SlowLines {
    static let lineLength = 1 << 20
    /// Most CPU time for a line, in seconds.
    static let timeMax = 0.05

    static func main() {
        var slow = 0
        for line in Line.all(length: lineLength) {
            let seconds =
                (0..<5).map { _ in
                    secondsToRun { line.bytes.withUnsafeBytes { line.target.decode($0) } }
                }.min() ?? 0
            let isSlow = seconds > timeMax
            slow += isSlow ? 1 : 0
            defer { fflush(nil) }
            print("\(milliseconds(seconds)) ms  \(line.target.rawValue): \(line.name)\(isSlow ? "  <-- too slow" : "")")
        }
        guard slow > 0 else { return }
        print("\(slow) lines take more than \(milliseconds(timeMax)) ms")
        exit(1)
    }

    private static func milliseconds(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10_000).rounded())
        let text = "\(tenths / 10).\(tenths % 10)"
        return String(repeating: " ", count: max(0, 6 - text.utf8.count)) + text
    }
}
