internal import DiffableView

/// Decodes terminal input byte by byte, however reads split it.
///
/// A terminal sends text, control characters, and sequences that begin with an escape character (ECMA-48; xterm's "Control
/// Sequences"; for `CSI u` the keyboard protocol of kitty). The Escape key sends that character alone, and only a pause
/// distinguishes it. So while `timeOut` is not nil, the caller waits that long for more bytes and then calls `timeOutPassed`.
/// The number of kept bytes is bounded for any input.
package struct KeyDecoder: Sendable {
    /// Bytes of the longest paste; the rest is cut.
    package static let pasteLengthMax = 64 << 10

    enum State: Sendable {
        case ground
        /// Inside a UTF-8 character.
        case character(length: Int)
        case escape
        case controlSequence
        /// A sequence that is too long is skipped up to its end.
        case longSequence
        /// `ESC [ [ A`, a function key of the Linux console.
        case consoleKey
        /// `ESC O A`, a key in the application mode of keypads.
        case singleShift
        /// `ESC ] … BEL` or `ESC P … ESC \`.
        case string(introducer: UInt8)
        case stringEscape(introducer: UInt8)
        /// `ESC [ M` and three bytes.
        case legacyMouse
        case paste
    }

    static let sequenceLengthMax = 64
    static let stringLengthMax = 256
    /// Most bytes skipped at once; without the limit, garbage would swallow every key after it.
    static let skippedLengthMax = 4096

    var state = State.ground
    /// The bytes of the unfinished sequence.
    var bytes: [UInt8] = []
    var skippedLength = 0
    /// Modifiers of the key that is being read.
    var modifiers: KeyModifiers = []
    /// Whether two escape characters arrived: the second begins a sequence, and the first is Alt or a key of its own.
    var isAfterEscape = false
    /// The number of bytes of a paste's end marker that have arrived.
    private var pasteEndLength = 0
    private let escapeTimeOut: Duration

    /// - Parameter escapeTimeOut: the time to wait for the rest of a sequence after an escape character.
    package init(escapeTimeOut: Duration = .milliseconds(50)) {
        self.escapeTimeOut = escapeTimeOut
    }

    /// The time to wait for the next byte before `timeOutPassed`; nil when nothing is unfinished.
    package var timeOut: Duration? {
        switch state {
        case .ground: nil
        case .escape: escapeTimeOut
        // Alt with a bracket looks like the beginning of a sequence.
        case .controlSequence, .singleShift, .string: bytes.isEmpty ? escapeTimeOut : .seconds(1)
        case .character, .longSequence, .consoleKey, .stringEscape, .legacyMouse: .seconds(1)
        case .paste: .seconds(2)
        }
    }

    var isInPaste: Bool { if case .paste = state { true } else { false } }

    package mutating func decode(_ bytes: some Sequence<UInt8>) -> [InputEvent] {
        var events: [InputEvent] = []
        for byte in bytes { decode(byte, &events) }
        return events
    }

    /// Ends the unfinished input after a pause of `timeOut`. Returns a key, and drops a part of anything else, because the rest
    /// of a reply would be taken for keys.
    package mutating func timeOutPassed() -> [InputEvent] {
        var events: [InputEvent] = []
        switch state {
        case .escape: append(.escape, [], &events)
        case .controlSequence where bytes.isEmpty: append(.character("["), .alt, &events)
        case .singleShift where bytes.isEmpty: append(.character("O"), .alt, &events)
        case .string(let introducer) where bytes.isEmpty:
            append(.character(Unicode.Scalar(introducer)), .alt, &events)
        case .paste: endPaste(&events)
        default: break
        }
        finish()
        return events
    }

    mutating func finish() {
        state = .ground
        bytes.removeAll(keepingCapacity: true)
        modifiers = []
        isAfterEscape = false
        skippedLength = 0
        pasteEndLength = 0
    }

    private mutating func decode(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch state {
        case .ground: begin(byte, &events)
        case .character(let length): continueCharacter(byte, length: length, &events)
        case .escape: continueEscape(byte, &events)
        case .controlSequence: continueSequence(byte, &events)
        case .longSequence:
            skippedLength += 1
            if 0x40...0x7E ~= byte || skippedLength > Self.skippedLengthMax {
                finish()
            } else if byte < 0x20 {
                restart(with: byte, &events)
            }
        case .consoleKey:
            if case 0x41...0x45 = byte { append(.function(Int(byte) - 0x40), [], &events) }
            finish()
        case .singleShift: continueSingleShift(byte, &events)
        case .string(let introducer): continueString(byte, introducer: introducer, &events)
        case .stringEscape(let introducer):
            if byte == UInt8(ascii: "\\") {
                endString(introducer: introducer, &events)
            } else {
                finish()
                state = .escape
                decode(byte, &events)
            }
        case .legacyMouse: continueLegacyMouse(byte, &events)
        case .paste: continuePaste(byte, &events)
        }
    }

    /// Drops the unfinished input and begins again with this byte.
    mutating func restart(with byte: UInt8, _ events: inout [InputEvent]) {
        finish()
        begin(byte, &events)
    }

    private mutating func continueEscape(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case 0x1B:
            if isAfterEscape { events.append(.key(KeyPress(.escape))) }
            isAfterEscape = true
        case UInt8(ascii: "["): state = .controlSequence
        case UInt8(ascii: "O"): state = .singleShift
        case UInt8(ascii: "]"), UInt8(ascii: "P"): state = .string(introducer: byte)
        default:
            if isAfterEscape { events.append(.key(KeyPress(.escape))) }
            finish()
            modifiers = .alt
            begin(byte, &events)
        }
    }

    // MARK: Pastes

    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private mutating func continuePaste(_ byte: UInt8, _ events: inout [InputEvent]) {
        if byte == Self.pasteEnd[pasteEndLength] {
            pasteEndLength += 1
            guard pasteEndLength == Self.pasteEnd.count else { return }
            endPaste(&events)
            finish()
            return
        }
        for byte in Self.pasteEnd.prefix(pasteEndLength) { keepPasted(byte) }
        pasteEndLength = byte == Self.pasteEnd[0] ? 1 : 0
        if pasteEndLength == 0 { keepPasted(byte) }
    }

    private mutating func keepPasted(_ byte: UInt8) {
        if bytes.count < Self.pasteLengthMax { bytes.append(byte) }
    }

    private mutating func endPaste(_ events: inout [InputEvent]) {
        var text = ""
        // `\r\n` is one Character and one line end.
        for character in String(decoding: bytes, as: UTF8.self) {
            text.append(character == "\r" || character == "\r\n" ? "\n" : character)
        }
        events.append(.paste(text))
    }
}
