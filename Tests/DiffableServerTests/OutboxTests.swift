import Diffable
import DiffableProtocol
import NIOCore
import Testing

@testable import DiffableServer

struct OutboxTests {
    private var outbox = Outbox()

    private func line(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    private var firstLine: String? {
        if case .line(let line, _)? = outbox.first { String(buffer: line) } else { nil }
    }

    @Test mutating func `answers leave in the order of the requests, whenever they are known`() {
        let first = outbox.reserve()
        outbox.append(.line(line("second"), after: nil))
        let third = outbox.reserve()
        outbox.fill(third, with: line("third"), after: nil)
        #expect(firstLine == nil)
        outbox.fill(first, with: line("first"), after: nil)
        for expected in ["first", "second", "third"] {
            #expect(firstLine == expected)
            outbox.removeFirst()
        }
        #expect(outbox.isEmpty)
    }

    @Test mutating func `a place stays the same when others have left`() {
        outbox.append(.line(line("first"), after: nil))
        let place = outbox.reserve()
        outbox.removeFirst()
        outbox.fill(place, with: line("second"), after: nil)
        #expect(firstLine == "second")
    }

    @Test mutating func `it knows how long its lines are together, and whether a read waits`() {
        let place = outbox.reserve()
        outbox.append(.line(line("12345"), after: nil))
        outbox.append(.read(.lists, .null))
        #expect(outbox.length == 5 && outbox.hasRead && outbox.count == 3)
        outbox.fill(place, with: line("123"), after: nil)
        #expect(outbox.length == 8)
        for _ in 0..<3 { outbox.removeFirst() }
        #expect(outbox.length == 0 && !outbox.hasRead && outbox.isEmpty)
    }
}
