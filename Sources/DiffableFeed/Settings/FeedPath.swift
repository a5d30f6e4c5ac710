/// Paths as people write them.
package enum FeedPath {
    /// The path without superfluous slashes: SQLite takes two at the beginning for a host. Nil for a relative path.
    ///
    /// - Parameter home: what `~` stands for.
    package static func absolute(_ path: String, home: String?) -> String? {
        if path == "~" || path.hasPrefix("~/") { return home.flatMap { absolute($0 + path.dropFirst(), home: nil) } }
        return path.hasPrefix("/") ? "/" + path.split(separator: "/").joined(separator: "/") : nil
    }
}
