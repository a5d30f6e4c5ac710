import Diffable
import DiffableProtocol

/// A browser's access to some lists: a named secret with rights and, usually, an end.
package struct Link: Equatable, Sendable {
    /// The name for people. The link `anonymous` also applies to requests without a token.
    package var name: String
    /// The secret: 32 random bytes as 43 characters of base64url.
    package var token: String
    /// Names of lists; a name that ends with `*` means every name with this prefix.
    package var lists: [String]
    /// The highest permission. A permission includes the lower ones.
    package var may: Permission
    /// Seconds since 1970 at which the link ends; nil if it does not end.
    package var end: Int?

    package init(name: String, token: String, lists: [String], may: Permission, end: Int? = nil) {
        self.name = name
        self.token = token
        self.lists = lists
        self.may = may
        self.end = end
    }

    package static let anonymousName = "anonymous"

    package func hasEnded(at now: Int) -> Bool { end.map { $0 <= now } ?? false }

    /// Whether the daemon shows this list to a connection with this link. The same rule as in `restrict`.
    package func includes(_ list: ListName) -> Bool {
        let name = "\(list)".utf8
        return lists.contains { pattern in
            pattern.utf8.last == UInt8(ascii: "*")
                ? name.starts(with: pattern.utf8.dropLast()) : name.elementsEqual(pattern.utf8)
        }
    }
}

extension Link {
    /// The methods of the protocol that a browser can call.
    package var methods: [Method] {
        let see: [Method] = [
            .hello, .ping, .lists, .followLists, .subscribe, .setView, .unsubscribe, .snapshot, .schemas,
        ]
        let ask: [Method] = see + [.perform, .propose, .expand]
        return switch may {
        case .see: see
        case .ask: ask
        case .change: ask + [.transact, .undo]
        }
    }
}

extension [Link] {
    /// Returns the link that a request may use; nil without one.
    ///
    /// A request without a token uses the link `anonymous`; a request with a wrong token uses none. The time that this takes
    /// depends only on the number of links: it compares the token with each of them, to the last byte.
    package func link(for token: String?, at now: Int) -> Link? {
        var found: Link?
        for link in self {
            let isMeant = token.map { isEqual($0, link.token) } ?? (link.name == Link.anonymousName)
            if isMeant, !link.hasEnded(at: now) { found = link }
        }
        return found
    }
}

/// Compares a token in constant time. Only the length of the given one can be measured, and the right length is not secret.
private func isEqual(_ given: String, _ token: String) -> Bool {
    let (given, token) = (Array(given.utf8), Array(token.utf8))
    guard given.count == token.count, !token.isEmpty else { return false }
    var difference: UInt8 = 0
    for index in token.indices { difference |= given[index] ^ token[index] }
    return difference == 0
}

extension Link {
    /// A new secret.
    package static func randomToken() -> String {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let bytes: [UInt8] = (0..<32).map { _ in random.next() } + [0]
        // Three bytes are four characters. The last character carries the last four bits.
        let characters = stride(from: 0, to: bytes.count, by: 3).flatMap { start -> [UInt8] in
            let bits = bytes[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
            return [18, 12, 6, 0].map { alphabet[bits >> $0 & 63] }
        }
        return String(decoding: characters.prefix(43), as: UTF8.self)
    }
}
