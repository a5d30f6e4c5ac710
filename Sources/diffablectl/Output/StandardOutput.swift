import Diffable
import DiffableInput
import Files
import Glibc
import SystemPackage

/// Gathers what goes to standard output and writes it in large pieces.
///
/// Writing blocks when nobody reads. Then a command that follows a list reads no more, and the daemon skips the states in
/// between. A write that fails ends any command with `ExitStatus.unwritable`.
struct StandardOutput {
    private var bytes: [UInt8] = []
    private static let pieceLength = 65_536
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// A line for people. Characters that could control the terminal are made visible, except for our own styles.
    mutating func line(_ text: String) {
        appendLine(harmless(text, keeping: Terminal.styleSequences))
    }

    /// A line for people without styles. Text that looks like a style is made visible too.
    mutating func plainLine(_ text: String) { appendLine(harmless(text)) }

    /// Lines for people. The cells are harmless already.
    mutating func table(_ table: TextTable) { for line in table.lines { appendLine(line) } }

    private mutating func appendLine(_ text: String) {
        append(text.utf8)
        append(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// A line for programs. It is written as it is to a file or a pipe; on a terminal its fields are made `harmless`.
    mutating func line(of fields: [String], separatedBy separator: String = "") {
        appendLine(fields.map { StandardOutput.isTerminal ? harmless($0) : $0 }.joined(separator: separator))
    }

    /// A line of JSON. It is written as it is to a file or a pipe; on a terminal, control characters are escaped.
    mutating func json(_ text: some Collection<UInt8>) {
        append(StandardOutput.isTerminal ? harmlessJSON(text) : Array(text))
        append(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// A value for a program or for people: a string as it is, anything else as JSON.
    mutating func value(_ value: Content) {
        let view = JSONView(value)
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

    /// Writes complete lines of JSON at once.
    static func writeJSON(_ lines: [UInt8]) { write(isTerminal ? harmlessJSON(lines) : lines) }

    static func write(_ bytes: [UInt8]) {
        do throws(Errno) { try FileDescriptor.standardOutput.writeWhole(bytes) } catch { endUnwritten(error) }
    }

    /// Closes standard output, because some file systems report only then that there was no room.
    static func end() {
        if close(STDOUT_FILENO) != 0 { endUnwritten(.last) }
    }

    private static func endUnwritten(_ error: Errno) -> Never {
        if error == .brokenPipe { endQuietly() }
        say("standard output cannot be written: \(error)")
        exit(ExitStatus.unwritable.rawValue)
    }
}

/// Writes a message about the work, which is not its result, to standard error.
func say(_ text: String) { complain("diffablectl: \(harmless(text))\n") }

/// Writes to standard error as it is. An error of this is ignored, because it could not be reported.
func complain(_ text: String) { complain(Array(text.utf8)) }

/// The same for what a program that we run has written there.
func complain(_ bytes: [UInt8]) {
    do throws(Errno) { try FileDescriptor.standardError.writeWhole(bytes) } catch {
        if error == .brokenPipe { endQuietly() }
    }
}

/// The reader of our output is gone (`| head`): end as other programs do, by the signal that SwiftNIO ignores.
func endQuietly() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    exit(128 + SIGPIPE)
}
