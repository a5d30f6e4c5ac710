import DiffableJSON

extension Request {
    struct Help: PlainRequest {
        static let method = Method.help
        static let summary = "this table"
        static let needsLists = false
        static let request = Request.help
    }
}

// MARK: - Reply

extension Reply {
    /// The result is the same each time: the table of methods.
    enum Help {
        static func write(into writer: inout ByteWriter) {
            writer.append(#""methods":"#)
            writer.appendArray(Method.allCases) { method, writer in
                writer.append(#"{"method":"#)
                writer.appendString(method.rawValue)
                writer.append(#","params":"#)
                let parameters = method.required + method.optional.map { "\($0)?" }
                writer.appendArray(parameters) { name, writer in writer.appendString(name) }
                writer.appendMember("summary", method.summary)
                writer.append(byte: UInt8(ascii: "}"))
            }
        }
    }
}
