/// The keys of one namespace, which is a set of lists that the same hosts share.
package struct SpaceKeys: Hashable, Sendable {
    package let space: String

    package init(_ space: String) { self.space = space }

    package var all: String { "/diffabled/\(space)/" }
    package var lists: String { "\(all)lists/" }
    package var hosts: String { "\(all)hosts/" }

    /// Whether a namespace or a host can have this name.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                byte < 128 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
                    || [0x2D, 0x2E, 0x5F].contains(byte)
            }
    }

    package func list(_ name: String) -> String { lists + name }
    package func host(_ name: String) -> String { hosts + name }
    /// Returns the key that marks an epoch as ended on purpose. An epoch that is missing without this key was lost.
    package func ended(_ epoch: String) -> String { "\(all)ended/\(epoch)" }

    /// Returns the prefix of one incarnation of a list.
    package func life(_ epoch: String) -> String { "\(all)l/\(epoch)/" }
    package func head(_ epoch: String) -> String { "\(life(epoch))head" }
    package func log(_ epoch: String) -> String { "\(life(epoch))log/" }
    package func log(_ epoch: String, _ batch: Int) -> String { log(epoch) + Self.digits(batch, 16) }
    package func checkpoints(_ epoch: String) -> String { "\(life(epoch))cp/" }
    package func checkpoint(_ epoch: String, _ batch: Int) -> String {
        "\(checkpoints(epoch))\(Self.digits(batch, 16))/"
    }
    package func part(_ epoch: String, _ batch: Int, _ part: Int) -> String {
        Self.part(of: checkpoint(epoch, batch), part)
    }
    /// Returns the key of a part of a long value, in a folder of its own.
    static func part(of folder: String, _ part: Int) -> String { folder + digits(part, 6) }

    /// Returns the prefix of the pieces of long batches.
    func pieces(_ epoch: String) -> String { "\(life(epoch))pieces/" }
    func pieces(_ epoch: String, _ batch: Int) -> String { "\(pieces(epoch))\(Self.digits(batch, 16))/" }

    /// Returns the prefix of the tickets, one for each waiting host.
    package func turns(_ epoch: String) -> String { "\(life(epoch))turns/" }
    package func turn(_ epoch: String, _ host: String) -> String { turns(epoch) + host }

    /// Pads a number, so that keys are ordered as their numbers.
    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// Returns the incarnation and the part that a key belongs to.
    package func part(of key: String) -> LifePart? {
        let lives = "\(all)l/"
        guard key.hasPrefix(lives) else { return nil }
        let rest = key.dropFirst(lives.count).split(separator: "/", omittingEmptySubsequences: false)
        guard let epoch = rest.first.map(String.init), rest.count > 1 else { return nil }
        if rest.count == 2, rest[1] == "head" { return LifePart(epoch: epoch, kind: .head) }
        if rest.count == 3, rest[1] == "log", let batch = Int(rest[2]) {
            return LifePart(epoch: epoch, kind: .batch(batch))
        }
        if rest.count == 3, rest[1] == "turns" { return LifePart(epoch: epoch, kind: .turn(host: String(rest[2]))) }
        return nil
    }
}

package struct LifePart: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case head
        case batch(Int)
        case turn(host: String)
    }

    package var epoch: String
    package var kind: Kind
}
