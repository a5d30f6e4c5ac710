import Diffable
import DiffableJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Content {
    /// Decodes the content as a value of the program's own type. O(length), each time.
    ///
    ///     let heading = try update.snapshot.section(at: 0)?.content?.decoded(as: Heading.self)
    ///
    /// If an object has several members with the same name, the last one counts. Throws the decoder's errors.
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
