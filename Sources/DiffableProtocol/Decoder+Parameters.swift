import Diffable
import DiffableJSON

extension Decoder {
    mutating func leaseTerm() throws(DecodingError) -> LeaseTerm {
        let string = try string("lease")
        guard let term = LeaseTerm(rawValue: string.text) else {
            throw .invalid("lease must be \"connection\" or left out, not \(string.text.quoted)", at: string.offset)
        }
        return term
    }

    /// `"0640"`: a number would be read in base 10.
    mutating func accessMode() throws(DecodingError) -> AccessMode {
        guard scanner.peek() == UInt8(ascii: "\"") else {
            throw unexpected("mode", "a string of octal digits such as \"0640\"")
        }
        let string = try string("mode")
        do throws(AccessModeError) { return try AccessMode(octal: string.text) } catch {
            throw .invalid("\(error)", at: string.offset)
        }
    }

    mutating func userOrGroup(_ what: StaticString) throws(DecodingError) -> UInt32 {
        // The greatest number of 32 bits means "none" to the system.
        UInt32(try wholeNumber(what, in: 0...Int(UInt32.max - 1)))
    }
}

extension TransactionMode {
    init(dryRun: Bool?) { self = dryRun == true ? .dryRun : .commit }
}

extension LeaseTerm {
    /// A lease ends with its connection, while a key is for repeating a request on another one.
    static func check(_ lease: LeaseTerm?, excludes requestKey: RequestKey?) throws(DecodingError) {
        if lease == nil || requestKey == nil { return }
        throw .invalidRequest(
            "lease and requestKey cannot be combined: leased items disappear with the connection, so insert them again after "
                + "a reconnect")
    }
}
