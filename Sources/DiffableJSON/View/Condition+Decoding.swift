private enum ConditionMember: UInt8, MemberName {
    case and, or, not
    case path, equals, lessThan, atMost, greaterThan, atLeast, contains, prefix, exists

    /// The members whose value may be `null`.
    var takesNull: Bool { self == .equals || self == .contains }

    static func named(_ name: JSONString) -> ConditionMember? {
        switch name {
        case "and": .and
        case "or": .or
        case "not": .not
        case "path": .path
        case "equals": .equals
        case "lessThan": .lessThan
        case "atMost": .atMost
        case "greaterThan": .greaterThan
        case "atLeast": .atLeast
        case "contains": .contains
        case "prefix": .prefix
        case "exists": .exists
        default: nil
        }
    }
}

extension Decoder {
    /// The depth of a line limits the nesting.
    mutating func condition() throws(DecodingError) -> Condition {
        _ = scanner.peek()
        let start = scanner.offset
        var combined: [Condition] = []
        var path: ContentPath?
        var tests: [Condition.Test] = []
        try object("a condition", ConditionMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .and: combined.append(.and(try decoder.conditions("and")))
            case .or: combined.append(.or(try decoder.conditions("or")))
            case .not: combined.append(.not(try decoder.condition()))
            case .path: path = try decoder.contentPath()
            default: tests.append(try decoder.test(member))
            }
        }
        switch (path, tests.isEmpty, combined.count) {
        case (let path?, false, 0):
            // Several tests of one member are a range: all must hold.
            let conditions = tests.map { Condition.test(path, $0) }
            return conditions.count == 1 ? conditions[0] : .and(conditions)
        case (nil, true, 1): return combined[0]
        case (nil, false, _):
            throw .invalid("a condition with a test, such as equals, needs a path too: the tested field", at: start)
        case (_?, true, _):
            throw .invalid(
                "a path needs a test: equals, lessThan, atMost, greaterThan, atLeast, contains, prefix or exists",
                at: start)
        default:
            throw .invalid(
                "a condition must be one of and, or, not, or a path with tests, and not several of them", at: start)
        }
    }

    private mutating func conditions(_ what: StaticString) throws(DecodingError) -> [Condition] {
        try elements(what) { decoder throws(DecodingError) in try decoder.condition() }
    }

    private mutating func test(_ member: ConditionMember) throws(DecodingError) -> Condition.Test {
        switch member {
        case .equals:
            let value = try scan { scanner throws(JSONError) in try scanner.value() }.compacted()
            return value.withUnsafeBytes { Scalar(CompactValue($0)).map { .equals($0) } ?? .hasBytes(value) }
        case .contains: return .contains(try scalar("contains", "a string, a number, true, false or null"))
        case .prefix: return .prefix(try string("prefix").text)
        case .exists: return .exists(try boolean("exists"))
        case .lessThan: return .lessThan(try ordered(member))
        case .atMost: return .atMost(try ordered(member))
        case .greaterThan: return .greaterThan(try ordered(member))
        case .atLeast: return .atLeast(try ordered(member))
        case .and, .or, .not, .path: preconditionFailure("\(member) is no test")
        }
    }

    private mutating func ordered(_ member: ConditionMember) throws(DecodingError) -> Scalar {
        let before = self
        let expected = "a number or a string (only these have an order)"
        let scalar = try scalar(member.name, expected)
        switch scalar {
        case .number, .text: return scalar
        case .null, .boolean: throw before.unexpected(member.name, expected)
        }
    }

    private mutating func scalar(_ what: String, _ expected: String) throws(DecodingError) -> Scalar {
        let before = self
        let value = try scan { scanner throws(JSONError) in try scanner.value() }
        guard let scalar = Scalar(CompactValue(value.bytes)) else { throw before.unexpected(what, expected) }
        return scalar
    }
}
