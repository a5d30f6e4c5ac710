package enum FeedPath {
    /// The path without redundant slashes: SQLite reads two at the beginning as a host. Nil for a relative path. `home` is the
    /// directory that `~` means.
    package static func absolute(_ path: String, home: String?) -> String? {
        if path == "~" || path.hasPrefix("~/") { return home.flatMap { absolute($0 + path.dropFirst(), home: nil) } }
        return path.hasPrefix("/") ? "/" + path.split(separator: "/").joined(separator: "/") : nil
    }
}
