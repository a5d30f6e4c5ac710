/// How much the schemas of one list may say, all of them together: what a check costs is bounded by this.
package struct SchemaLimits: Sendable, Equatable {
    /// In bytes, without insignificant white space.
    package var lengthMax: Int
    /// Schemas inside each other.
    package var depthMax: Int
    /// Annotations count too.
    package var keywordsMax: Int

    package init(lengthMax: Int = 131_072, depthMax: Int = 32, keywordsMax: Int = 4_096) {
        self.lengthMax = lengthMax
        self.depthMax = depthMax
        self.keywordsMax = keywordsMax
    }

    /// The daemon's defaults.
    package static let standard = SchemaLimits()

    /// For what the daemon itself wrote down: limits that were lowered since do not lock anybody out.
    package static let journal = SchemaLimits(lengthMax: .max, depthMax: 256, keywordsMax: .max)
}
