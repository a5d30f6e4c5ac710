import Diffable
import DiffableInput
import Files
import Glibc
import SystemPackage

/// Collects output and writes it in large pieces. A write blocks while the reader is slow. Then a command that follows a list
/// stops reading, and the daemon skips the states in between. A failed write ends any command with `ExitStatus.unwritable`.
struct StandardOutput {
    private var bytes: [UInt8] = []
    private static let pieceLength = 65_536
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Writes a line for users. Characters that could control the terminal are made visible, except for this program's styles.
    mutating func line(_ text: String) {
        appendLine(harmless(text, keeping: Terminal.styleSequences))
    }

    /// Writes a line for users without styles. Text that looks like a style is made visible too.
    mutating func plainLine(_ text: String) { appendLine(harmless(text)) }

    mutating func table(_ table: TextTable) { for line in table.lines { appendLine(line) } }

    private mutating func appendLine(_ text: String) {
        append(text.utf8)
        append(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// Writes a line for programs. In a file or a pipe it is unchanged; on a terminal its fields are made `harmless`.
    mutating func line(of fields: [String], separatedBy separator: String = "") {
        appendLine(fields.map { StandardOutput.isTerminal ? harmless($0) : $0 }.joined(separator: separator))
    }

    /// Writes a line of JSON. In a file or a pipe it is unchanged; on a terminal, control characters are escaped.
    mutating func json(_ text: some Collection<UInt8>) {
        append(StandardOutput.isTerminal ? harmlessJSON(text) : Array(text))
        append(CollectionOfOne(UInt8(ascii: "\n")))
    }

    mutating func value(_ value: Content) {
        let view = JSONReader(value)
        if view.isString { line(of: [view.plainText]) } else { json(value.bytes) }
    }

    mutating func append(_ raw: some Sequence<UInt8>) {
        bytes += raw
        if bytes.count >= StandardOutput.pieceLength { flush() }
    }

    mutating func flush() {
        StandardOutput.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    static func writeJSON(_ lines: [UInt8]) { write(isTerminal ? harmlessJSON(lines) : lines) }

    static func write(_ bytes: [UInt8]) {
        do throws(Errno) { try FileDescriptor.standardOutput.writeWhole(bytes) } catch { endUnwritten(error) }
    }

    /// Closes standard output, because some file systems report only then that the disk is full.
    static func finish() {
        if close(STDOUT_FILENO) != 0 { endUnwritten(.last) }
    }

    private static func endUnwritten(_ error: Errno) -> Never {
        if error == .brokenPipe { endByBrokenPipe() }
        printMessage(
            "standard output cannot be written: \(error). The output is incomplete, but if the command changes something, it has "
                + "done so: check before you repeat it")
        exit(ExitStatus.unwritable.rawValue)
    }
}

func printMessage(_ text: String) { writeToStandardError("diffablectl: \(harmless(text))\n") }

/// Writes to standard error as it is. An error of this is ignored, because it could not be reported.
func writeToStandardError(_ text: String) { writeToStandardError(Array(text.utf8)) }

func writeToStandardError(_ bytes: [UInt8]) {
    do throws(Errno) { try FileDescriptor.standardError.writeWhole(bytes) } catch {
        if error == .brokenPipe { endByBrokenPipe() }
    }
}

/// The reader of the output has ended (`| head`): ends as other programs do, by the signal that SwiftNIO ignores.
func endByBrokenPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    exit(128 + SIGPIPE)
}
