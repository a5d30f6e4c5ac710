import Diffable
import DiffableJSON

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
    /// If an object has several members with the same name, the last one counts.
    /// Throws what the decoder throws.
    public func decoded<Value: Decodable>(
        as type: Value.Type, by decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: Data(withoutReplacedMembers.bytes))
    }
}

extension Item {
    /// No content is read as `null`.
    func decodedContent<Value: Decodable>(as type: Value.Type, by decoder: JSONDecoder) throws -> Value {
        try decoder.decode(type, from: content.map { Data($0.withoutReplacedMembers.bytes) } ?? Data("null".utf8))
    }
}
