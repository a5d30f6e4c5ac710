import DiffableJSON

/// What the journal says of one step beside its operations: a line of JSON,
///
///     [1763763525000,2166,1,0,4711,1000,"diffablectl"]
///
/// the time in milliseconds since 1970, how much it takes to keep the state before (`Revision.length`), the number of
/// operations, 1 when subscribers get the whole state (`Delivery.reload`), and who made it: process, user and what the
/// client calls itself, each null when it is not known, or nothing at all.
struct StepNote {
    let revision: Revision
    let delivery: Delivery

    init(_ revision: Revision, _ delivery: Delivery) {
        self.revision = revision
        self.delivery = delivery
    }

    func write(into line: inout ByteWriter) {
        line.append(byte: UInt8(ascii: "["))
        line.append(revision.time.milliseconds)
        line.append(byte: UInt8(ascii: ","))
        line.append(revision.length)
        line.append(byte: UInt8(ascii: ","))
        line.append(revision.operations)
        line.append(delivery == .reload ? ",1" : ",0")
        if let origin = revision.origin {
            append(origin.processID, to: &line)
            append(origin.userID, to: &line)
            line.append(byte: UInt8(ascii: ","))
            if let name = origin.name { line.appendString(name) } else { line.append("null") }
        }
        line.append(byte: UInt8(ascii: "]"))
    }

    private func append(_ number: Int?, to line: inout ByteWriter) {
        line.append(byte: UInt8(ascii: ","))
        if let number { line.append(number) } else { line.append("null") }
    }

    /// - Parameter revision: what the step leads to.
    init(_ line: UnsafeRawBufferPointer, revision: Int) throws(JSONError) {
        var scanner = JSONScanner(line, depthMax: 1)
        var array = try scanner.beginArray()
        func next() throws(JSONError) {
            guard try scanner.nextElement(of: &array) else { throw scanner.unexpected(.value) }
        }
        func number() throws(JSONError) -> Int {
            try next()
            return try scanner.integer()
        }
        func numberIfKnown() throws(JSONError) -> Int? {
            try next()
            return try scanner.readNull() ? nil : try scanner.integer()
        }
        let time = try number()
        let length = try number()
        let operations = try number()
        delivery = try number() == 1 ? .reload : .difference
        var origin: Origin?
        if try scanner.nextElement(of: &array) {
            origin = Origin()
            origin?.processID = try scanner.readNull() ? nil : try scanner.integer()
            origin?.userID = try numberIfKnown()
            try next()
            origin?.name = try scanner.readNull() ? nil : try scanner.string().text
            guard try !scanner.nextElement(of: &array) else { throw scanner.unexpected(.commaOrBracket) }
        }
        try scanner.end()
        self.revision = Revision(
            number: revision, time: Timestamp(milliseconds: time), operations: operations, length: length,
            origin: origin)
    }
}
