import Diffable

/// The part of a list that a subscription shows.
///
///     {"sections":["today"],"where":{"path":"/done","equals":false},"search":"milk",
///      "sort":["/due",{"path":"/priority","descending":true}],
///      "expansion":"own","expanded":["groceries"],"window":{"anchor":"milk","limit":50}}
///
/// `expanded` names all expanded items. `toggled` may replace it, and names the items whose expansion differs from the list's.
/// The members apply in this order: first the items that match, sorted; then the ones that are not folded; then the rows
/// of the window.
package struct View: Sendable {
    /// Selects and sorts the matching items; nil for everything, in the list's order.
    package var matching: Selection?
    package var expansion: Selection.Expansion
    package var window: Window?
    /// Whether items are marked whose children the view leaves out.
    package var marksFolded = false
    /// The text that `matching` was made from. Two views with the same text show the same. Empty when it is nil.
    package var matchingText: [UInt8]
    /// The requirements for a single item; nil if only its place counts.
    package fileprivate(set) var criterion: Criterion?
    /// The whole view as compact JSON; empty for everything.
    package var json: [UInt8]
    /// The approximate memory of the decoded view and of the objects that follow a list through it, in bytes; 0 for an empty view.
    package private(set) var lengthInMemory = 0

    package init() {
        matching = nil
        expansion = .all
        window = nil
        matchingText = []
        json = []
    }

    package init(json text: UnsafeRawBufferPointer) throws(DecodingError) {
        var decoder = Decoder(text, limits: .asking)
        self = try decoder.view()
        try decoder.end()
    }

    /// `matchingText` is in memory at most five times: in `json`, as it is, in the decoded tests, and at both ends of the
    /// ranges that they allow.
    fileprivate mutating func setSource(_ json: [UInt8], segments: Int, terms: Int, ids: Int) {
        self.json = json
        lengthInMemory =
            isEverything
            ? json.count
            : 2_048 + 2 * json.count + 4 * matchingText.count
                + 64 * segments + 256 * terms + 96 * ids
    }

    package var isEverything: Bool { matching == nil && expansion == .all && window == nil }
}

extension View: Hashable {
    /// Whether both show the same of every list, as far as their texts reveal it.
    package static func == (a: View, b: View) -> Bool {
        a.matchingText == b.matchingText && a.expansion == b.expansion && a.marksFolded == b.marksFolded
            && a.window == b.window
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(matchingText)
        hasher.combine(expansion)
        hasher.combine(window)
    }
}

// MARK: - Evaluating

extension View {
    /// The rows of a list, and the position of the window. O(n log n); for a window over everything, O(its rows).
    package func evaluate(_ list: Snapshot) -> (snapshot: Snapshot, extent: Window.Extent?) {
        let rows = rowsBeforeWindow(of: list)
        guard let extract = window?.extract(from: rows) else { return (rows, nil) }
        return (extract.snapshot, extract.extent)
    }

    /// All rows that its window can show. O(n log n).
    package func rowsBeforeWindow(of list: Snapshot) -> Snapshot {
        let matching = matching?.evaluate(list) ?? list
        return expansion == .all ? matching : folding.evaluate(matching)
    }

    /// Shows the children of expanded items only.
    package var folding: Selection { Selection(expansion, marksFolded: marksFolded) }

    /// Whether an item matches `where` and `search`; its position does not count. O(length of the content) for each test.
    package func isMet(by item: Item) -> Bool { matching?.isMet(by: item) ?? true }

    /// Whether finding the rows takes at most `workMax` units of 64 bytes of an item. O(workMax).
    package func isQuickToEvaluate(on list: Snapshot, workMax: Int) -> Bool {
        (matching ?? folding).estimatedWork(of: list, max: workMax) != nil
    }
}

extension View {
    /// Whether all its matches are also matches of another view, in the same order: its `search` is more specific, and
    /// everything else is equal.
    package func isNarrower(than text: [UInt8], _ criterion: Criterion?) -> Bool {
        let mine = matchingText.split(separator: 0, omittingEmptySubsequences: false)
        let others = text.split(separator: 0, omittingEmptySubsequences: false)
        // The third part is `search`.
        guard mine.count == 4, others.count == 4, mine[0] == others[0], mine[1] == others[1], mine[3] == others[3]
        else {
            return false
        }
        return self.criterion?.isNarrower(than: criterion) ?? false
    }
}

// MARK: - Searching in a viewer

extension View {
    /// The words of a search, folded like the texts of `appendSearchedTexts`.
    package static func searchedWords(of search: String) -> [[UInt8]] { SearchText.words(of: search) }

    /// Appends each text of an item that its search looks at, without case and accents, and `textEnd` after it. O(length of the
    /// content) for each path.
    package func appendSearchedTexts(of item: Item, to bytes: inout [UInt8]) {
        criterion?.search?.appendTexts(of: item, to: &bytes)
    }

    /// A byte that is in no text.
    package static let textEnd: UInt8 = 0xFF

    /// A text as a search compares it.
    package static func folded(_ text: String) -> [UInt8] { SearchText.folded(text) }
}

// MARK: - Decoding

/// Bytes without white space. It is limited because a view is kept as long as its subscription, and because each of its tests
/// costs time for each item that changes.
private let viewLengthMax = 131_072

/// Bytes of UTF-8. It is limited because each word is searched in each string.
private let searchLengthMax = 1024

private enum ViewMember: UInt8, MemberName {
    case sections, `where`, search, sort, expansion, expanded, toggled, folded, window

    static func named(_ name: JSONString) -> ViewMember? {
        switch name {
        case "sections": .sections
        case "where": .where
        case "search": .search
        case "sort": .sort
        case "expansion": .expansion
        case "expanded": .expanded
        case "toggled": .toggled
        case "folded": .folded
        case "window": .window
        default: nil
        }
    }
}

extension Decoder {
    /// `{"sections":…,"where":…}`
    package mutating func view() throws(DecodingError) -> View {
        _ = scanner.peek()
        let start = scanner.offset
        let json = try compactText()
        guard json.count <= viewLengthMax else {
            throw DecodingError(.tooLarge(limit: "viewLengthMax", max: viewLengthMax), at: start)
        }
        var parts = ViewParts()
        try object("a view", ViewMember.self) { member, decoder throws(DecodingError) in
            try decoder.read(member, into: &parts)
        }
        guard parts.numberOfTerms <= limits.viewTermsMax else {
            throw DecodingError(.tooLarge(limit: "viewTermsMax", max: limits.viewTermsMax), at: start)
        }
        guard parts.numberOfSegments <= limits.viewSegmentsMax else {
            throw DecodingError(.tooLarge(limit: "viewSegmentsMax", max: limits.viewSegmentsMax), at: start)
        }
        guard parts.numberOfIDs <= limits.viewIdsMax else {
            throw DecodingError(.tooLarge(limit: "viewIdsMax", max: limits.viewIdsMax), at: start)
        }
        var view = try parts.view(at: start)
        view.setSource(
            json, segments: parts.numberOfSegments, terms: parts.numberOfTerms,
            ids: parts.numberOfIDs + parts.numberOfWindowIDs)
        return view
    }

    private mutating func read(_ member: ViewMember, into parts: inout ViewParts) throws(DecodingError) {
        let text = try compactText()
        switch member {
        case .sections:
            let sections = try elements("sections") { decoder throws(DecodingError) in
                try decoder.identifier("a section's id", as: SectionTag.self)
            }
            parts.numberOfIDs += sections.count
            parts.sections = Set(sections)
        case .where: parts.condition = try condition()
        case .search: parts.search = try searchText()
        case .sort: parts.sort = try elements("sort") { decoder throws(DecodingError) in try decoder.sortPart() }
        case .expansion: parts.expansion = try expansionMode()
        case .expanded: parts.expanded = try itemSet("expanded", &parts.numberOfIDs)
        case .toggled: parts.toggled = try itemSet("toggled", &parts.numberOfIDs)
        case .folded: parts.marksFolded = try boolean("folded")
        case .window:
            let window = try window()
            parts.window = window
            parts.numberOfWindowIDs = window.keep.count + window.pins.count
        }
        switch member {
        case .sections, .where, .search, .sort: parts.texts[Int(member.rawValue)] = text
        case .expansion, .expanded, .toggled, .folded, .window: break
        }
    }

    private mutating func itemSet(_ what: StaticString, _ count: inout Int) throws(DecodingError) -> Set<ItemID> {
        let ids = try elements(what) { decoder throws(DecodingError) in
            try decoder.identifier("an item's id", as: ItemTag.self)
        }
        count += ids.count
        return Set(ids)
    }

    /// Returns the next value as compact JSON, and stays in front of it: the caller has to read it afterwards.
    private func compactText() throws(DecodingError) -> [UInt8] {
        var ahead = self
        return try ahead.scan { scanner throws(JSONError) in try scanner.value() }.compacted()
    }

    private mutating func searchText() throws(DecodingError) -> SearchText {
        var places: SearchPlaces?
        let string: JSONString
        if scanner.peek() == UInt8(ascii: "{") {
            (string, places) = try placedSearch()
        } else {
            string = try self.string("search")
        }
        let text = string.text
        guard text.utf8.count <= searchLengthMax else {
            throw DecodingError(.tooLarge(limit: "searchLengthMax", max: searchLengthMax), at: string.offset)
        }
        return SearchText(text, in: places)
    }

    private mutating func expansionMode() throws(DecodingError) -> ViewParts.ExpansionMode {
        let string = try string("expansion")
        switch string {
        case "all": return .all
        case "shared": return .shared
        case "own": return .own
        default:
            throw .invalid(
                "expansion must be \"all\", \"shared\" or \"own\", not \(string.text.quoted)", at: string.offset)
        }
    }
}

private struct ViewParts {
    var sections: Set<SectionID>?
    var condition: Condition?
    var search: SearchText?
    var sort: [SortPart] = []
    var expansion: ExpansionMode?
    var expanded: Set<ItemID>?
    var toggled: Set<ItemID>?
    var window: Window?
    var marksFolded = false
    var numberOfIDs = 0
    var numberOfWindowIDs = 0
    /// The text of the members that decide which items match and how they are sorted.
    var texts: [[UInt8]] = [[], [], [], []]

    enum ExpansionMode { case all, shared, own }

    var numberOfTerms: Int { (condition?.numberOfTerms ?? 0) + (search?.words.count ?? 0) + sort.count }

    var numberOfSegments: Int {
        (condition?.numberOfSegments ?? 0) + (search?.places?.numberOfSegments ?? 0)
            + sort.reduce(0) { $0 + $1.path.numberOfSegments }
    }

    func view(at start: Int) throws(DecodingError) -> View {
        var view = View()
        switch (expansion, expanded, toggled) {
        case (nil, nil, nil), (.all, nil, nil): view.expansion = .all
        case (.shared, nil, nil): view.expansion = .shared
        case (.own, _, nil): view.expansion = .own(expanded ?? [])
        case (.own, nil, let toggled?): view.expansion = toggled.isEmpty ? .shared : .toggled(toggled)
        case (.own, _?, _?):
            throw .invalid(
                "a view can have expanded or toggled, not both", at: start)
        default:
            throw .invalid("\(expanded == nil ? "toggled" : "expanded") needs \"expansion\":\"own\"", at: start)
        }
        view.window = window
        // Nothing is folded otherwise.
        view.marksFolded = marksFolded && view.expansion != .all
        if texts.contains(where: { !$0.isEmpty }) {
            let criterion = Criterion(condition: condition, search: search)
            view.criterion = criterion
            view.matching = Selection(
                sections: sections, terms: numberOfTerms + (search?.places?.pathCount ?? 0),
                isMatch: criterion.map { $0.isMet }, appendKey: appendKey)
            view.matchingText = Array(texts.joined(separator: [0]))
        }
        return view
    }

    private var appendKey: Selection.KeyWriter? {
        if sort.isEmpty { return nil }
        return { [sort] item, key in
            for part in sort { part.appendValue(of: item, to: &key) }
        }
    }
}

// MARK: - Sorting

private struct SortPart {
    var path: ContentPath
    var isDescending = false
    /// Whether a string that is the text of a JSON number counts as that number.
    var isNumeric = false

    func appendValue(of item: Item, to key: inout SortKey) {
        if isDescending { return key.appendDescending { appendAscending(of: item, to: &$0) } }
        appendAscending(of: item, to: &key)
    }

    private func appendAscending(of item: Item, to key: inout SortKey) {
        path.withValue(in: item) { found in
            let length = key.bytes.count
            found?.appendKey(to: &key, appendText: append)
            if key.bytes.count == length { key.appendAbsence() }
        }
    }

    private func append(_ text: UnsafeRawBufferPointer, to key: inout SortKey) {
        if isNumeric, let number = Double(readingJSON: text) { key.append(number) } else { key.append(text) }
    }
}

extension Double {
    /// The nearest `Double`; nil unless the whole text is one JSON number.
    fileprivate init?(readingJSON text: UnsafeRawBufferPointer) {
        guard let number = CompactValue(text).number else { return nil }
        var scanner = JSONScanner(text, depthMax: 0)
        do throws(JSONError) {
            guard try scanner.value().bytes.count == text.count else { return nil }
        } catch {
            return nil
        }
        self = number
    }
}

private enum SortMember: UInt8, MemberName {
    case path, descending, numeric

    static func named(_ name: JSONString) -> SortMember? {
        switch name {
        case "path": .path
        case "descending": .descending
        case "numeric": .numeric
        default: nil
        }
    }
}

extension Decoder {
    /// `"/due"` or `{"path":"/due","descending":true,"numeric":true}`
    fileprivate mutating func sortPart() throws(DecodingError) -> SortPart {
        if scanner.peek() == UInt8(ascii: "\"") { return SortPart(path: try contentPath()) }
        guard scanner.peek() == UInt8(ascii: "{") else {
            throw unexpected("an element of sort", "a path such as \"/due\", or an object with a path")
        }
        let start = scanner.offset
        var path: ContentPath?
        var isDescending = false
        var isNumeric = false
        try object("an element of sort", SortMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .path: path = try decoder.contentPath()
            case .descending: isDescending = try decoder.boolean("descending")
            case .numeric: isNumeric = try decoder.boolean("numeric")
            }
        }
        guard let path else { throw .invalid("each element of sort needs path", at: start) }
        return SortPart(path: path, isDescending: isDescending, isNumeric: isNumeric)
    }

    mutating func contentPath() throws(DecodingError) -> ContentPath {
        let string = try string("path")
        guard let path = string.withUTF8(ContentPath.init) else {
            throw .invalid(
                "path must be \"id\", \"kind\" or a JSON pointer such as \"/due\", not \(string.text.quoted)",
                at: string.offset)
        }
        return path
    }
}

// MARK: - Windows

private enum WindowMember: UInt8, MemberName {
    case anchor, offset, limit, before, keep, pins, allSections

    static func named(_ name: JSONString) -> WindowMember? {
        switch name {
        case "anchor": .anchor
        case "offset": .offset
        case "limit": .limit
        case "before": .before
        case "keep": .keep
        case "pins": .pins
        case "allSections": .allSections
        default: nil
        }
    }
}

/// The number of ids in `keep` and `pins`: each is looked for whenever rows are inserted, deleted or moved.
private let (keepMax, pinsMax) = (64, 256)

extension Decoder {
    /// `{"offset":0,"limit":50,"keep":["milk"],"pins":["milk"]}` or `{"anchor":"milk","before":10,"limit":50}`
    fileprivate mutating func window() throws(DecodingError) -> Window {
        _ = scanner.peek()
        let start = scanner.offset
        var anchor: ItemID?
        var offset: Int?
        var limit: Int?
        var limitOffset: Int?
        var before: Int?
        var keep: [ItemID]?
        var pins: [ItemID] = []
        var hasAllSections = false
        try object("a window", WindowMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .anchor: anchor = try decoder.identifier("anchor")
            case .offset: offset = try decoder.wholeNumber("offset")
            case .before: before = try decoder.wholeNumber("before")
            case .keep: keep = try decoder.itemsOnce("keep", max: keepMax)
            case .pins: pins = try decoder.itemsOnce("pins", max: pinsMax)
            case .allSections: hasAllSections = try decoder.boolean("allSections")
            case .limit:
                _ = decoder.scanner.peek()
                limitOffset = decoder.scanner.offset
                limit = try decoder.wholeNumber("limit")
            }
        }
        guard let limit else { throw .invalid("a window needs a limit, in rows", at: start) }
        guard limit <= limits.windowRowsMax else {
            let reason = DecodingError.Reason.tooLarge(limit: "windowRowsMax", max: limits.windowRowsMax)
            throw DecodingError(reason, at: limitOffset).inside("limit")
        }
        let place: Window.Start
        switch (anchor, offset) {
        case (let anchor?, nil): place = .anchor(anchor)
        case (nil, _): place = .offset(offset ?? 0)
        default: throw .invalid("a window takes anchor or offset, not both", at: start)
        }
        if anchor != nil, keep != nil {
            throw .invalid(
                "keep needs offset: a window with an anchor follows the anchor; leave one of them out", at: start)
        }
        if anchor == nil, before != nil {
            throw .invalid("before needs anchor; without one, reduce offset by as many rows", at: start)
        }
        if let before, before > 0, before >= limit {
            throw .invalid("before must be less than limit, so that the window shows its anchor", at: start)
        }
        var window = Window(start: place, limit: limit)
        window.before = before ?? 0
        window.keep = keep ?? []
        window.pins = pins
        window.hasAllSections = hasAllSections
        return window
    }

    /// Reads an array of ids, and drops duplicates.
    private mutating func itemsOnce(_ what: StaticString, max: Int) throws(DecodingError) -> [ItemID] {
        _ = scanner.peek()
        let start = scanner.offset
        let ids = try elements(what) { decoder throws(DecodingError) in
            try decoder.identifier("an item's id", as: ItemTag.self)
        }
        guard ids.count <= max else {
            throw .invalid("\(what) has \(ids.count) ids, and may have \(max); name fewer items", at: start)
        }
        var known: Set<ItemID> = []
        return ids.filter { known.insert($0).inserted }
    }
}
