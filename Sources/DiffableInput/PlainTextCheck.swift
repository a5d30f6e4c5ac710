import Diffable
import DiffableJSON

/// Looks at input of which nobody said what it is. What a program writes when it fails would pass for the lines of a list,
/// and all that was in it would be gone: `null` from jq, a page about an error from a web server.
package enum PlainTextCheck {
    package static func refuseDoubtful(_ input: [UInt8]) throws(InputError) {
        let text = input.drop(while: isWhiteSpace)
        if let beginning = markup.first(where: { text.prefix($0.utf8.count).elementsEqual($0.utf8, by: isSameLetter) })
        {
            throw InputError(
                "it begins with \(beginning), as a page does and no list; if its lines are the items, say --from lines")
        }
        if isScalar(text) {
            throw InputError(
                "all of it is one JSON value, and neither rows nor a list; if it is a line of text, say --from lines")
        }
    }

    private static let markup = ["<!doctype", "<html", "<?xml"]

    private static func isSameLetter(_ byte: UInt8, _ letter: UInt8) -> Bool {
        byte == letter || (0x41...0x5A).contains(byte) && byte + 0x20 == letter
    }

    /// `null`, `true`, `false` or a string. A number may well be the only line of a list, as `seq 1` writes it.
    private static func isScalar(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, "\"ntf".utf8.contains(first) else { return false }
        return text.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: JSONView.depthMax)
            return (try? scanner.value()) != nil && (try? scanner.end()) != nil
        }
    }
}
