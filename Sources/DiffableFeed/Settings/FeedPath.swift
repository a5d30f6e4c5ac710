/// Paths as people write them.
package enum FeedPath {
    /// Nil for one that is relative.
    ///
    /// - Parameter home: what `~` stands for.
    package static func absolute(_ path: String, home: String?) -> String? {
        if path == "~" { return home }
        if path.hasPrefix("~/") { return home.map { $0 + path.dropFirst() } }
        return path.hasPrefix("/") ? path : nil
    }
}
