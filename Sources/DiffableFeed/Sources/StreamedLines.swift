import DiffableInput
import Synchronization

/// Lines of a command that does not end, which come in any parts: each is an item, or a whole state.
final class StreamedLines: Sendable {
    private struct State {
        var rest: [UInt8] = []
        /// Whole ones that were taken.
        var lines = 0
        /// The last line's error; nil if it could be read.
        var error: FeedError?
        /// Whether a line was too long, so that the beginning of the next one is unknown.
        var isOver = false
    }

    private let stream: CommandSettings.Stream
    private let rows: RowMapping
    private let name: String
    private let deliver: @Sendable (FeedState) -> Void
    /// Rings when a line cannot be read.
    let broken = Bell()
    private let state = Mutex(State())

    /// In bytes. A longer line is an error, so that a program that writes no line ends does not use up the memory.
    static let lineLengthMax = 64 << 20
    private let lineLengthMax: Int

    init(
        _ stream: CommandSettings.Stream, _ rows: RowMapping, named name: String,
        lineLengthMax: Int = StreamedLines.lineLengthMax, _ deliver: @escaping @Sendable (FeedState) -> Void
    ) {
        self.lineLengthMax = lineLengthMax
        self.stream = stream
        self.rows = rows
        self.name = name
        self.deliver = deliver
    }

    func append(_ part: [UInt8]) {
        let isBroken = state.withLock { state in
            guard !state.isOver else { return false }
            let feed = UInt8(ascii: "\n")
            // Others that end in this part are no longer than a part.
            guard state.rest.count + (part.firstIndex(of: feed) ?? part.count) <= lineLengthMax else {
                state.error = FeedError(
                    "\(name): line \(state.lines + 1) is longer than \(grouped(lineLengthMax)) bytes")
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
        if isBroken { broken.ring() }
    }

    var isOver: Bool { state.withLock(\.isOver) }

    /// Throws the last line's error. An unfinished line at the end is left out.
    func end() throws(FeedError) {
        if let error = state.withLock(\.error) { throw error }
    }

    /// Delivers each item, or the last state, and the errors of lines that cannot be read.
    ///
    /// - Parameters:
    ///   - text: whole lines.
    ///   - count: how many came before them.
    ///   - error: the last line's error.
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
            // A state replaces those before it, which count only if it cannot be read.
            for line in lines.reversed() {
                guard let problem = read(line, after: count) else { break }
                error = error ?? problem
            }
            if let error { deliver(.failure(error)) }
        case .states: break
        }
    }

    /// Delivers a line's item or state.
    ///
    /// - Returns: why the line cannot be read; nil if it can.
    private func read(_ line: (line: Int, text: ArraySlice<UInt8>), after count: Int) -> FeedError? {
        do throws(InputError) {
            let input = try input(Array(line.text), line: count + line.line)
            deliver(stream == .states ? .whole(input) : .items(input))
            return nil
        } catch {
            return FeedError(error)
        }
    }

    private func input(_ text: [UInt8], line: Int) throws(InputError) -> Input {
        var rows = rows
        rows.from = rows.from ?? stream.usualFormat
        return try rows.input(text, ofLine: line, named: name)
    }
}
