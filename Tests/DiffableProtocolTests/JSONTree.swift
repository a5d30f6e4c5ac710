import DiffableJSON

/// A parsed JSON text for variations. Members keep their order.
indirect enum JSONTree {
    case object([(name: String, value: JSONTree)])
    case array([JSONTree])
    case leaf(String)

    init(_ text: String) throws {
        self = try Array(text.utf8).withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: 64)
            return try JSONTree(&scanner)
        }
    }

    private init(_ scanner: inout JSONScanner) throws {
        switch scanner.peek() {
        case UInt8(ascii: "{"):
            var members: [(name: String, value: JSONTree)] = []
            var object = try scanner.beginObject()
            while let name = try scanner.nextMember(of: &object) {
                members.append((name.text, try JSONTree(&scanner)))
            }
            self = .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONTree] = []
            var array = try scanner.beginArray()
            while try scanner.nextElement(of: &array) { elements.append(try JSONTree(&scanner)) }
            self = .array(elements)
        default: self = .leaf(String(decoding: try scanner.value().bytes, as: UTF8.self))
        }
    }

    var text: String {
        switch self {
        case .object(let members): "{\(members.map { "\"\($0.name)\":\($0.value.text)" }.joined(separator: ","))}"
        case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
        case .leaf(let text): text
        }
    }

    /// The text of a member.
    subscript(name: String) -> String? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value.text
    }

    /// Returns the object with a changed or appended member; nil removes it.
    func with(_ name: String, _ value: JSONTree?) -> JSONTree {
        guard case .object(var members) = self else { return self }
        let index = members.firstIndex { $0.name == name }
        switch (index, value) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append((name, value))
        case (nil, nil): break
        }
        return .object(members)
    }
}
