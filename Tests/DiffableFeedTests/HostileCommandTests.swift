import Diffable
import DiffableInput
import DiffableJSON
import Foundation
import TestSupport
import Testing

@testable import DiffableFeed

/// Commands with unlimited output.
@Suite struct HostileCommandTests {
    private func source(
        _ line: String, from: InputFormat? = nil, stream: CommandSettings.Stream? = nil,
        _ change: (inout InputLimits) -> Void = { _ in }
    ) -> CommandSource {
        var settings = CommandSettings(line: line)
        settings.stream = stream
        var rows = RowMapping()
        rows.from = from
        var limits = FeedLimits.input
        change(&limits)
        return CommandSource(
            settings, rows, complete: { content, _ in content }, environment: ["PATH=/usr/bin:/bin"], limits: limits,
            patience: .zero)
    }

    private func failure(of source: CommandSource) async -> String {
        do { try await source.run { _ in } } catch { return "\(error)" }
        return "none"
    }

    @Test(arguments: [nil, CommandSettings.Stream.ndjson, .states])
    func `output without an end, and a line without an end, are read up to the limit`(
        stream: CommandSettings.Stream?
    ) async {
        let message = await failure(of: source("yes | tr -d '\\n'", stream: stream) { $0.sourceLengthMax = 1_000_000 })
        #expect(message.contains("1,000,000 bytes (sourceLengthMax)"), "\(message)")
    }

    @Test(arguments: [
        ("seq", InputFormat.lines), ("seq", .ndjson), ("echo id; seq", .csv), ("echo id; seq", .tsv),
        ("echo id; seq", .columns), ("seq", .tree), ("seq -f '%g,' -s '' ", .json),
    ])
    func `a result has so many rows, and not one more`(line: String, format: InputFormat) async throws {
        func command(_ count: Int) -> String {
            let numbers = "\(line) \(count)"
            return format == .json ? "echo \"[$(\(numbers))0]\"" : numbers
        }
        let rows = format == .json ? 99 : 100
        for (count, isTooMany) in [(rows, false), (rows + 1, true)] {
            let states = Collected()
            let source = source(command(count), from: format) { $0.rowsMax = 100 }
            do {
                try await source.run { states.append($0) }
                #expect(!isTooMany && states.values.count == 1)
            } catch {
                #expect(
                    isTooMany && "\(error)".hasSuffix("there are more than 100 rows (rowsMax); select fewer"),
                    "\(error)")
            }
        }
    }

    @Test func `the items of a snapshot and of a stream's state count as rows`() async {
        let list = #"{"sections":[{"id":"s","items":[{"id":"a","children":[{"id":"b"},{"id":"c"}]}]}]}"#
        for stream in [nil, CommandSettings.Stream.states] {
            let message = await failure(of: source("echo '\(list)'", from: .json, stream: stream) { $0.rowsMax = 2 })
            #expect(message.contains("more than 2 rows (rowsMax)"), "\(message)")
        }
    }

    /// A few bytes of output may be many bytes of rows.
    @Test func `names of columns that each row repeats, and paths to a row, count for the length of the result`() async
    {
        let csv = "printf '%.0sn' $(seq 9999); echo ,id; seq -f ',%g' 2000"
        let tree = "printf '%.0sn' $(seq 9999); echo; seq -f ' %g' 2000"
        for (line, format) in [(csv, InputFormat.csv), (tree, .tree)] {
            let message = await failure(of: source(line, from: format) { $0.sourceLengthMax = 1_000_000 })
            #expect(message.contains("the rows are longer than 1,000,000 bytes (sourceLengthMax)"), "\(message)")
        }
    }

    @Test func `a table has so many columns, and one in columns is so long`() async {
        let commas = await failure(of: source("yes , | head -n 3000 | tr -d '\\n'", from: .csv))
        #expect(commas.contains("more than 2,000 columns (columnsMax)"), "\(commas)")
        let columns = await failure(of: source("yes 'a  b' | head -c 5000000", from: .columns))
        #expect(columns.contains("longer than 4,194,304 bytes (alignedLengthMax)"), "\(columns)")
    }

    @Test func `hostile bytes, numbers and depths are an error or the state, and nothing worse`() async {
        let deep = "printf '[%.0s' $(seq 100000)"
        for (line, message) in [
            (#"printf '["\377"]'"#, "not valid UTF-8"), ("echo '[NaN]'", "read as json"),
            ("echo '[Infinity]'", "read as json"), (deep, "read as json"), ("head -c 100000 /dev/urandom", "UTF-8"),
            (#"echo '[{"id":1e999999999,"n":99999999999999999999999999999999}]'"#, "none"),
            (#"printf '[{"id":"a\\u0000\\u001b[2J"}]'"#, "control"), ("echo '[-]'", "read as json"),
        ] {
            let failure = await failure(of: source(line, from: .json))
            #expect(failure.contains(message), "\(line): \(failure)")
        }
    }

    @Test func `sections by the hundred thousand are read in a moment`() async throws {
        let line = #"seq -f '{"section":"s%g"}' 200000"#
        let states = Collected()
        try await source(line, from: .ndjson).run { states.append($0) }
        #expect(states.values.count == 1)
    }

    @Test func `items that nobody can send are kept up to the limit, the newest first`() throws {
        let news = PendingFeedOutput(WakeSignal(), lengthMax: 1_000)
        func items(_ number: Int, _ length: Int) throws -> FeedState {
            let text = String(repeating: "x", count: length - 2)
            return .change(
                .merge(.items([Item(id: try ItemID("i\(number)"), content: try Content(json: "\"\(text)\""))])))
        }
        for number in 1...100 { news.append(try items(number, 100)) }
        func ids(_ batch: PendingFeedOutput.Batch?) -> [String] {
            (batch?.changes ?? []).flatMap { change -> [String] in
                guard case .merge(.items(let items)) = change else { return [] }
                return items.map { "\($0.id)" }
            }
        }
        let first = news.take(after: nil)
        #expect(ids(first).count <= 20 && ids(first).last == "i100")
        for number in 101...115 { news.append(try items(number, 100)) }
        #expect(ids(news.take(after: first)) == (106...115).map { "i\($0)" })
        // An entry that is longer than the limit by itself is kept.
        news.append(try items(116, 5_000))
        #expect(ids(news.take(after: nil)) == ["i116"])
    }
}
