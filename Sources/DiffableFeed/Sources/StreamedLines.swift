import DiffableInput
import Synchronization

/// Lines of a command that does not end, which come in any parts: each is an item, or a whole state.
final class StreamedLines: Sendable {
    private struct State {
        var rest: [UInt8] = []
        var error: FeedError?
    }

    private let stream: CommandSettings.Stream
    private let rows: RowMapping
    private let name: String
    private let deliver: @Sendable (FeedState) -> Void
    private let state = Mutex(State())

    /// In bytes. A longer line is an error, so that a program that writes no line ends does not use up the memory.
    static let lineLengthMax = 64 << 20

    init(
        _ stream: CommandSettings.Stream, _ rows: RowMapping, named name: String,
        _ deliver: @escaping @Sendable (FeedState) -> Void
    ) {
        self.stream = stream
        self.rows = rows
        self.name = name
        self.deliver = deliver
    }

    func append(_ part: [UInt8]) {
        state.withLock { state in
            guard state.error == nil else { return }
            let feed = UInt8(ascii: "\n")
            guard let end = part.lastIndex(of: feed) else {
                state.rest += part
                if state.rest.count > Self.lineLengthMax {
                    state.error = FeedError("\(name): a line is longer than \(grouped(Self.lineLengthMax)) bytes")
                    state.rest = []
                }
                return
            }
            let text = state.rest + part[..<end]
            state.rest = Array(part[(end + 1)...])
            do throws(FeedError) { try take(text) } catch { state.error = error }
        }
    }

    /// Throws what was wrong with a line. A last line without its end is half of one, and is left out.
    func end() throws(FeedError) {
        if let error = state.withLock(\.error) { throw error }
    }

    /// - Parameter text: whole lines.
    private func take(_ text: [UInt8]) throws(FeedError) {
        do throws(InputError) {
            switch stream {
            case .states:
                // Those before the last are over already.
                let last = text.split(separator: UInt8(ascii: "\n")).last { !$0.allSatisfy(isWhiteSpace) }
                if let last { deliver(.whole(try input(Array(last)))) }
            case .ndjson:
                for (_, line) in TextLines(text[...]) { deliver(.items(try input(Array(line)))) }
            }
        } catch {
            throw FeedError("\(error)")
        }
    }

    private func input(_ line: [UInt8]) throws(InputError) -> Input {
        var rows = rows
        if rows.from == nil { rows.from = stream == .ndjson ? .ndjson : .json }
        return try rows.input(line, file: nil, named: name)
    }
}
