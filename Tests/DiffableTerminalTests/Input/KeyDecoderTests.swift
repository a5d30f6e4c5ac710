import DiffableTerminal
import DiffableView
import TestSupport
import Testing

@Suite struct KeyDecoderTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let bytes: String
        let events: [InputEvent]

        init(_ bytes: String, _ events: InputEvent...) {
            self.bytes = bytes
            self.events = events
        }

        var testDescription: String { bytes.debugDescription }
    }

    private static func key(_ key: Key, _ modifiers: KeyModifiers = []) -> InputEvent {
        .key(KeyPress(key, modifiers))
    }

    private static let keys = [
        Case("a", key(.character("a"))), Case("A", key(.character("A"))), Case(" ", key(.character(" "))),
        Case("é", key(.character("é"))), Case("語", key(.character("語"))), Case("👍", key(.character("👍"))),
        Case("\r", key(.enter)), Case("\t", key(.tab)), Case("\u{7F}", key(.backspace)),
        Case("\u{8}", key(.backspace)), Case("\u{3}", key(.character("c"), .control)),
        Case("\0", key(.character(" "), .control)), Case("\u{1F}", key(.character("_"), .control)),
        Case("\u{1B}x", key(.character("x"), .alt)), Case("\u{1B}é", key(.character("é"), .alt)),
        Case("\u{1B}\r", key(.enter, .alt)), Case("\u{1B}\u{4}", key(.character("d"), [.alt, .control])),
        Case("\u{1B}[A", key(.up)), Case("\u{1B}[1;2B", key(.down, .shift)), Case("\u{1B}OC", key(.right)),
        Case("\u{1B}[1;5D", key(.left, .control)), Case("\u{1B}[1;3A", key(.up, .alt)),
        Case("\u{1B}[1;8A", key(.up, [.shift, .alt, .control])), Case("\u{1B}O5A", key(.up, .control)),
        Case("\u{1B}\u{1B}[A", key(.up, .alt)), Case("\u{1B}[a", key(.up, .shift)),
        Case("\u{1B}Od", key(.left, .control)), Case("\u{1B}[H", key(.home)), Case("\u{1B}OF", key(.end)),
        Case("\u{1B}[1~", key(.home)), Case("\u{1B}[8~", key(.end)), Case("\u{1B}[5~", key(.pageUp)),
        Case("\u{1B}[6;5~", key(.pageDown, .control)), Case("\u{1B}[5$", key(.pageUp, .shift)),
        Case("\u{1B}[6^", key(.pageDown, .control)), Case("\u{1B}[2~", key(.insert)),
        Case("\u{1B}[3~", key(.delete)), Case("\u{1B}[Z", key(.tab, .shift)), Case("\u{1B}OP", key(.function(1))),
        Case("\u{1B}[1;2S", key(.function(4), .shift)), Case("\u{1B}[15~", key(.function(5))),
        Case("\u{1B}[24~", key(.function(12))), Case("\u{1B}[[A", key(.function(1))),
        Case("\u{1B}[[E", key(.function(5))), Case("\u{1B}OM", key(.enter)), Case("\u{1B}Ok", key(.character("+"))),
        Case("\u{1B}Op", key(.character("0"))),
    ]

    private static let numberedKeys = [
        Case("\u{1B}[97;5u", key(.character("a"), .control)), Case("\u{1B}[27u", key(.escape)),
        Case("\u{1B}[13;2u", key(.enter, .shift)), Case("\u{1B}[97:65;2u", key(.character("A"))),
        Case("\u{1B}[9;5u", key(.tab, .control)), Case("\u{1B}[97;5:3u"),
        Case("\u{1B}[97;5:2u", key(.character("a"), .control)),
        Case("\u{1B}[1;1:3A"), Case("\u{1B}[27;5;13~", key(.enter, .control)), Case("\u{1B}[57420u", key(.down)),
        Case("\u{1B}[57358u"), Case("\u{1B}[128512;3u", key(.character("😀"), .alt)), Case("\u{1B}[99999999999u"),
    ]

    private static let mouse = [
        Case("\u{1B}[<0;1;1M", .mouse(MouseEvent(.press(.left), column: 0, row: 0))),
        Case("\u{1B}[<2;300;20M", .mouse(MouseEvent(.press(.right), column: 299, row: 19))),
        Case("\u{1B}[<0;5;6m", .mouse(MouseEvent(.release(.left), column: 4, row: 5))),
        Case("\u{1B}[<32;5;6M", .mouse(MouseEvent(.drag(.left), column: 4, row: 5))),
        Case("\u{1B}[<35;5;6M", .mouse(MouseEvent(.move, column: 4, row: 5))),
        Case("\u{1B}[<64;5;6M", .mouse(MouseEvent(.wheel(.up), column: 4, row: 5))),
        Case("\u{1B}[<81;5;6M", .mouse(MouseEvent(.wheel(.down), column: 4, row: 5, modifiers: .control))),
        Case("\u{1B}[<0;0;6M"), Case("\u{1B}[<0;5M"), Case("\u{1B}[<0;99999;6M"),
        Case("\u{1B}[M !\"", .mouse(MouseEvent(.press(.left), column: 0, row: 1))),
        Case("\u{1B}[M#!\"", .mouse(MouseEvent(.release(nil), column: 0, row: 1))),
    ]

    private static let reports = [
        Case("\u{1B}[I", .focusGained), Case("\u{1B}[O", .focusLost),
        Case("\u{1B}[200~a b\r\nc\rd\u{1B}[201~x", .paste("a b\nc\nd"), key(.character("x"))),
        Case("\u{1B}[200~\u{1B}[201\u{1B}[A\u{1B}[201~", .paste("\u{1B}[201\u{1B}[A")),
        Case("\u{1B}]11;rgb:1e1e/1f1f/2020\u{7}", .reply(.background(RGB(0x1E1F20)))),
        Case("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\", .reply(.background(.white))),
        Case("\u{1B}]10;rgba:f/0/8/f\u{1B}\\", .reply(.foreground(RGB(0xFF0088)))),
        Case("\u{1B}]11;rgb:zz/ff/00\u{7}"), Case("\u{1B}]11;rgb:ff/ff\u{7}"), Case("\u{1B}]52;c;aGFsbG8=\u{7}"),
        Case("\u{1B}[?2026;2$y", .reply(.mode(2026, .reset))), Case("\u{1B}[?2026;0$y", .reply(.mode(2026, .unknown))),
        Case("\u{1B}[?62;22c", .reply(.attributes([62, 22]))), Case("\u{1B}[?997;1n", .reply(.scheme(isDark: true))),
        Case("\u{1B}P1$r0m\u{1B}\\"), Case("\u{1B}[12;34R"), Case("\u{1B}[?1u"),
        // An unfinished sequence, followed by something else that is read normally.
        Case("\u{1B}]11;rgb:\u{1B}[A", key(.up)), Case("\u{1B}[1;\u{1B}[B", key(.down)),
        Case("\u{1B}[1\r", key(.enter)),
        Case("\u{1B}\u{1B}[I", key(.escape), .focusGained),
    ]

    @Test(arguments: keys + numberedKeys + mouse + reports)
    func `what a terminal sends is read`(sent: Case) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(sent.bytes.utf8) == sent.events)
        #expect(decoder.timeOut == nil)
    }

    @Test func `an escape character alone is the Escape key when the time is over`() {
        var decoder = KeyDecoder(escapeTimeOut: .milliseconds(30))
        #expect(decoder.decode([0x1B]) == [])
        #expect(decoder.timeOut == .milliseconds(30))
        #expect(decoder.timeOutPassed() == [Self.key(.escape)])
        #expect(decoder.timeOut == nil)
        #expect(decoder.decode("[A".utf8) == [Self.key(.character("[")), Self.key(.character("A"))])
    }

    @Test func `Escape twice is twice the Escape key`() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B, 0x1B]) == [])
        #expect(decoder.timeOutPassed() == [Self.key(.escape), Self.key(.escape)])
    }

    @Test(arguments: ["[", "O", "]", "P"])
    func `what begins a sequence is a key with Alt when nothing follows`(letter: String) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("\u{1B}\(letter)".utf8)) == [])
        #expect(decoder.timeOutPassed() == [Self.key(.character(letter.unicodeScalars.first!), .alt)])
    }

    @Test(arguments: ["\u{1B}[1;", "\u{1B}]11;rgb:", "\u{1B}O5", "\u{1B}[[", "\u{1B}[M !", "\u{1B}]11;\u{1B}"])
    func `a part of a sequence is dropped, and never read as keys`(part: String) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(part.utf8) == [])
        #expect(decoder.timeOut == .seconds(1))
        #expect(decoder.timeOutPassed() == [])
        #expect(decoder.decode("x".utf8) == [Self.key(.character("x"))])
    }

    @Test func `a part of a character is dropped`() {
        var decoder = KeyDecoder()
        #expect(
            decoder.decode([0xE8, 0xAA, UInt8(ascii: "x"), 0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80]) == [
                Self.key(.character("x"))
            ])
        #expect(decoder.timeOut == nil)
    }

    @Test func `a paste without an end ends with the time, and is cut where it is too long`() throws {
        var decoder = KeyDecoder()
        let text = String(repeating: "q", count: KeyDecoder.pasteLengthMax)
        #expect(decoder.decode(Array("\u{1B}[200~\(text)qq".utf8)) == [])
        #expect(decoder.timeOut == .seconds(2))
        #expect(decoder.timeOutPassed() == [.paste(text)])
        #expect(decoder.decode("q".utf8) == [Self.key(.character("q"))])
    }

    @Test(arguments: ["\u{1B}]", "\u{1B}P", "\u{1B}["])
    func `garbage without an end does not keep keys away`(start: String) {
        var decoder = KeyDecoder()
        _ = decoder.decode(Array((start + String(repeating: "0", count: 5000)).utf8))
        #expect(decoder.decode("x".utf8) == [Self.key(.character("x"))])
    }

    @Test func `however reads cut the bytes, the events are the same`() {
        var random = SplitMix64()
        let parts = (Self.keys + Self.numberedKeys + Self.mouse + Self.reports).map { Array($0.bytes.utf8) }
        for _ in 0..<500 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    bytes += (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
                } else {
                    bytes += parts.randomElement(using: &random)!
                }
            }
            var whole = KeyDecoder()
            let expected = whole.decode(bytes)
            var decoder = KeyDecoder()
            var events: [InputEvent] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...5, using: &random)
                events += decoder.decode(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(events == expected, "seed \(random.seed): \(bytes)")
            #expect(decoder.timeOut == whole.timeOut, "seed \(random.seed): \(bytes)")
            #expect(decoder.timeOutPassed() == whole.timeOutPassed(), "seed \(random.seed): \(bytes)")
        }
    }
}
