import Diffable
import DiffableJSON

// The identity of a client in the journal and in the logs of shared lists: three array elements, each null if unknown.
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
    /// Reads the three elements from an array whose first one has begun.
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
    /// The client that asked for the change, without the handler that approved it.
    init(_ origin: Origin) { self.init(name: origin.name, processID: origin.processID, userID: origin.userID) }
}
