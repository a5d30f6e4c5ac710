import DiffableInput
import Synchronization

/// Lines of a command that does not end, which come in any parts: each is an item, or a whole state.
final class StreamedLines: Sendable {
    private struct State {
        var rest: [UInt8] = []
        /// Whole ones that were taken.
        var lines = 0
        var error: FeedError?
    }

    private let stream: CommandSettings.Stream
    private let rows: RowMapping
    private let name: String
    private let deliver: @Sendable (FeedState) -> Void
    /// Rings when a line cannot be read: what comes after it counts no more.
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
            guard state.error == nil else { return false }
            let feed = UInt8(ascii: "\n")
            // Others that end in this part are no longer than a part.
            guard state.rest.count + (part.firstIndex(of: feed) ?? part.count) <= lineLengthMax else {
                state.error = FeedError(
                    "\(name): line \(state.lines + 1) is longer than \(grouped(lineLengthMax)) bytes")
                state.rest = []
                return true
            }
            guard let end = part.lastIndex(of: feed) else {
                state.rest += part
                return false
            }
            let text = state.rest + part[..<end]
            state.rest = Array(part[(end + 1)...])
            do throws(FeedError) { try take(text, after: state.lines) } catch { state.error = error }
            state.lines += text.count { $0 == feed } + 1
            return state.error != nil
        }
        if isBroken { broken.ring() }
    }

    /// Throws what was wrong with a line. A last line without its end is half of one, and is left out.
    func end() throws(FeedError) {
        if let error = state.withLock(\.error) { throw error }
    }

    /// - Parameters:
    ///   - text: whole lines.
    ///   - count: how many came before them.
    private func take(_ text: [UInt8], after count: Int) throws(FeedError) {
        let lines = Array(TextLines(text[...]))
        // Of whole states those before the last are over already.
        for (number, line) in stream == .states ? lines.suffix(1) : lines[...] {
            do throws(InputError) {
                let input = try input(Array(line), line: count + number)
                deliver(stream == .states ? .whole(input) : .items(input))
            } catch {
                throw FeedError(error)
            }
        }
    }

    private func input(_ text: [UInt8], line: Int) throws(InputError) -> Input {
        var rows = rows
        rows.from = rows.from ?? stream.usualFormat
        return try rows.input(text, ofLine: line, named: name)
    }
}
