/// The order of the files in a folder. By name and by type, folders come first in either direction. By size and by time, folders
/// and files are mixed, because a user who looks for the newest entries looks for folders too. A folder counts as smaller than any
/// file.
package struct FolderOrder: Equatable, Sendable {
    package enum Key: String, CaseIterable, Sendable { case name, size, modified, type }

    package var key = Key.name
    package var isDescending = false

    package init() {}

    /// Parses a key such as `size` or `-modified`; nil if it is unknown.
    package init?(_ text: String) {
        isDescending = text.hasPrefix("-")
        guard let key = Key(rawValue: isDescending ? String(text.dropFirst()) : text) else { return nil }
        self.key = key
    }

    func precedes(_ a: FolderMember, _ b: FolderMember) -> Bool {
        switch key {
        case .name, .type:
            if a.isFolder != b.isFolder { return a.isFolder }
            let types = key == .type ? FileNames.order(a.type, b.type) : 0
            let order = types != 0 ? types : names(a, b)
            return isDescending ? order > 0 : order < 0
        case .size: return precedes(a.status.size ?? -1, b.status.size ?? -1, a, b)
        case .modified: return precedes(a.status.modified, b.status.modified, a, b)
        }
    }

    /// Compares by value. Equal values are ordered by name, in either direction.
    private func precedes(_ valueA: Int, _ valueB: Int, _ a: FolderMember, _ b: FolderMember) -> Bool {
        if valueA == valueB { return names(a, b) < 0 }
        return isDescending ? valueA > valueB : valueA < valueB
    }

    private func names(_ a: FolderMember, _ b: FolderMember) -> Int {
        let order = FileNames.order(a.foldedName, b.foldedName)
        if order != 0 { return order }
        return a.name.lexicographicallyPrecedes(b.name) ? -1 : a.name == b.name ? 0 : 1
    }
}

/// Orders names naturally: without regard to case, and with 9 before 10.
enum FileNames {
    static func folded(_ name: FileName) -> [UInt8] { Array(String(decoding: name, as: UTF8.self).lowercased().utf8) }

    /// Negative, positive or zero, if the first name is before, after or equal to the second.
    static func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var (restA, restB) = (a[...], b[...])
        while let byteA = restA.first, let byteB = restB.first {
            if isDigit(byteA), isDigit(byteB) {
                let (numberA, numberB) = (number(&restA), number(&restB))
                if numberA.count != numberB.count { return numberA.count - numberB.count }
                for (digitA, digitB) in zip(numberA, numberB) where digitA != digitB {
                    return Int(digitA) - Int(digitB)
                }
            } else {
                if byteA != byteB { return Int(byteA) - Int(byteB) }
                restA.removeFirst()
                restB.removeFirst()
            }
        }
        return restA.count - restB.count
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    /// Takes the digits at the front, without leading zeros.
    private static func number(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = rest.prefix(while: isDigit)
        rest = rest.dropFirst(digits.count)
        return digits.drop { $0 == UInt8(ascii: "0") }
    }
}
