internal import DiffableView

// `ESC [ parameters final` and `ESC O final`: keys with names, and replies in the same form.

extension KeyDecoder {
    mutating func continueSequence(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case UInt8(ascii: "[") where bytes.isEmpty: state = .consoleKey
        // rxvt ends a shifted key's sequence this way. After a question mark, `$` precedes the end of a reply.
        case UInt8(ascii: "$") where bytes.first.map { 0x30...0x39 ~= $0 } ?? false:
            endSequence(final: byte, &events)
        case 0x20...0x3F:
            if bytes.count < Self.sequenceLengthMax { bytes.append(byte) } else { state = .longSequence }
        case 0x40...0x7E: endSequence(final: byte, &events)
        default: restart(with: byte, &events)
        }
    }

    private mutating func endSequence(final: UInt8, _ events: inout [InputEvent]) {
        let prefix = bytes.first.flatMap { 0x3C...0x3F ~= $0 ? $0 : nil }
        let parameters = SequenceParameters(bytes[(prefix == nil ? 0 : 1)...])
        switch (prefix, final) {
        case (nil, UInt8(ascii: "M")) where bytes.isEmpty:
            if isAfterEscape { events.append(.key(KeyPress(.escape))) }
            finish()
            state = .legacyMouse
            return
        case (nil, UInt8(ascii: "~")) where parameters[0] == 200:
            if isAfterEscape { events.append(.key(KeyPress(.escape))) }
            finish()
            state = .paste
            return
        case (nil, _): appendKey(final: final, parameters, &events)
        case (UInt8(ascii: "<"), UInt8(ascii: "M")), (UInt8(ascii: "<"), UInt8(ascii: "m")):
            if let event = mouseEvent(isRelease: final == UInt8(ascii: "m"), parameters) {
                append(.mouse(event), &events)
            }
        case (UInt8(ascii: "?"), _):
            if let reply = reply(final: final, parameters) { append(.reply(reply), &events) }
        default: break
        }
        finish()
    }

    private mutating func appendKey(final: UInt8, _ parameters: SequenceParameters, _ events: inout [InputEvent]) {
        var modifiers = KeyModifiers(parameter: parameters[1] ?? 1)
        // Kitty distinguishes presses, repetitions and releases.
        if parameters.detail(1) == 3 { return }
        switch final {
        case UInt8(ascii: "I") where bytes.isEmpty: append(.focusGained, &events)
        case UInt8(ascii: "O") where bytes.isEmpty: append(.focusLost, &events)
        case UInt8(ascii: "Z"): append(.tab, .shift, &events)
        case UInt8(ascii: "a")...UInt8(ascii: "d") where bytes.isEmpty:  // rxvt's arrows with shift
            if let key = letterKey(final - 0x20) { append(key, .shift, &events) }
        case UInt8(ascii: "u"):
            if let key = numberedCharacter(parameters[0]) { appendCharacter(key, modifiers, &events) }
        case UInt8(ascii: "~") where parameters[0] == 27 && parameters[2] != nil:  // xterm's modifyOtherKeys
            if let key = numberedCharacter(parameters[2]) { appendCharacter(key, modifiers, &events) }
        case UInt8(ascii: "~"), UInt8(ascii: "$"), UInt8(ascii: "^"), UInt8(ascii: "@"):
            if final == UInt8(ascii: "$") || final == UInt8(ascii: "@") { modifiers.insert(.shift) }
            if final == UInt8(ascii: "^") || final == UInt8(ascii: "@") { modifiers.insert(.control) }
            if let key = numberedKey(parameters[0]) { append(key, modifiers, &events) }
        // A cursor position also ends with R, but this program never asks for one.
        default: if let key = letterKey(final), (parameters[0] ?? 1) == 1 { append(key, modifiers, &events) }
        }
    }

    /// Appends a character's key. A capital letter is a character of its own, however it was sent.
    private mutating func appendCharacter(_ key: Key, _ modifiers: KeyModifiers, _ events: inout [InputEvent]) {
        guard case .character(let scalar) = key, modifiers.contains(.shift), !modifiers.contains(.control),
            scalar.properties.isLowercase, let upper = scalar.properties.uppercaseMapping.unicodeScalars.first
        else { return append(key, modifiers, &events) }
        append(.character(upper), modifiers.subtracting(.shift), &events)
    }

    mutating func continueSingleShift(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case UInt8(ascii: "1")...UInt8(ascii: "8") where bytes.isEmpty:  // the modifiers, in some terminals
            bytes.append(byte)
            return
        case 0x40...0x7E:
            let modifiers = KeyModifiers(parameter: bytes.first.map { Int($0) - 0x30 } ?? 1)
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "d"):  // rxvt's arrows with control
                if let key = letterKey(byte - 0x20) { append(key, modifiers.union(.control), &events) }
            case UInt8(ascii: "j")...UInt8(ascii: "y"):
                append(.character(Unicode.Scalar(byte - 0x40)), modifiers, &events)
            default: if let key = letterKey(byte) { append(key, modifiers, &events) }
            }
            finish()
        default: restart(with: byte, &events)
        }
    }

    private func letterKey(_ letter: UInt8) -> Key? {
        switch letter {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "I"): .tab
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(letter) - 0x4F)
        case UInt8(ascii: "X"): .character("=")
        default: nil
        }
    }

    private func numberedKey(_ number: Int?) -> Key? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case .some(let number) where 11...15 ~= number: .function(number - 10)
        case .some(let number) where 17...21 ~= number: .function(number - 11)
        case .some(let number) where 23...24 ~= number: .function(number - 12)
        default: nil
        }
    }

    /// Returns a key by its character, as `CSI u` numbers them; keypad keys are in the private use area.
    private func numberedCharacter(_ number: Int?) -> Key? {
        switch number {
        case 9: .tab
        case 13, 57414: .enter
        case 27: .escape
        case 8, 127: .backspace
        case .some(let number) where 57399...57408 ~= number:
            .character(Unicode.Scalar(UInt8(number - 57399 + 0x30)))
        case 57417: .left
        case 57418: .right
        case 57419: .up
        case 57420: .down
        case 57421: .pageUp
        case 57422: .pageDown
        case 57423: .home
        case 57424: .end
        case 57425: .insert
        case 57426: .delete
        case .some(let number) where number >= 0x20 && !(0x80...0x9F ~= number) && !(0xE000...0xF8FF ~= number):
            Unicode.Scalar(UInt32(number)).map { .character($0) }
        default: nil
        }
    }
}
