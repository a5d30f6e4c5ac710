import DiffableJSON

/// The members that the bridge reads in a daemon's line: a reply or a notification.
struct DaemonLine: Equatable {
    /// The notification's name; nil in a reply.
    var method: String?
    /// The error's name in a reply that refuses, and its message.
    var error: (name: String, message: String)?
    /// The JSON of `params` or `result`.
    var body: [UInt8] = []
    /// Members of the body.
    var epoch: String?
    var revision: Int?
    var hasMore = false

    static func == (one: Self, other: Self) -> Bool {
        one.method == other.method && one.body == other.body && one.epoch == other.epoch
            && one.revision == other.revision && one.hasMore == other.hasMore && one.error?.name == other.error?.name
    }

    init(_ bytes: some Collection<UInt8>) throws {
        self.init()
        try Array(bytes).withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: 128)
            var line = try scanner.beginObject()
            while let name = try scanner.nextMember(of: &line) {
                switch name {
                case "method": method = try scanner.string().text
                case "params", "result": try readBody(scanner.value())
                case "error": error = try Self.error(&scanner)
                default: try scanner.skipValue()
                }
            }
            try scanner.end()
        }
    }

    private init() {}

    private mutating func readBody(_ value: JSONValue) throws {
        body = value.compacted()
        guard value.isObject else { return }
        var scanner = JSONScanner(value.bytes, depthMax: 128)
        var object = try scanner.beginObject()
        while let name = try scanner.nextMember(of: &object) {
            switch name {
            case "epoch": epoch = try scanner.string().text
            case "revision": revision = try scanner.integer()
            case "more": hasMore = try scanner.boolean()
            default: try scanner.skipValue()
            }
        }
    }

    private static func error(_ scanner: inout JSONScanner) throws -> (name: String, message: String) {
        var error = (name: "", message: "")
        var object = try scanner.beginObject()
        while let member = try scanner.nextMember(of: &object) {
            switch member {
            case "message": error.message = try scanner.string().text
            case "data":
                var details = try scanner.beginObject()
                while let name = try scanner.nextMember(of: &details) {
                    if "name" ~= name { error.name = try scanner.string().text } else { try scanner.skipValue() }
                }
            default: try scanner.skipValue()
            }
        }
        return error
    }
}
