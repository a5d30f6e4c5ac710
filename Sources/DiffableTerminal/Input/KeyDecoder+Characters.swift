internal import DiffableView

// Text and control characters: keys that are one character.

extension KeyDecoder {
    /// Handles the first byte of a key, a sequence or a reply.
    mutating func begin(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case 0x1B: state = .escape
        case 0x09: endKey(.tab, [], &events)
        case 0x0D: endKey(.enter, [], &events)
        case 0x08, 0x7F: endKey(.backspace, [], &events)
        case 0x00: endKey(.character(" "), .control, &events)
        case 0x01...0x1A: endKey(.character(Unicode.Scalar(byte + 0x60)), .control, &events)
        case 0x1C...0x1F: endKey(.character(Unicode.Scalar(byte + 0x40)), .control, &events)
        case 0x20...0x7E: endKey(.character(Unicode.Scalar(byte)), [], &events)
        case 0xC2...0xDF: beginCharacter(byte, length: 2)
        case 0xE0...0xEF: beginCharacter(byte, length: 3)
        case 0xF0...0xF4: beginCharacter(byte, length: 4)
        default: finish()  // No character begins so.
        }
    }

    private mutating func endKey(_ key: Key, _ added: KeyModifiers, _ events: inout [InputEvent]) {
        events.append(.key(KeyPress(key, modifiers.union(added))))
        finish()
    }

    private mutating func beginCharacter(_ byte: UInt8, length: Int) {
        state = .character(length: length)
        bytes.append(byte)
    }

    mutating func continueCharacter(_ byte: UInt8, length: Int, _ events: inout [InputEvent]) {
        guard byte & 0xC0 == 0x80 else { return restart(with: byte, &events) }
        bytes.append(byte)
        guard bytes.count == length else { return }
        if let text = String(validating: bytes, as: UTF8.self), let scalar = text.unicodeScalars.first,
            scalar.properties.generalCategory != .control
        {
            endKey(.character(scalar), [], &events)
        } else {
            finish()
        }
    }

    /// Appends the key of a sequence. In some terminals an escape character before the sequence means Alt.
    mutating func append(_ key: Key, _ modifiers: KeyModifiers, _ events: inout [InputEvent]) {
        if isAfterEscape, key == .escape || modifiers.contains(.alt) { events.append(.key(KeyPress(.escape))) }
        let isAlt = isAfterEscape && key != .escape
        events.append(.key(KeyPress(key, isAlt ? modifiers.union(.alt) : modifiers)))
        isAfterEscape = false
    }

    /// Appends an event that is not a key. An escape character before it was a key of its own.
    mutating func append(_ event: InputEvent, _ events: inout [InputEvent]) {
        if isAfterEscape { events.append(.key(KeyPress(.escape))) }
        isAfterEscape = false
        events.append(event)
    }
}
