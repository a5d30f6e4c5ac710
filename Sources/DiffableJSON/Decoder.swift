import Diffable

/// Reads JSON that the daemon interprets: a scanner with limits, and errors that name the member. One decoder reads one text.
/// Members may have any order but no duplicates, and `null` for an optional one is the same as leaving it out.
package struct Decoder {
    package var scanner: JSONScanner
    package let limits: DecodingLimits

    package init(_ text: UnsafeRawBufferPointer, limits: DecodingLimits) {
        self.scanner = JSONScanner(text, depthMax: limits.depthMax)
        self.limits = limits
    }

    @inline(__always)
    package mutating func scan<R>(_ step: (inout JSONScanner) throws(JSONError) -> R) throws(DecodingError) -> R {
        do throws(JSONError) {
            return try step(&scanner)
        } catch {
            throw .syntax(error)
        }
    }

    // MARK: - Objects

    /// Reads an object. `read` is called with each known member and reads its value; only the `allowed` members are known. It is
    /// inlined, so that it is compiled for each kind of object: generic code would take longer than the scanning. The compiler
    /// does this within a module only, so DiffableProtocol has a copy.
    @inline(__always)
    mutating func object<Member: MemberName>(
        _ what: @autoclosure () -> String, _: Member.Type, allowed: MemberSet<Member> = .all,
        _ read: (Member, inout Decoder) throws(DecodingError) -> Void
    ) throws(DecodingError) {
        var object = try beginObject(what())
        try members(of: &object, what(), allowed, read)
    }

    @inline(__always)
    mutating func members<Member: MemberName>(
        of object: inout OpenObject, _ what: @autoclosure () -> String, _ allowed: MemberSet<Member>,
        _ read: (Member, inout Decoder) throws(DecodingError) -> Void
    ) throws(DecodingError) {
        while let name = try nextName(of: &object) {
            guard let member = Member.named(name), allowed.contains(member) else {
                try skipOrRefuseUnknown(name, of: what(), known: allowed.names)
                continue
            }
            try object.recordMember(member.rawValue, name, of: what())
            do throws(DecodingError) {
                if !member.takesNull, try readNull() { continue }
                try read(member, &self)
            } catch {
                throw error.inside(member.name)
            }
        }
    }

    package struct OpenObject {
        fileprivate var container: JSONScanner.Container
        /// One bit for the raw value of each member that was read.
        fileprivate var seen: UInt32 = 0

        /// Records a member. Throws for a duplicate.
        @inline(__always)
        package mutating func recordMember(
            _ number: UInt8, _ name: JSONString, of what: @autoclosure () -> String
        ) throws(DecodingError) {
            let bit: UInt32 = 1 &<< UInt32(number)
            if seen & bit != 0 { throw Decoder.duplicateMember(name, in: what()) }
            seen |= bit
        }
    }

    package mutating func beginObject(_ what: @autoclosure () -> String) throws(DecodingError) -> OpenObject {
        guard scanner.peek() == UInt8(ascii: "{") else { throw unexpected(what(), "an object") }
        return OpenObject(container: try scan { scanner throws(JSONError) in try scanner.beginObject() })
    }

    /// The next member's name; its value must be read next. Nil at the end of the object.
    @inline(__always)
    package mutating func nextName(of object: inout OpenObject) throws(DecodingError) -> JSONString? {
        try scan { scanner throws(JSONError) in try scanner.nextMember(of: &object.container) }
    }

    @inline(never)
    fileprivate static func duplicateMember(_ name: JSONString, in what: String) -> DecodingError {
        .invalid("\(what) has the member \"\(name.text)\" twice", at: name.offset)
    }

    @inline(never)
    package mutating func skipOrRefuseUnknown(
        _ name: JSONString, of what: @autoclosure () -> String, known: @autoclosure () -> [String]
    ) throws(DecodingError) {
        if limits.unknownMembers == .areIgnored {
            return try scan { scanner throws(JSONError) in try scanner.skipValue() }
        }
        let text = name.text
        let what = what()
        let known = known()
        let advice =
            nearestName(to: text, among: known).map { "did you mean \"\($0)\"?" }
            ?? (known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))")
        throw .invalid("\(what) has no member \(text.quoted); \(advice)", at: name.offset)
    }

    /// The error for a value of the wrong type; a syntax error if no value begins here.
    @inline(never)
    package func unexpected(_ what: String, _ expected: String) -> DecodingError {
        var ahead = self
        do throws(DecodingError) {
            let value = try ahead.scan { scanner throws(JSONError) in try scanner.value() }
            return .invalid("\(what) must be \(expected), not \(value.sort)", at: value.offset)
        } catch {
            return error
        }
    }

    // MARK: - Arrays

    /// Reads an array: `read` is called for each element and reads it.
    @inline(__always)
    package mutating func array(
        _ what: StaticString, _ read: (Int, inout Decoder) throws(DecodingError) -> Void
    ) throws(DecodingError) {
        guard scanner.peek() == UInt8(ascii: "[") else { throw unexpected("\(what)", "an array") }
        var array = try scan { scanner throws(JSONError) in try scanner.beginArray() }
        var index = 0
        while try scan({ scanner throws(JSONError) in try scanner.nextElement(of: &array) }) {
            do throws(DecodingError) {
                try read(index, &self)
            } catch {
                throw error.inside(index: index)
            }
            index += 1
        }
    }

    @inline(__always)
    package mutating func elements<Element>(
        _ what: StaticString, _ read: (inout Decoder) throws(DecodingError) -> Element
    ) throws(DecodingError) -> [Element] {
        var elements: [Element] = []
        try array(what) { _, decoder throws(DecodingError) in elements.add(try read(&decoder)) }
        return elements
    }

    // MARK: - Values

    package mutating func string(_ what: StaticString) throws(DecodingError) -> JSONString {
        guard scanner.peek() == UInt8(ascii: "\"") else { throw unexpected("\(what)", "a string") }
        return try scan { scanner throws(JSONError) in try scanner.stringAtQuote() }
    }

    package mutating func boolean(_ what: StaticString) throws(DecodingError) -> Bool {
        guard let byte = scanner.peek(), byte == UInt8(ascii: "t") || byte == UInt8(ascii: "f") else {
            throw unexpected("\(what)", "true or false")
        }
        return try scan { scanner throws(JSONError) in try scanner.boolean() }
    }

    /// Reads an integer from zero up to 2^53 - 1, which every JSON library reads exactly, or in another range. `units` is the
    /// counted thing in messages: ` of milliseconds`.
    package mutating func wholeNumber(
        _ what: StaticString, in range: ClosedRange<Int> = 0...9_007_199_254_740_991, units: StaticString = ""
    ) throws(DecodingError) -> Int {
        var ahead = scanner
        do throws(JSONError) {
            let number = try ahead.integer()
            if range ~= number {
                scanner = ahead
                return number
            }
        } catch {
            // The code below checks whether it is JSON at all.
        }
        throw unexpected("\(what)", "an integer\(units) from \(range.lowerBound) to \(range.upperBound)")
    }

    @inline(__always)
    package mutating func readNull() throws(DecodingError) -> Bool {
        try scan { scanner throws(JSONError) in try scanner.readNull() }
    }

    @specialized(where Named == ListTag)
    @specialized(where Named == SectionTag)
    @specialized(where Named == ItemTag)
    package mutating func identifier<Named>(
        _ what: StaticString, as _: Named.Type = Named.self
    ) throws(DecodingError) -> Identifier<Named> {
        let string = try string(what)
        do throws(IdentifierError) {
            return try string.withUTF8 { utf8 throws(IdentifierError) in
                try Identifier<Named>(validating: utf8, lengthMax: limits.idLengthMax)
            }
        } catch {
            throw .identifier(error, "\(what)", at: string.offset, lengthMax: limits.idLengthMax)
        }
    }

    package mutating func end() throws(DecodingError) {
        try scan { scanner throws(JSONError) in try scanner.end() }
    }
}

extension Array {
    /// Appends an element; the first one makes an array of one. Most decoded arrays have one element, and appending to an empty
    /// array allocates room for more, which takes longer.
    @inline(__always)
    mutating func add(_ element: Element) {
        if isEmpty { self = [element] } else { append(element) }
    }
}
