import Diffable
import DiffableJSON

extension Content {
    package static func string(_ utf8: some Collection<UInt8>) -> Content {
        var writer = ByteWriter()
        Array(utf8).withUnsafeBytes { writer.appendString(utf8: $0) }
        return Content(writer.bytes)
    }

    package static let null = Content(Array("null".utf8))
    package static let `true` = Content(Array("true".utf8))
    package static let `false` = Content(Array("false".utf8))

    package static func number(_ number: Int) -> Content { Content(Array("\(number)".utf8)) }

    package static func parsed(_ json: String) -> Content? { parsed(Array(json.utf8)) }

    package static func parsed(_ json: [UInt8]) -> Content? {
        let result: Result<Content?, JSONError> = json.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try Content(json: bytes, depthMax: JSONReader.depthMax) }
        }
        guard case .success(let content) = result else { return nil }
        return content ?? .null
    }

    /// The content of a line of plain text: `{"text":...}`.
    package static func text(_ utf8: some Collection<UInt8>) -> Content {
        object([("text", string(utf8))])
    }

    package static func array(_ elements: [Content]) -> Content {
        var writer = ByteWriter()
        writer.append("[")
        for element in elements {
            if writer.count > 1 { writer.append(",") }
            writer.append(element.bytes)
        }
        writer.append("]")
        return Content(writer.bytes)
    }

    package static func object(_ members: some Sequence<(String, Content)>) -> Content {
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
