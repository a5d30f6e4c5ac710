import Glibc

/// The path and the query of a request, each percent-decoded once.
struct RequestTarget: Equatable {
    /// The components after the first slash: `/lists/a` has two, `/` has one, which is empty.
    var path: [String]
    /// In order; `a&b=c` has two.
    var query: [(name: String, value: String)]

    static func == (one: Self, other: Self) -> Bool {
        one.path == other.path && one.query.elementsEqual(other.query, by: ==)
    }

    /// Returns nil for a target that is not a path (`*`, `http://…`), or that has a wrong escape.
    init?(_ uri: String) {
        guard uri.utf8.first == UInt8(ascii: "/") else { return nil }
        let parts = uri.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = []
        for component in parts[0].dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            // An escaped slash would make another component of a file's path, and a zero byte would end it. A list's name
            // can have a slash.
            guard let text = Self.decoded(component, plusIsBlank: false), !text.utf8.contains(0),
                path == ["lists"] || !text.utf8.contains(UInt8(ascii: "/"))
            else { return nil }
            path.append(text)
        }
        query = []
        for pair in parts.count > 1 ? parts[1].split(separator: UInt8(ascii: "&")) : [] {
            let pair = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(pair[0], plusIsBlank: true),
                let value = pair.count > 1 ? Self.decoded(pair[1], plusIsBlank: true) : ""
            else { return nil }
            query.append((name, value))
        }
    }

    private static func decoded(_ text: some Collection<UInt8>, plusIsBlank: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}

/// A host with its port, from `Host` or `X-Forwarded-Host`, or with a scheme from `Origin`.
struct Authority: Equatable {
    /// In lower case; an IPv6 address is in brackets.
    var host: String
    var port: Int?

    init?(_ text: some StringProtocol) {
        let text = text.lowercased()
        guard !text.utf8.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        // The last colon begins the port, unless it is within brackets.
        let colon = text.utf8.lastIndex(of: UInt8(ascii: ":"))
        let bracket = text.utf8.lastIndex(of: UInt8(ascii: "]"))
        if let colon, bracket.map({ $0 < colon }) ?? true {
            guard let port = UInt16(text[text.utf8.index(after: colon)...]) else { return nil }
            (host, self.port) = (String(text[..<colon]), Int(port))
        } else {
            (host, port) = (text, nil)
        }
        let isName = host.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
        }
        guard !host.isEmpty, isName || Self.isIPv6(host) else { return nil }
    }

    var isIPAddress: Bool {
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1 || Self.isIPv6(host)
    }

    private static func isIPv6(_ host: String) -> Bool {
        var address = in6_addr()
        return host.hasPrefix("[") && host.hasSuffix("]")
            && inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
    }
}

/// A scheme, a host and a port: `https://example.org` equals `https://example.org:443`.
package struct Origin: Equatable, Sendable {
    let scheme: String
    let host: String
    let port: Int

    /// Returns nil for `null`, for other schemes than http and https, and for a URL with a path.
    package init?(_ text: String) {
        guard let colon = text.firstRange(of: "://"), let authority = Authority(text[colon.upperBound...]) else {
            return nil
        }
        self.init(scheme: text[..<colon.lowerBound].lowercased(), authority)
    }

    init?(scheme: String, _ authority: Authority) {
        guard let usual = ["http": 80, "https": 443][scheme] else { return nil }
        (self.scheme, host, port) = (scheme, authority.host, authority.port ?? usual)
    }
}
