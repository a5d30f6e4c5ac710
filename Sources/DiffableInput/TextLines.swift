import DiffableJSON

/// The lines of a text without their line ends, counted from 1. Blank ones are skipped.
package struct TextLines: Sequence, IteratorProtocol {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var line = 0

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.position = bytes.startIndex
    }

    package mutating func next() -> (line: Int, text: ArraySlice<UInt8>)? {
        while position < bytes.endIndex {
            let feed = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
            var text = bytes[position..<feed]
            position = feed < bytes.endIndex ? feed + 1 : feed
            line += 1
            if text.last == UInt8(ascii: "\r") { text.removeLast() }
            if text.contains(where: { !isWhiteSpace($0) }) { return (line, text) }
        }
        return nil
    }
}

/// Removes a byte order mark. Throws if the text is not UTF-8.
package func checkedText(_ input: [UInt8]) throws(InputError) -> ArraySlice<UInt8> {
    var text = input[...]
    text.removeByteOrderMark()
    do {
        _ = try UTF8Span(validating: text.span)
    } catch {
        let offset = text.startIndex + error.byteOffsets.lowerBound
        let line = 1 + input[..<offset].count(where: { $0 == UInt8(ascii: "\n") })
        throw InputError(
            line: line, "byte \(offset) of the input is not valid UTF-8; convert it first, for example with iconv")
    }
    return text
}
