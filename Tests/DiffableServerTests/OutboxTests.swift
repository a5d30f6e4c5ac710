import Diffable
import DiffableJSON
import DiffableProtocol
import Testing

@testable import DiffableServer

struct OutboxTests {
    private var outbox = Outbox()
    private let barrier = Outbox.Barrier(list: "tasks", epoch: "e", revision: 7)

    private mutating func append(_ text: String) { outbox.append { Self.write(text, &$0) } }

    private mutating func fill(_ place: Outbox.Reservation, _ text: String, after barrier: Outbox.Barrier? = nil) {
        outbox.fill(place, after: barrier) { Self.write(text, &$0) }
    }

    private static func write(_ text: String, _ writer: inout ByteWriter) { writer.append(Array(text.utf8)) }

    private mutating func readyLines() -> String {
        let lines = outbox.takeReadyLines()
        defer { outbox.reuse(lines) }
        return String(decoding: lines.bytes, as: UTF8.self)
    }

    @Test mutating func `answers leave in the order of the requests, whenever they are known`() {
        let first = outbox.reserve()
        append("second ")
        let third = outbox.reserve()
        fill(third, "third ")
        #expect(!outbox.hasReadyLines && outbox.waitingCount == 3)
        fill(first, "first ")
        #expect(readyLines() == "first second third ")
        #expect(outbox.isEmpty && outbox.waitingCount == 0)
    }

    @Test mutating func `a place stays the same when others have left`() {
        append("first ")
        let second = outbox.reserve()
        let third = outbox.reserve()
        #expect(readyLines() == "first ")
        fill(third, "third ")
        #expect(readyLines() == "")
        fill(second, "second ")
        #expect(readyLines() == "second third ")
    }

    @Test mutating func `a line waits for its barrier, and what is behind it waits too`() {
        let first = outbox.reserve()
        let second = outbox.reserve()
        append("third ")
        fill(second, "second ", after: barrier)
        fill(first, "first ")
        #expect(readyLines() == "first ")
        guard case .line(_, after: .some)? = outbox.first else {
            Issue.record("the line with the barrier comes next")
            return
        }
        outbox.release()
        #expect(readyLines() == "second third ")
    }

    @Test mutating func `a read waits for its turn, and lines behind it for the read`() {
        append("first ")
        outbox.append(.lists(.init()), .null)
        append("third ")
        #expect(readyLines() == "first " && outbox.hasRead)
        guard case .read? = outbox.first else {
            Issue.record("the read comes next")
            return
        }
        outbox.removeRead()
        #expect(!outbox.hasRead && readyLines() == "third ")
    }

    @Test mutating func `it knows how many answers wait and how long its lines are together`() {
        append("12345")
        let place = outbox.reserve()
        append("678")
        #expect(outbox.length == 8 && outbox.waitingCount == 2)
        fill(place, "")
        #expect(outbox.length == 8 && outbox.waitingCount == 0, "what is ready waits for nothing")
        _ = readyLines()
        #expect(outbox.length == 0 && outbox.isEmpty)
    }

    @Test mutating func `storage for long lines is not kept`() {
        append(String(repeating: "x", count: 1 << 20))
        _ = readyLines()
        append("short")
        #expect(outbox.takeReadyLines().capacity < 1 << 16)
    }
}
