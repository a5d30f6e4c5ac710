import Diffable

/// The parts of an item that a search examines, if not every string of the content.
struct SearchPlaces: Hashable, Sendable {
    /// The places in items whose kind `kinds` does not name.
    let usual: [Place]
    /// The places by the kind's name; an empty name means items without a kind.
    let kinds: [String: [Place]]
    let looksAtIDs: Bool
    let looksAtKinds: Bool

    init(usual: [Place], kinds: [String: [Place]]) {
        self.usual = usual
        self.kinds = kinds
        let all = ([usual] + kinds.values).joined()
        looksAtIDs = all.contains { $0.looks(at: .id) }
        looksAtKinds = all.contains { $0.looks(at: .kind) }
    }

    enum Place: Hashable, Sendable {
        case value(ContentPath)
        case first([Alternative])

        fileprivate func looks(at path: ContentPath) -> Bool {
            switch self {
            case .value(let place): place == path
            case .first(let alternatives): alternatives.contains(.string(path))
            }
        }
    }

    enum Alternative: Hashable, Sendable {
        /// A string with more than white space in it.
        case string(ContentPath)
        /// The first such string among the content's own members, except those with these names.
        case firstMember(except: Set<[UInt8]>)

        fileprivate var numberOfSegments: Int {
            switch self {
            case .string(let path): path.numberOfSegments
            case .firstMember(let names): names.count + 1
            }
        }
    }

    /// The greatest number of paths that are followed for one item.
    var pathCount: Int {
        ([usual] + kinds.values).map { places in
            places.reduce(0) { count, place in
                if case .first(let alternatives) = place { count + alternatives.count } else { count + 1 }
            }
        }.max() ?? 0
    }

    var numberOfSegments: Int {
        ([usual] + kinds.values).joined().reduce(0) { count, place in
            switch place {
            case .value(let path): count + path.numberOfSegments
            case .first(let alternatives): alternatives.reduce(count + 1) { $0 + $1.numberOfSegments }
            }
        } + kinds.count
    }

    /// Calls `isLast` with the item's texts at these places until it returns true. Returns whether it did. O(length of the
    /// content) for each path.
    func containsText(of item: Item, where isLast: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        places(for: item).contains { place in
            var isDone = false
            switch place {
            case .value(let path):
                path.withValue(in: item) { $0?.withText(numbersToo: true) { isDone = isLast($0) } }
            case .first(let alternatives):
                _ = alternatives.first { $0.isFound(in: item) { isDone = isLast($0) } }
            }
            return isDone
        }
    }

    private func places(for item: Item) -> [Place] {
        if kinds.isEmpty { return usual }
        return kinds[item.kind?.description ?? ""] ?? usual
    }
}

extension SearchPlaces.Alternative {
    fileprivate func isFound(in item: Item, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        var isFound = false
        func take(_ text: UnsafeRawBufferPointer) {
            guard text.saysSomething else { return }
            isFound = true
            body(text)
        }
        switch self {
        case .string(let path): path.withValue(in: item) { $0?.withText(numbersToo: false, take) }
        case .firstMember(let names):
            item.record.withContent { content in
                guard !content.isEmpty else { return }
                for member in CompactValue(content).members where !isFound {
                    guard let string = member.value.string,
                        !member.name.string.withUTF8({ names.contains(Array($0)) })
                    else { continue }
                    string.withUTF8(take)
                }
            }
        }
        return isFound
    }
}

extension ContentPath.Found {
    fileprivate func withText(numbersToo: Bool, _ body: (UnsafeRawBufferPointer) -> Void) {
        switch self {
        case .text(let text): body(text)
        case .value(let value):
            if let string = value.string {
                string.withUTF8 { body($0) }
            } else if numbersToo, value.number != nil {
                body(value.bytes)
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var saysSomething: Bool {
        if let first, 0x21..<0x7F ~= first { return true }
        return String(decoding: self, as: UTF8.self).unicodeScalars.contains {
            !$0.properties.isWhitespace && $0.properties.generalCategory != .control
        }
    }
}

// MARK: - Decoding

private enum SearchMember: UInt8, MemberName {
    case words, `in`, kinds

    static func named(_ name: JSONString) -> SearchMember? {
        switch name {
        case "words": .words
        case "in": .in
        case "kinds": .kinds
        default: nil
        }
    }
}

private enum KindMember: UInt8, MemberName {
    case kind, `in`

    static func named(_ name: JSONString) -> KindMember? {
        switch name {
        case "kind": .kind
        case "in": .in
        default: nil
        }
    }
}

private enum AlternativeMember: UInt8, MemberName {
    case firstExcept

    static func named(_ name: JSONString) -> AlternativeMember? {
        switch name {
        case "firstExcept": .firstExcept
        default: nil
        }
    }
}

/// Limited because each path is followed in each item.
private let searchPathsMax = 128

extension Decoder {
    /// `{"words":"milk","in":["/note",["/text","id"]],"kinds":[{"kind":"mail","in":["/subject"]}]}`
    mutating func placedSearch() throws(DecodingError) -> (words: JSONString, places: SearchPlaces) {
        let start = scanner.offset
        var words: JSONString?
        var usual: [SearchPlaces.Place]?
        var kinds: [String: [SearchPlaces.Place]] = [:]
        try object("a search", SearchMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .words: words = try decoder.string("words")
            case .in: usual = try decoder.searchPlaces()
            case .kinds:
                try decoder.array("kinds") { _, decoder throws(DecodingError) in
                    let (kind, places) = try decoder.kindPlaces()
                    kinds[kind] = places
                }
            }
        }
        guard let words, let usual else {
            throw .invalid("a search needs both words and in (the paths to search)", at: start)
        }
        let places = SearchPlaces(usual: usual, kinds: kinds)
        guard places.pathCount <= searchPathsMax else {
            throw DecodingError(.tooLarge(limit: "searchPathsMax", max: searchPathsMax), at: start)
        }
        return (words, places)
    }

    private mutating func kindPlaces() throws(DecodingError) -> (String, [SearchPlaces.Place]) {
        _ = scanner.peek()
        let start = scanner.offset
        var kind: String?
        var places: [SearchPlaces.Place]?
        try object("a kind to search", KindMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .kind: kind = try decoder.string("kind").text
            case .in: places = try decoder.searchPlaces()
            }
        }
        guard let kind, let places else { throw .invalid("each element of kinds needs both kind and in", at: start) }
        return (kind, places)
    }

    private mutating func searchPlaces() throws(DecodingError) -> [SearchPlaces.Place] {
        try elements("in") { decoder throws(DecodingError) in
            guard decoder.scanner.peek() == UInt8(ascii: "[") else { return .value(try decoder.contentPath()) }
            return .first(
                try decoder.elements("alternatives") { decoder throws(DecodingError) in try decoder.alternative() })
        }
    }

    private mutating func alternative() throws(DecodingError) -> SearchPlaces.Alternative {
        guard scanner.peek() == UInt8(ascii: "{") else { return .string(try contentPath()) }
        let start = scanner.offset
        var names: Set<[UInt8]>?
        try object("an alternative", AlternativeMember.self) { _, decoder throws(DecodingError) in
            names = Set(
                try decoder.elements("firstExcept") { decoder throws(DecodingError) in
                    Array(try decoder.string("a member's name").text.utf8)
                })
        }
        guard let names else {
            throw .invalid("an alternative in a search must be a path or an object with firstExcept", at: start)
        }
        return .firstMember(except: names)
    }
}
