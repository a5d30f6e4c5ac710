import Diffable
import DiffableJSON

// Who made a change, as the journal and the logs of shared lists have it: three elements of an array, each null when it is
// not known.
//
//     4711,1000,"diffablectl"

extension ByteWriter {
    mutating func append(_ identity: ClientIdentity) {
        for number in [identity.processID, identity.userID] {
            if let number { append(number) } else { append("null") }
            append(byte: UInt8(ascii: ","))
        }
        if let name = identity.name { appendString(name) } else { append("null") }
    }
}

extension JSONScanner {
    /// Reads the three from an array of which the first has begun.
    mutating func identity(in array: inout Container) throws(JSONError) -> ClientIdentity {
        func next(_ scanner: inout JSONScanner) throws(JSONError) {
            guard try scanner.nextElement(of: &array) else { throw scanner.unexpected(.value) }
        }
        var identity = ClientIdentity(processID: try readNull() ? nil : try integer())
        try next(&self)
        identity.userID = try readNull() ? nil : try integer()
        try next(&self)
        identity.name = try readNull() ? nil : try string().text
        return identity
    }
}

extension ClientIdentity {
    /// Who asked for it, without who consented.
    init(_ origin: Origin) { self.init(name: origin.name, processID: origin.processID, userID: origin.userID) }
}
