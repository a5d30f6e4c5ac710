extension Request {
    /// The reply is that to `lists`, after the lines of a `BackupWriter`.
    struct Backup: PlainRequest {
        static let method = Method.backup
        static let summary = "all durable lists as they are now, as requests that restore them"
        static let request = Request.backup
    }
}
