/// Limits of all schemas of one list together. They bound the cost of a check.
package struct SchemaLimits: Sendable, Equatable {
    /// Bytes without insignificant white space.
    package var lengthMax: Int
    package var depthMax: Int
    /// The number of keywords, including annotations.
    package var keywordsMax: Int

    package init(lengthMax: Int = 131_072, depthMax: Int = 32, keywordsMax: Int = 4_096) {
        self.lengthMax = lengthMax
        self.depthMax = depthMax
        self.keywordsMax = keywordsMax
    }

    package static let standard = SchemaLimits()

    /// For schemas that the daemon has stored: a lowered limit must not make a list unreadable.
    package static let journal = SchemaLimits(lengthMax: .max, depthMax: 256, keywordsMax: .max)
}
