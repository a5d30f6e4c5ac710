/// What reads bytes that somebody else wrote: from a socket, a disk or a file.
///
/// Tests/FuzzingTests compiles this folder too, and feeds it the corpus.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Any JSON text, as the scanner sees it.
    case json
    /// A line of a client, as the daemon reads it.
    case request
    /// Operations as JSON, one transaction a line: what a `transact` says, and what the journal keeps.
    case operations
    /// Choices from which possible operations are made; few bytes lead deep into a list.
    case changes
    /// A JSON merge patch and, behind a newline, the content that it changes.
    case patch
    /// A schema and, behind a newline, the content that is held to it.
    case schema
    /// A view, with its `where` and `sort`.
    case view
    /// A line of a daemon, as a client reads it.
    case message
    /// The result of a reply, whatever was asked.
    case result
    /// A stream that is cut in lines; its first byte says how it arrives.
    case lines
    /// A part of a checkpoint.
    case checkpoint
    /// CSV or tab-separated text for diffablectl; the first byte says which.
    case table
    /// A screen of a list: its first bytes are the screen's size and keys, the rest is the list.
    case screen
}

/// What should hold, and does not.
package struct Broken: Error, CustomStringConvertible {
    package var description: String

    init(_ sentence: String) { description = sentence }
}

extension FuzzTarget {
    /// Reads the bytes as the daemon or its clients do, and nothing else: this is what is timed.
    package func decode(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .json: decodeJSON(bytes)
        case .request: decodeRequest(bytes)
        case .operations: decodeOperations(bytes)
        // What is read was written by the target itself.
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

    /// Reads the bytes, and throws what does not hold of what was read.
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

/// What holds of any input that was accepted a first time.
func succeed<R, E: Error>(_ sentence: String, _ body: () throws(E) -> R) throws -> R {
    do throws(E) {
        return try body()
    } catch {
        throw Broken("\(sentence), but: \(error)")
    }
}

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
