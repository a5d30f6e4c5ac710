import Synchronization

/// The clusters of several scalars in grids, each once. Cells refer to them by index, so that cells of grids with the same
/// table are equal if their clusters are. Nothing is ever removed, therefore a grid begins a new table when this one is full.
final class ClusterTable: Sendable {
    private struct State {
        var texts: [String] = []
        var indices: [Key: Int] = [:]
    }

    /// Compared by bytes: Swift's equality includes texts that terminals may draw differently.
    private struct Key: Hashable {
        let text: String

        static func == (a: Key, b: Key) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    static let countMax = 16_384

    private let state = Mutex(State())

    /// Nil if the table is full.
    func index(of text: String) -> Int? {
        state.withLock { state in
            if let index = state.indices[Key(text: text)] { return index }
            guard state.texts.count < Self.countMax else { return nil }
            state.texts.append(text)
            state.indices[Key(text: text)] = state.texts.count - 1
            return state.texts.count - 1
        }
    }

    subscript(index: Int) -> String { state.withLock { $0.texts[index] } }

    var isNearlyFull: Bool { state.withLock { $0.texts.count > Self.countMax / 4 * 3 } }
}
