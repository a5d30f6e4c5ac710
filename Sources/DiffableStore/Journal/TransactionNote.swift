import Diffable
import DiffableJSON

/// The journal's data about one transaction other than its operations: a line of JSON,
///
///     [1763763525000,2166,1,0,4711,1000,"diffablectl",86400000]
///
/// with these values:
/// - the time in milliseconds since 1970;
/// - the cost of keeping the previous state (`Revision.length`), in bytes;
/// - the number of operations;
/// - 1 if subscribers get the complete state (`Delivery.reload`), otherwise 0;
/// - the process, user and name of the client that made it, each null if unknown, or all three left out;
/// - the running time, in milliseconds;
/// - for a proposal, the process, user and name of the handler that approved it;
/// - for an undo or a redo, the array `[from,to]` (`UndoStep`).
struct TransactionNote {
    let revision: Revision
    let delivery: Delivery

    init(_ revision: Revision, _ delivery: Delivery) {
        self.revision = revision
        self.delivery = delivery
    }

    func write(into line: inout ByteWriter) {
        line.append(byte: UInt8(ascii: "["))
        line.append(revision.moment.timeOfDay.milliseconds)
        line.append(byte: UInt8(ascii: ","))
        line.append(revision.length)
        line.append(byte: UInt8(ascii: ","))
        line.append(revision.operations)
        line.append(delivery == .reload ? ",1" : ",0")
        if let origin = revision.origin {
            line.append(byte: UInt8(ascii: ","))
            line.append(ClientIdentity(origin))
        }
        line.append(byte: UInt8(ascii: ","))
        line.append(revision.moment.running.milliseconds)
        if let handler = revision.origin?.handler {
            line.append(byte: UInt8(ascii: ","))
            line.append(handler)
        }
        if let step = revision.undoStep {
            line.append(byte: UInt8(ascii: ","))
            line.append(step)
        }
        line.append(byte: UInt8(ascii: "]"))
    }

    /// - Parameter revision: the revision after the transaction.
    init(_ line: UnsafeRawBufferPointer, revision: Int) throws(JSONError) {
        var scanner = JSONScanner(line, depthMax: 2)
        var array = try scanner.beginArray()
        func next() throws(JSONError) {
            guard try scanner.nextElement(of: &array) else { throw scanner.unexpected(.value) }
        }
        func number() throws(JSONError) -> Int {
            try next()
            return try scanner.integer().bounded
        }
        let time = try number()
        // Bounded, because the lengths of many revisions are added.
        let length = min(max(try number(), 0), 1 << 40)
        let operations = max(try number(), 0)
        delivery = try number() == 1 ? .reload : .difference
        func knownNumber() throws(JSONError) -> Int? { try scanner.readNull() ? nil : try scanner.integer() }
        func name() throws(JSONError) -> String? {
            try next()
            return try scanner.readNull() ? nil : try scanner.string().text
        }
        var origin: Origin?
        var running: Int?
        var undoStep: UndoStep?
        /// Advances to the next value. Reads the undo step at the end, which does not count as one.
        func hasNext() throws(JSONError) -> Bool {
            guard try scanner.nextElement(of: &array) else { return false }
            guard scanner.peek() == UInt8(ascii: "[") else { return true }
            undoStep = try scanner.undoStep()
            guard try !scanner.nextElement(of: &array) else { throw scanner.unexpected(.commaOrBracket) }
            return false
        }
        // One value is the running time, four are the origin and the running time, and seven add the handler.
        if try hasNext() {
            let first = try knownNumber()
            if try hasNext() {
                origin = Origin(processID: first, userID: try knownNumber())
                origin?.name = try name()
                if try hasNext() {
                    running = try scanner.integer().bounded
                    if try hasNext() {
                        origin?.handler = try scanner.identity(in: &array)
                        guard try !hasNext() else { throw scanner.unexpected(.commaOrBracket) }
                    }
                }
            } else {
                running = first?.bounded
            }
        }
        guard let running else { throw scanner.unexpected(.value) }
        try scanner.end()
        let moment = Moment(
            timeOfDay: Timestamp(milliseconds: time), running: RunningTime(milliseconds: running))
        self.revision = Revision(
            number: revision, moment: moment, operations: operations, length: length, origin: origin,
            undoStep: undoStep)
    }
}

extension ByteWriter {
    /// `[7,6]`
    mutating func append(_ step: UndoStep) {
        append(byte: UInt8(ascii: "["))
        append(step.from)
        append(byte: UInt8(ascii: ","))
        append(step.to)
        append(byte: UInt8(ascii: "]"))
    }
}

extension JSONScanner {
    mutating func undoStep() throws(JSONError) -> UndoStep {
        var array = try beginArray()
        func next(_ scanner: inout JSONScanner) throws(JSONError) -> Int {
            guard try scanner.nextElement(of: &array) else { throw scanner.unexpected(.value) }
            return try scanner.integer()
        }
        let step = UndoStep(from: try next(&self), to: try next(&self))
        guard try !nextElement(of: &array) else { throw unexpected(.commaOrBracket) }
        return step
    }
}
