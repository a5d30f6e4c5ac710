import Diffable
import DiffableJSON

extension Content {
    /// A JSON string.
    static func string(_ utf8: some Collection<UInt8>) -> Content {
        var writer = ByteWriter()
        Array(utf8).withUnsafeBytes { writer.appendString(utf8: $0) }
        return Content(writer.bytes)
    }

    /// What a line of plain text shows: `{"text":...}`.
    static func text(_ utf8: some Collection<UInt8>) -> Content {
        object([("text", string(utf8))])
    }

    static func array(_ elements: [Content]) -> Content {
        var writer = ByteWriter()
        writer.append("[")
        for element in elements {
            if writer.count > 1 { writer.append(",") }
            writer.append(element.bytes)
        }
        writer.append("]")
        return Content(writer.bytes)
    }

    static func object(_ members: some Sequence<(String, Content)>) -> Content {
        var writer = ByteWriter()
        writer.append("{")
        for (name, value) in members {
            if writer.count > 1 { writer.append(",") }
            writer.appendString(name)
            writer.append(":")
            writer.append(value.bytes)
        }
        writer.append("}")
        return Content(writer.bytes)
    }
}
