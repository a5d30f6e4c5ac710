import DiffableProtocol
import TestSupport
import Testing

struct LineFramerTests {
    @Test(arguments: [
        ("", []), ("\n\n\r\n \t\n", []), ("a\n", ["a"]), ("a\r\nb\n", ["a", "b"]), ("a\n\n\nb\n", ["a", "b"]),
        ("a", []), ("a\nb", ["a"]), ("a\rb\n", ["a\rb"]), ("a\r\r\n", ["a\r"]),
    ])
    func `lines end with a newline, and blank ones are passed over`(text: String, lines: [String]) {
        var framer = LineFramer()
        framer.append(text)
        #expect(framer.lines() == lines)
    }

    @Test(arguments: [("a", ["a"]), ("a\nb", ["a", "b"]), ("a\r", ["a"]), ("a\n", ["a"]), ("", []), (" ", [])])
    func `at the end of input the last line needs no newline`(text: String, lines: [String]) {
        var framer = LineFramer()
        framer.append(text)
        framer.finish()
        #expect(framer.lines() == lines)
        #expect(framer.lines() == [])
    }

    @Test(arguments: ["other\nnext\n", "\n \nother\r\nnext\n"])
    func `a line that is not wanted is left where it is`(text: String) {
        var framer = LineFramer()
        func take(_ wanted: String) -> String {
            let peeked: LineFramer.Peeked<String> = framer.takeNext { line in
                guard case .line(let bytes) = line else { return nil }
                let text = String(decoding: bytes, as: UTF8.self)
                return text == wanted ? text : nil
            }
            return switch peeked {
            case .taken(let text): text
            case .left: "LEFT"
            case .nothing: "NOTHING"
            }
        }
        #expect(take("wanted") == "NOTHING")
        framer.append("wanted\nwan")
        #expect([take("wanted"), take("wanted")] == ["wanted", "NOTHING"])
        framer.append("ted\n" + text)
        #expect([take("wanted"), take("wanted"), take("wanted")] == ["wanted", "LEFT", "LEFT"])
        #expect(take("other") == "other")
        #expect(framer.lines() == ["next"])
    }

    @Test func `a line that is let go of is skipped up to its newline`() {
        var framer = LineFramer()
        framer.append("a\nbc")
        let isWhole = framer.skipUnfinishedLine()
        #expect(!isWhole, "there is a whole one before it")
        #expect(framer.lines() == ["a"])
        #expect(framer.length == 2)
        let isUnfinished = framer.skipUnfinishedLine()
        #expect(isUnfinished && framer.length == 0)
        framer.append("d\ne\n")
        #expect(framer.lines() == ["e"])
        let isThere = framer.skipUnfinishedLine()
        #expect(!isThere)
    }

    @Test func `it does not matter how the bytes are cut`() {
        let text = "first\r\n\nsecond line\n\r\nabcdefghij\r\nabcdefghijk\nabcdefghijklm\r\n           \nlast"
        let expected = ["first", "TOO LONG", "abcdefghij", "TOO LONG", "TOO LONG", "TOO LONG", "last"]
        for size in 1...text.utf8.count {
            var framer = LineFramer(lineLengthMax: 10)
            var lines: [String] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                framer.append(String(decoding: rest.prefix(size), as: UTF8.self))
                rest = rest.dropFirst(size)
                lines += framer.lines()
            }
            framer.finish()
            lines += framer.lines()
            #expect(lines == expected, "\(size) bytes at a time")
        }
    }

    @Test func `lines that are read where they lie are the same, however the bytes are cut`() {
        let text = "first\r\n\nsecond line\n\r\nabcdefghij\r\nabcdefghijk\nabcdefghijklm\r\n           \nlast"
        let expected = ["first", "TOO LONG", "abcdefghij", "TOO LONG", "TOO LONG", "TOO LONG", "last"]
        for size in 1...text.utf8.count {
            for appetite in [1, 2, 100] {
                var framer = LineFramer(lineLengthMax: 10)
                var lines: [String] = []
                var rest = Array(text.utf8)[...]
                while !rest.isEmpty {
                    lines += framer.read(String(decoding: rest.prefix(size), as: UTF8.self), upTo: appetite)
                    rest = rest.dropFirst(size)
                    // A reader that stopped continues with the kept lines.
                    if size % 2 == 0 { lines += framer.lines() }
                }
                lines += framer.lines()
                #expect(!framer.hasBytes || lines.last != "last")
                framer.finish()
                lines += framer.lines()
                #expect(lines == expected, "\(size) bytes at a time, \(appetite) lines at a time")
            }
        }
    }

    @Test func `what was kept comes before what is read`() {
        var framer = LineFramer()
        #expect(framer.read("a\nb\nc", upTo: 1) == ["a"])
        #expect(framer.hasBytes)
        #expect(framer.read("d\ne\nf\n", upTo: 2) == ["b", "cd"])
        #expect(framer.lines() == ["e", "f"])
        #expect(!framer.hasBytes)
    }

    @Test(arguments: ["\n", "\r\n"]) func `a line as long as the limit is taken, one byte more is not`(end: String) {
        for (count, isTaken) in [(9, true), (10, true), (11, false), (12, false)] {
            let line = String(repeating: "x", count: count)
            for isCut in [false, true] {
                var framer = LineFramer(lineLengthMax: 10)
                framer.append(line)
                var lines = isCut ? framer.lines() : []
                framer.append(end + "y\n")
                lines += framer.lines()
                #expect(lines == [isTaken ? line : "TOO LONG", "y"])
            }
        }
    }

    @Test func `a line that is too long says at its end whether it is a part, however it is cut`() {
        for (end, part) in [(#","more":true}}"#, Request.Part.more), ("}}", .whole), (#","more":tru"#, nil)] {
            let text = #"{"method":"transact","params":{"operations":[{"more":[]}]"# + end + "\nnext\n"
            for size in 1...text.utf8.count {
                var framer = LineFramer(lineLengthMax: 10)
                var parts: [Request.Part?] = []
                var rest = Array(text.utf8)[...]
                while !rest.isEmpty {
                    Array(rest.prefix(size)).withUnsafeBytes { bytes in
                        framer.read(bytes) { line in
                            switch line {
                            case .tooLong(let line?), .skipped(let line): parts.append(line.part)
                            case .tooLong(nil), .line: break
                            }
                            return .wantsMore
                        }
                    }
                    rest = rest.dropFirst(size)
                }
                #expect(parts == [part], "\(size) bytes at a time: \(end)")
            }
        }
    }

    @Test func `a line that never ends is reported once and not kept`() {
        var framer = LineFramer(lineLengthMax: 1000)
        var lines: [String] = []
        for _ in 0..<100 {
            framer.append(String(repeating: "x", count: 500))
            lines += framer.lines()
        }
        framer.append("\nnext\n")
        lines += framer.lines()
        #expect(lines == ["TOO LONG", "next"])
    }

    @Test func `a long line that arrives in small pieces is looked at once`() {
        var framer = LineFramer(lineLengthMax: .max)
        let piece = String(repeating: "x", count: 64)
        let time = processorTime {
            for _ in 0..<100_000 {
                framer.append(piece)
                _ = framer.lines()
            }
        }
        framer.append("\n")
        #expect(framer.lines().first?.utf8.count == 6_400_000)
        // Scanning the whole line for each piece would read 320 GB.
        #expect(time < .seconds(20))
    }
}

extension LineFramer {
    fileprivate mutating func append(_ text: String) {
        Array(text.utf8).withUnsafeBytes { append($0) }
    }

    /// Reads up to `count` complete lines.
    fileprivate mutating func read(_ text: String, upTo count: Int) -> [String] {
        var lines: [String] = []
        Array(text.utf8).withUnsafeBytes { bytes in
            read(bytes) { line in
                if let text = line.text { lines.append(text) }
                return lines.count < count ? .wantsMore : .sated
            }
        }
        return lines
    }

    fileprivate mutating func lines() -> [String] {
        var lines: [String] = []
        while let line = next(\.text) { if let line { lines.append(line) } }
        return lines
    }
}

extension LineFramer.Line {
    /// The line's text; nil at the end of a line that was reported before.
    fileprivate var text: String? {
        switch self {
        case .line(let bytes): String(decoding: bytes, as: UTF8.self)
        case .tooLong: "TOO LONG"
        case .skipped: nil
        }
    }
}
