import DiffableJSON

extension Reply {
    /// The result never changes: the table of methods.
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
