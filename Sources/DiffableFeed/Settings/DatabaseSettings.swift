package struct DatabaseSettings: Equatable, Sendable {
    /// An absolute path.
    package var path: String
    package var query: String
    package var jsonColumns: [String] = []
    /// Whether a copy is read, because another program keeps the database locked.
    package var isCopied = false
    /// The interval at which the files are checked if the kernel does not report changes; nil: only after changes.
    package var every: Duration?
    package var timeout = CommandSettings.timeoutUsual

    package init(path: String, query: String) {
        self.path = path
        self.query = query
    }
}
