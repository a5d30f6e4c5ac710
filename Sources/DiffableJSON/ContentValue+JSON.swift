extension ContentValue {
    /// Compact JSON, which reproduces the content that it was parsed from. O(length).
    package var json: String {
        var writer = ByteWriter()
        write(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(into writer: inout ByteWriter) {
        switch self {
        case .null: writer.append("null")
        case .boolean(let boolean): writer.append(boolean ? "true" : "false")
        case .number(let text): writer.append(Array(text.utf8))
        case .text(let text): writer.appendString(text)
        case .array(let elements):
            writer.append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.append(",") }
                element.write(into: &writer)
            }
            writer.append("]")
        case .object(let members):
            writer.append("{")
            for (index, member) in members.enumerated() {
                if index > 0 { writer.append(",") }
                writer.appendString(member.name)
                writer.append(":")
                member.value.write(into: &writer)
            }
            writer.append("}")
        }
    }
}
