import Diffable

/// Finds an object's member by name. Most objects have a few members, and a linear search is fastest then. For many members the
/// hashes are sorted, because filling a dictionary takes several times as long as reading the names.
struct NameIndex {
    private let names: [MemberText]
    /// Empty if there are few names.
    private let hashed: [HashedName]

    private struct HashedName {
        var hash: UInt32
        var index: Int
    }

    init(of names: [MemberText]) {
        self.names = names
        hashed =
            names.count <= 8
            ? [] : names.indices.map { HashedName(hash: names[$0].hash, index: $0) }.sorted { $0.hash < $1.hash }
    }

    subscript(name: MemberText) -> Int? {
        if hashed.isEmpty { return names.firstIndex(of: name) }
        let hash = name.hash
        var range = 0..<hashed.count
        while let middle = range.isEmpty ? nil : (range.lowerBound + range.upperBound) / 2 {
            range = hashed[middle].hash < hash ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return hashed[range.lowerBound...].prefix { $0.hash == hash }.first { names[$0.index] == name }?.index
    }

    /// The first duplicate name.
    var twice: MemberText? {
        if hashed.isEmpty {
            return names.indices.first { names[..<$0].contains(names[$0]) }.map { names[$0] }
        }
        for (index, name) in hashed.enumerated() {
            // Names with the same hash are adjacent, and there are hardly ever more than two.
            let others = hashed[(index + 1)...].prefix { $0.hash == name.hash }
            if others.contains(where: { names[$0.index] == names[name.index] }) { return names[name.index] }
        }
        return nil
    }
}

extension MemberText {
    /// As unpredictable as an identifier's.
    fileprivate var hash: UInt32 { string.withUTF8(identifierHash) }
}
