import Diffable
import DiffableInput
import Synchronization

/// Splits the output of a stream into lines. Each line is an item or a complete state.
final class StreamedLines: Sendable {
    private struct State {
        var rest: [UInt8] = []
        var lines = 0
        /// The last line's error; nil if it could be read.
        var error: FeedError?
        /// Whether a line was too long, so that the start of the next line is unknown.
        var isOver = false
    }

    private let stream: CommandSettings.Stream
    private let rows: RowMapping
    private let remove: FieldPath?
    private let name: String
    private let deliver: @Sendable (FeedState) -> Void
    let broken = WakeSignal()
    private let state = Mutex(State())

    /// The limit of a line's length in bytes, so that a program that writes no line ends does not use up the memory.
    private let lineLengthMax: Int

    init(
        _ stream: CommandSettings.Stream, _ rows: RowMapping, remove: FieldPath? = nil, named name: String,
        lineLengthMax: Int = FeedLimits.sourceLengthMax, _ deliver: @escaping @Sendable (FeedState) -> Void
    ) {
        self.lineLengthMax = lineLengthMax
        self.stream = stream
        self.rows = rows
        self.remove = remove
        self.name = name
        self.deliver = deliver
    }

    func append(_ part: [UInt8]) {
        let isBroken = state.withLock { state in
            guard !state.isOver else { return false }
            let feed = UInt8(ascii: "\n")
            // Other lines that end in this part are no longer than the part.
            guard state.rest.count + (part.firstIndex(of: feed) ?? part.count) <= lineLengthMax else {
                state.error = FeedError(
                    "\(name): line \(state.lines + 1) is longer than \(grouped(lineLengthMax)) bytes (sourceLengthMax); "
                        + "let the command print shorter lines")
                (state.rest, state.isOver) = ([], true)
                return true
            }
            guard let end = part.lastIndex(of: feed) else {
                state.rest += part
                return false
            }
            let text = state.rest + part[..<end]
            state.rest = Array(part[(end + 1)...])
            let wasBroken = state.error != nil
            take(text, after: state.lines, &state.error)
            state.lines += text.count { $0 == feed } + 1
            return state.error != nil && !wasBroken
        }
        if isBroken { broken.signal() }
    }

    var isOver: Bool { state.withLock(\.isOver) }

    /// Throws the last line's error. Ignores an unfinished last line.
    func end() throws(FeedError) {
        if let error = state.withLock(\.error) { throw error }
    }

    /// Delivers each item, or the last state, of complete lines, and the errors of unreadable ones. `count` lines precede them.
    private func take(_ text: [UInt8], after count: Int, _ error: inout FeedError?) {
        let lines = Array(TextLines(text[...]))
        switch stream {
        case .ndjson:
            for line in lines {
                error = read(line, after: count)
                if let error { deliver(.failure(error)) }
            }
        case .states where !lines.isEmpty:
            error = nil
            // A state replaces earlier ones, so those are read only if it is unreadable.
            for line in lines.reversed() {
                guard let problem = read(line, after: count) else { break }
                error = error ?? problem
            }
            if let error { deliver(.failure(error)) }
        case .states: break
        }
    }

    /// Delivers a line's item or state. Returns the error if the line cannot be read.
    private func read(_ line: (line: Int, text: ArraySlice<UInt8>), after count: Int) -> FeedError? {
        do throws(InputError) {
            let text = Array(line.text)
            if let id = try removedItem(text, line: count + line.line) {
                deliver(.change(.removal(id)))
                return nil
            }
            let input = try input(text, line: count + line.line)
            deliver(stream == .states ? .whole(input) : .change(.merge(input)))
            return nil
        } catch {
            return FeedError(error)
        }
    }

    /// The item that a line deletes; nil if the line adds or changes an item.
    private func removedItem(_ text: [UInt8], line: Int) throws(InputError) -> ItemID? {
        guard let remove, JSONRows.isRow(text[...]) else { return nil }
        guard let mark = JSONReader(Content(text)).value(ofRow: remove), !["null", "false"].contains(mark.plainText)
        else {
            return nil
        }
        // The line needs the id alone.
        var idOnly = rows
        idOnly.fields = .init(id: rows.fields.id)
        return switch try input(text, line: line, idOnly) {
        case .items(let items): items.first?.id
        case .whole(let list): list.sections.first?.items.first?.id
        }
    }

    private func input(_ text: [UInt8], line: Int, _ rows: RowMapping? = nil) throws(InputError) -> Input {
        var rows = rows ?? self.rows
        rows.from = rows.from ?? stream.usualFormat
        return try rows.input(text, ofLine: line, named: name)
    }
}
