/// A reply with its headers, as curl prints it, and curl's report about it.
struct HTTPReply {
    let status: Int
    /// Such as `Not Found`; empty with HTTP/2.
    let reason: String
    let etag: String?
    let lastModified: String?
    let body: ArraySlice<UInt8>

    /// Interim replies (1xx) precede the reply itself. Nil without a reply.
    init?(_ output: [UInt8]) {
        var rest = output[...]
        while true {
            guard let end = Self.endOfHeaders(rest) else { return nil }
            let lines = String(decoding: rest[..<end], as: UTF8.self).split(whereSeparator: \.isNewline)
            let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
            guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]) else { return nil }
            rest = rest[end...]
            if (100..<200).contains(status), rest.starts(with: Array("HTTP/".utf8)) { continue }
            self.status = status
            reason = words.count > 2 ? String(words[2]) : ""
            etag = Self.header("etag", in: lines)
            lastModified = Self.header("last-modified", in: lines)
            body = rest
            return
        }
    }

    /// The index after the first empty line.
    private static func endOfHeaders(_ bytes: ArraySlice<UInt8>) -> Int? {
        var isLineEmpty = false
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "\n"):
                if isLineEmpty { return index + 1 }
                isLineEmpty = true
            case UInt8(ascii: "\r"): break
            default: isLineEmpty = false
            }
        }
        return nil
    }

    private static func header(_ name: String, in lines: [Substring]) -> String? {
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { continue }
            let value = String(line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
            return HTTPSettings.Header.isValue(value) ? value : nil
        }
        return nil
    }
}
