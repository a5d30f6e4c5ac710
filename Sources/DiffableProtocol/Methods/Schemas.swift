import Diffable
import DiffableJSON

extension Request {
    package struct Schemas: Sendable, Equatable {
        package var list: ListName

        package init(list: ListName) { self.list = list }
    }
}

extension Request.Schemas: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        try readObject(from: &decoder) { _, decoder throws(DecodingError) in list = try decoder.identifier("list") }
        return .schemas(Self(list: try needed(list, .list)))
    }

    func write(into writer: inout ByteWriter) { writer.appendParameter("list", list) }
}

// MARK: - Reply

extension Reply {
    package struct Schemas: Equatable, Sendable {
        package var list: ListName
        /// The schemas by kind as JSON, because a newer daemon may know more keywords.
        package var json: [UInt8]
        package var others: SchemaSet.OtherKinds
        package var existing: ExistingItems

        package init(list: ListName, json: [UInt8], others: SchemaSet.OtherKinds, existing: ExistingItems) {
            self.list = list
            self.json = json
            self.others = others
            self.existing = existing
        }
    }
}

extension Reply.Schemas {
    /// Uses the member names of `setSchemas`, so that a client can send the reply back unchanged.
    func write(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        writer.append(#","schemas":"#)
        writer.append(json)
        writer.appendMember("others", others.rawValue)
        writer.appendMember("existing", existing.rawValue)
    }
}

extension Reply.Schemas: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case list, schemas, others, existing

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var list: ListName?
        var json: [UInt8]?
        var others = SchemaSet.OtherKinds.allow
        var existing = ExistingItems.areChecked
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: list = try decoder.identifier("list")
            case .schemas:
                json = try decoder.scan { scanner throws(JSONError) in try scanner.value() }.compacted()
            case .others: others = try decoder.others()
            case .existing: existing = try decoder.existingItems()
            }
        }
        self.init(
            list: try Self.needed(list, "list"), json: try Self.needed(json, "schemas"), others: others,
            existing: existing)
    }
}
