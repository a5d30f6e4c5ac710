import Diffable

/// A line, a record or an object of the input, before it becomes an item.
package struct Row: Sendable {
    /// The content of the item: JSON without insignificant white space.
    var content: Content
    /// The line in the input, counted from 1.
    package var line: Int
    /// The id, from formats without fields (`lines`, `tree`). In other formats a field has it.
    var id: [UInt8]?
    var parent: [UInt8]?
    /// The properties of the item, from the lines of `show -o jsonl`.
    var item: WrittenItem?

    package init(content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    init(
        content: Content, line: Int, id: [UInt8]?, parent: [UInt8]? = nil, item: WrittenItem? = nil
    ) {
        self.content = content
        self.line = line
        self.id = id
        self.parent = parent
        self.item = item
    }

    struct WrittenItem: Sendable {
        var section: SectionID
        var kind: Kind?
        var content: Content?
        var isExpanded: Bool?
    }
}

// MARK: - As bytes

extension Row {
    /// Appends everything in the row except its line: rows with the same bytes are the same. Returns false for a row that has a
    /// place or properties of its own.
    package func appendImage(to bytes: inout [UInt8]) -> Bool {
        guard parent == nil, item == nil else { return false }
        // The length of the id plus one; zero for none.
        withUnsafeBytes(of: id.map { $0.count + 1 } ?? 0) { bytes.append(contentsOf: $0) }
        if let id { bytes += id }
        bytes += content.bytes
        return true
    }

    /// `image` was written by `appendImage`.
    package init(image: ArraySlice<UInt8>, line: Int) {
        let size = MemoryLayout<Int>.size
        let number = image.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
        let rest = image.dropFirst(size)
        guard number > 0 else {
            self.init(content: Content(Array(rest)), line: line)
            return
        }
        self.init(
            content: Content(Array(rest.dropFirst(number - 1))), line: line, id: Array(rest.prefix(number - 1)))
    }
}
