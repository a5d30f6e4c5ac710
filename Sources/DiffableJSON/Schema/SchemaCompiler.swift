/// The part of the limits that the schemas of one list have used.
struct SchemaBudget {
    let limits: SchemaLimits
    private var keywordCount = 0

    init(_ limits: SchemaLimits) { self.limits = limits }

    mutating func takeKeyword(at offset: Int) throws(DecodingError) {
        keywordCount += 1
        guard keywordCount <= limits.keywordsMax else {
            throw DecodingError(.tooLarge(limit: "schemaKeywordsMax", max: limits.keywordsMax), at: offset)
        }
    }
}

extension Decoder {
    mutating func schema(_ budget: inout SchemaBudget) throws(DecodingError) -> Schema {
        let json = try schemaText(budget.limits)
        var compiler = SchemaCompiler(budget)
        let root = try compiler.schema(&self, level: 0)
        budget = compiler.budget
        return Schema(json: json, root: root, compiler)
    }

    /// The next value without white space, if it is not too long. It stays unread.
    func schemaText(_ limits: SchemaLimits) throws(DecodingError) -> [UInt8] {
        var ahead = self
        let value = try ahead.scan { scanner throws(JSONError) in try scanner.value() }
        let json = value.compacted()
        guard json.count <= limits.lengthMax else {
            throw DecodingError(.tooLarge(limit: "schemaLengthMax", max: limits.lengthMax), at: value.offset)
        }
        return json
    }
}

/// Compiles a schema's text into its flat form. It refuses everything that the meta-schema of draft 2020-12 refuses, every
/// keyword that is not checked here, and duplicate members.
struct SchemaCompiler {
    private(set) var rules: [SchemaRule] = []
    private(set) var names = ByteTable()
    private(set) var properties: [SchemaProperty] = []
    private(set) var constants = ByteTable()
    private(set) var bounds: [SchemaBound] = []
    private(set) var constantTexts: [Schema.ConstantKey: String] = [:]
    fileprivate(set) var budget: SchemaBudget

    init(_ budget: SchemaBudget) { self.budget = budget }

    mutating func schema(_ decoder: inout Decoder, level: Int) throws(DecodingError) -> SchemaReference {
        switch decoder.scanner.peek() {
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return try decoder.boolean("the schema") ? .anything : .nothing
        case UInt8(ascii: "{"): break
        default: throw decoder.unexpected("the schema", "an object, true or false")
        }
        guard level < budget.limits.depthMax else {
            throw DecodingError(
                .tooLarge(limit: "schemaDepthMax", max: budget.limits.depthMax), at: decoder.scanner.offset)
        }
        var parts = SchemaParts()
        var object = try decoder.beginObject("the schema")
        while let name = try decoder.nextName(of: &object) {
            guard let keyword = SchemaKeyword.named(name) else { throw Self.unknown(name) }
            try object.recordMember(keyword.rawValue, name, of: "the schema")
            try budget.takeKeyword(at: name.offset)
            do throws(DecodingError) {
                try read(keyword, of: &parts, &decoder, level: level)
            } catch {
                throw error.inside(keyword.text)
            }
        }
        return add(parts)
    }

    private static func unknown(_ name: JSONString) -> DecodingError {
        let text = name.text
        let known = SchemaKeyword.allCases.map(\.text)
        let advice =
            nearestName(to: text, among: known).map { "did you mean \"\($0)\"?" }
            ?? "leave it out, or use one of \(known.joined(separator: ", "))"
        return .invalid("the schema keyword \(text.quoted) is not supported here; \(advice)", at: name.offset)
    }

    private mutating func read(
        _ keyword: SchemaKeyword, of parts: inout SchemaParts, _ decoder: inout Decoder, level: Int
    ) throws(DecodingError) {
        switch keyword {
        case .properties:
            parts.properties = try members(&decoder) { compiler, decoder throws(DecodingError) in
                try compiler.schema(&decoder, level: level + 1)
            }
        case .additionalProperties: parts.additional = try schema(&decoder, level: level + 1)
        case .items: parts.items = try schema(&decoder, level: level + 1)
        default: try parts.read(keyword, &decoder)
        }
    }

    private mutating func members(
        _ decoder: inout Decoder,
        _ schema: (inout SchemaCompiler, inout Decoder) throws(DecodingError) -> SchemaReference
    ) throws(DecodingError) -> [(name: [UInt8], schema: SchemaReference)] {
        var members: [(name: [UInt8], schema: SchemaReference)] = []
        var known: Set<[UInt8]> = []
        var object = try decoder.beginObject("properties")
        while let name = try decoder.nextName(of: &object) {
            let bytes = name.withUTF8 { Array($0) }
            guard known.insert(bytes).inserted else {
                throw .invalid("properties has the member \(name.text.quoted) twice", at: name.offset)
            }
            do throws(DecodingError) {
                members.append((bytes, try schema(&self, &decoder)))
            } catch {
                throw error.inside(name.text.shown)
            }
        }
        return members
    }

    // MARK: - The flat form

    private mutating func add(_ parts: SchemaParts) -> SchemaReference {
        if parts.acceptAnything { return .anything }
        var rule = parts.rule
        addProperties(of: parts, to: &rule)
        rule.bounds = bounds.count..<bounds.count + parts.bounds.count
        bounds += parts.bounds
        rule.enumeration = parts.enumeration.map { constants.append($0.values).range }
        rule.constant = parts.constant.map { constants.append($0.values).range }
        rule.freeTypes = parts.freeTypes
        constantTexts[Schema.ConstantKey(rule: rules.count, keyword: .enum)] = parts.enumeration?.text
        constantTexts[Schema.ConstantKey(rule: rules.count, keyword: .const)] = parts.constant?.text
        rules.append(rule)
        return SchemaReference(place: Int32(rules.count - 1))
    }

    private mutating func addProperties(of parts: SchemaParts, to rule: inout SchemaRule) {
        let declared = Set(parts.properties.map(\.name))
        let others = parts.required.filter { !declared.contains($0) }
        let allNames = parts.properties.map(\.name) + others
        guard !allNames.isEmpty else { return }
        let (range, places) = names.append(allNames)
        rule.properties = range
        rule.requiredCount = parts.required.count
        let none = SchemaProperty(
            schema: parts.additional, requirement: -1, next: -1, isDeclared: false, isPlain: false)
        properties += repeatElement(none, count: range.count)
        for (place, property) in zip(places, parts.properties) {
            properties[place].schema = property.schema
            properties[place].isDeclared = true
        }
        let placeOfName = Dictionary(zip(allNames, places), uniquingKeysWith: { first, _ in first })
        for (number, name) in parts.required.enumerated() {
            if let place = placeOfName[name] { properties[place].requirement = number }
        }
        link(zip(places, allNames).filter { Self.isPlain($0.1) }.map(\.0), from: &rule)
    }

    private static func isPlain(_ name: [UInt8]) -> Bool {
        !name.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    }

    /// After each name the check tries the next one, and after the last the first.
    private mutating func link(_ places: [Int], from rule: inout SchemaRule) {
        guard let first = places.first else { return }
        rule.firstProperty = first
        for property in rule.properties { properties[property].next = first }
        for (place, next) in zip(places, places.dropFirst()) { properties[place].next = next }
        for place in places { properties[place].isPlain = true }
    }
}
