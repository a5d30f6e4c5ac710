import Diffable

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Content {
    /// The content as a value of the program's own. O(length), each time.
    ///
    ///     let heading = try update.snapshot.section(at: 0)?.content?.decoded(as: Heading.self)
    ///
    /// Throws what the decoder throws.
    public func decoded<Value: Decodable>(
        as type: Value.Type, by decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: Data(bytes))
    }
}

extension Item {
    /// No content is read as `null`.
    func decodedContent<Value: Decodable>(as type: Value.Type, by decoder: JSONDecoder) throws -> Value {
        try decoder.decode(type, from: content.map { Data($0.bytes) } ?? Data("null".utf8))
    }
}
