extension RangeReplaceableCollection where Element == UInt8 {
    /// Removes a byte order mark from the beginning. Editors and programs of Windows write it; it is not part of the text. Every
    /// text from outside passes here first: files, pipes, output of commands, configuration. Only the protocol refuses the mark,
    /// because a client that sends one is broken.
    package mutating func removeByteOrderMark() {
        if starts(with: [0xEF, 0xBB, 0xBF]) { removeFirst(3) }
    }

    package func withoutByteOrderMark() -> Self {
        var text = self
        text.removeByteOrderMark()
        return text
    }
}
