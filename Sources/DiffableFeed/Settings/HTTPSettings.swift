import DiffableInput
import Yams

/// The reply of an HTTP server.
package struct HTTPSettings: Equatable, Sendable {
    package var url: HTTPAddress
    package var headers: [Header] = []
    /// The time from the beginning of one request to the beginning of the next.
    package var every = Duration.seconds(60)
    /// The longest time for a request, with its redirects.
    package var timeout = CommandSettings.timeoutUsual

    package init(url: HTTPAddress) { self.url = url }

    package struct Header: Equatable, Sendable {
        package var name: String
        package var value: Value
    }

    package enum Value: Equatable, Sendable {
        case text(String)
        /// The absolute path of a file with the value. It is read for each request.
        case file(String)
    }
}

/// The URL of an HTTP server, without a user name.
package struct HTTPAddress: Equatable, Sendable {
    package let text: String
    package let isSecure: Bool
    /// In lower case.
    private let host: Substring
    /// 443 or 80 if the URL has none.
    private let port: Int

    /// Nil for other schemes, for a URL with a user name, and for characters that programs read in different ways.
    package init?(_ text: String) {
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else { return nil }
        let lower = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else { return nil }
        let authority = lower.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        guard !authority.hasPrefix("[") || authority.contains("]") else { return nil }
        let name = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let rest = authority.dropFirst(name.count)
        isSecure = scheme == "https://"
        guard !name.isEmpty, authority.utf8.allSatisfy({ Self.isUsual($0) }) else { return nil }
        switch rest.first {
        case nil: port = isSecure ? 443 : 80
        case ":":
            guard let number = Int(rest.dropFirst()), (1...65_535).contains(number) else { return nil }
            port = number
        default: return nil
        }
        host = name
        self.text = text
    }

    private static func isUsual(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._:[]".utf8.contains(byte)
        }
    }

    /// Without the query, which can contain a secret.
    package var shown: String { String(text.prefix { $0 != "?" && $0 != "#" }) }

    /// Whether a redirect may lead there: to the same host and port, or from port 80 to HTTPS on port 443.
    func mayRedirect(to other: HTTPAddress) -> Bool {
        guard host == other.host else { return false }
        if isSecure == other.isSecure { return port == other.port }
        return other.isSecure && port == 80 && other.port == 443
    }
}

extension HTTPSettings {
    init(_ mapping: inout YAMLMapping, home: String?) throws(FeedFileError) {
        guard let member = mapping.take("url") else { throw FeedFileError("url is missing") }
        guard let url = HTTPAddress(try member.text()) else {
            throw member.error(
                "it must be a URL such as https://example.org/items.json, without a user name or spaces; for a password or a token, "
                    + "use headers: {Authorization: {file: PATH}}")
        }
        self.init(url: url)
        if let member = mapping.take("headers") {
            let example = "{Authorization: {file: ~/.config/token}}"
            var members = try YAMLMapping(member.node, of: "headers", suchAs: example, under: "headers")
            for name in members.names {
                guard let member = members.take(name) else {
                    throw FeedFileError(line: members.line, key: "headers.\(name)", "it is there twice; remove one")
                }
                headers.append(Header(name: name, value: try member.headerValue(home: home)))
                guard !name.isEmpty, name.utf8.allSatisfy(Header.isNameByte) else {
                    throw member.error("the name of a header has only letters, digits and - in it")
                }
            }
        }
        if let member = mapping.take("every") { every = try member.interval() }
        if let member = mapping.take("timeout") { timeout = try member.time() }
    }
}

extension HTTPSettings.Header {
    fileprivate static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether a value is one line of printable text.
    static func isValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}

extension YAMLMapping.Member {
    /// A text, or `{file: PATH}`.
    fileprivate func headerValue(home: String?) throws(FeedFileError) -> HTTPSettings.Value {
        guard node.mapping != nil else {
            let text = try text()
            guard HTTPSettings.Header.isValue(text) else { throw error("a header's value must be one line of text") }
            return .text(text)
        }
        var members = try YAMLMapping(node, of: name, suchAs: "{file: ~/.config/token}", under: "headers.\(name)")
        try members.refuseUnknown(among: ["file"])
        guard let file = members.take("file") else { throw error("it must be a text, or {file: PATH}") }
        return .file(try file.absolute(try file.text(), home: home))
    }
}
