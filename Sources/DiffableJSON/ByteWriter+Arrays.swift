extension ByteWriter {
    /// `{"name":number,…}`
    package mutating func appendNumbers(_ members: [(name: String, number: Int)]) {
        append(byte: UInt8(ascii: "{"))
        appendList(members) { member, writer in
            writer.appendString(member.name)
            writer.append(byte: UInt8(ascii: ":"))
            writer.append(member.number)
        }
        append(byte: UInt8(ascii: "}"))
    }

    package mutating func appendArray<Elements: Sequence>(
        _ elements: Elements, _ write: (Elements.Element, inout ByteWriter) -> Void
    ) {
        append(byte: UInt8(ascii: "["))
        appendList(elements, write)
        append(byte: UInt8(ascii: "]"))
    }

    private mutating func appendList<Elements: Sequence>(
        _ elements: Elements, _ write: (Elements.Element, inout ByteWriter) -> Void
    ) {
        var isFirst = true
        for element in elements {
            if !isFirst { append(byte: UInt8(ascii: ",")) }
            isFirst = false
            write(element, &self)
        }
    }
}
