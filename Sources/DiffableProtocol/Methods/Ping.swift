extension Request {
    struct Ping: PlainRequest {
        static let method = Method.ping
        static let summary = "an empty answer"
        static let needsLists = false
        static let request = Request.ping
    }
}
