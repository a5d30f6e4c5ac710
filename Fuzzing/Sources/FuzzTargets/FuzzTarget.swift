/// A reader of untrusted bytes: from a socket, a disk or a file.
///
/// Tests/FuzzingTests compiles this folder too, and runs the corpus.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Any JSON text, for the scanner.
    case json
    /// A line of a client, for the daemon.
    case request
    /// Operations as JSON, one transaction a line: as in `transact` and in the journal.
    case operations
    /// Choices from which possible operations are made; few bytes lead deep into a list.
    case changes
    /// A JSON merge patch and, after a newline, the content that it changes.
    case patch
    /// A schema and, after a newline, the content to check.
    case schema
    /// A view, with its `where` and `sort`.
    case view
    /// A line of a daemon, for a client.
    case message
    /// The result of a reply to any request.
    case result
    /// A stream of lines; its first byte selects the way in which it arrives.
    case lines
    case checkpoint
    /// CSV or tab-separated text for diffablectl; the first byte selects the format.
    case table
    /// A screen of a list: the first bytes are the screen's size and keys, the rest is the list.
    case screen
}

/// A violated invariant.
package struct Broken: Error, CustomStringConvertible {
    package var description: String

    init(_ sentence: String) { description = sentence }
}

extension FuzzTarget {
    /// Only decodes the bytes, as the daemon or its clients do; this part is timed.
    package func decode(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .json: decodeJSON(bytes)
        case .request: decodeRequest(bytes)
        case .operations: decodeOperations(bytes)
        // The target itself wrote the text.
        case .changes: break
        case .patch: decodePatch(bytes)
        case .schema: decodeSchema(bytes)
        case .view: decodeView(bytes)
        case .message: decodeMessage(bytes)
        case .result: decodeResult(bytes)
        case .lines: decodeLines(bytes)
        case .checkpoint: decodeCheckpoint(bytes)
        case .table: decodeTable(bytes)
        case .screen: decodeScreen(bytes)
        }
    }

    /// Decodes the bytes, and throws if the result violates an invariant.
    package func check(_ bytes: UnsafeRawBufferPointer) throws {
        switch self {
        case .json: try checkJSON(bytes)
        case .request: try checkRequest(bytes)
        case .operations: try checkOperations(bytes)
        case .changes: try checkChanges(bytes)
        case .patch: try checkPatch(bytes)
        case .schema: try checkSchema(bytes)
        case .view: try checkView(bytes)
        case .message: try checkMessage(bytes)
        case .result: try checkResult(bytes)
        case .lines: try checkLines(bytes)
        case .checkpoint: try checkCheckpoint(bytes)
        case .table: try checkTable(bytes)
        case .screen: try checkScreen(bytes)
        }
    }
}

func hold(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
    if !condition { throw Broken(sentence()) }
}

/// Runs a step that must succeed for any accepted input.
func succeed<R, E: Error>(_ sentence: String, _ body: () throws(E) -> R) throws -> R {
    do throws(E) {
        return try body()
    } catch {
        throw Broken("\(sentence), but: \(error)")
    }
}

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
