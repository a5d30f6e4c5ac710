internal import DiffableView

// Input that is not a key: the mouse, and the terminal's replies.

extension KeyDecoder {
    /// - Returns: nil for a place outside of any screen.
    func mouseEvent(isRelease: Bool, _ parameters: SequenceParameters) -> MouseEvent? {
        guard let code = parameters[0], let column = parameters[1], let row = parameters[2] else { return nil }
        return mouseEvent(code: code, isRelease: isRelease, column: column - 1, row: row - 1)
    }

    private func mouseEvent(code: Int, isRelease: Bool, column: Int, row: Int) -> MouseEvent? {
        guard 0..<10_000 ~= column, 0..<10_000 ~= row else { return nil }
        let button: MouseEvent.Button? =
            switch code & 0xC3 {
            case 0: .left
            case 1: .middle
            case 2: .right
            default: nil
            }
        let action: MouseEvent.Action
        switch code & 0xC3 {
        case 64: action = .wheel(.up)
        case 65: action = .wheel(.down)
        case 66: action = .wheel(.left)
        case 67: action = .wheel(.right)
        case 0...3:
            if code & 32 != 0 {
                action = button.map { .drag($0) } ?? .move
            } else if isRelease || button == nil {
                action = .release(button)
            } else {
                guard let button else { return nil }
                action = .press(button)
            }
        default: return nil
        }
        var modifiers: KeyModifiers = []
        if code & 4 != 0 { modifiers.insert(.shift) }
        if code & 8 != 0 { modifiers.insert(.alt) }
        if code & 16 != 0 { modifiers.insert(.control) }
        return MouseEvent(action, column: column, row: row, modifiers: modifiers)
    }

    /// Decodes the older form of mouse events: each number is a byte plus 32.
    mutating func continueLegacyMouse(_ byte: UInt8, _ events: inout [InputEvent]) {
        guard byte >= 32 else { return restart(with: byte, &events) }
        bytes.append(byte)
        guard bytes.count == 3 else { return }
        let event = mouseEvent(
            code: Int(bytes[0]) - 32, isRelease: false, column: Int(bytes[1]) - 33, row: Int(bytes[2]) - 33)
        if let event { events.append(.mouse(event)) }
        finish()
    }

    func reply(final: UInt8, _ parameters: SequenceParameters) -> TerminalReply? {
        switch final {
        case UInt8(ascii: "c"): return .attributes(parameters.values)
        case UInt8(ascii: "y"):
            guard let mode = parameters[0], let setting = parameters[1].flatMap(ModeSetting.init) else { return nil }
            return .mode(mode, setting)
        case UInt8(ascii: "n") where parameters[0] == 997: return .scheme(isDark: parameters[1] == 1)
        default: return nil
        }
    }

    mutating func continueString(_ byte: UInt8, introducer: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case 0x07: endString(introducer: introducer, &events)
        case 0x1B: state = .stringEscape(introducer: introducer)
        case 0..<0x20: restart(with: byte, &events)
        case _ where bytes.count < Self.stringLengthMax: bytes.append(byte)
        default:
            skippedLength += 1
            if skippedLength > Self.skippedLengthMax { finish() }
        }
    }

    mutating func endString(introducer: UInt8, _ events: inout [InputEvent]) {
        if introducer == UInt8(ascii: "]"), skippedLength == 0, let text = String(validating: bytes, as: UTF8.self) {
            let parts = text.split(separator: ";", maxSplits: 1)
            if parts.count == 2, let colour = RGB(terminalReply: parts[1]) {
                switch parts[0] {
                case "10": append(.reply(.foreground(colour)), &events)
                case "11": append(.reply(.background(colour)), &events)
                default: break
                }
            }
        }
        finish()
    }
}
