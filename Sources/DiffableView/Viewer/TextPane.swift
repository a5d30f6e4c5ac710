import Diffable
import DiffableJSON

/// A text next to the lists: the members of an item, or the output of a command. It wraps and scrolls.
struct TextPane: Sendable {
    struct Line: Sendable {
        /// The name before the text, and the number of blanks before the name.
        var label = ""
        var indent = 0
        var text: String
    }

    /// A line, and one of the parts into which it is wrapped.
    struct TextPosition: Comparable, Sendable {
        var line = 0
        var part = 0

        static func < (a: TextPosition, b: TextPosition) -> Bool { (a.line, a.part) < (b.line, b.part) }
    }

    var title = ""
    /// The item that the text is about.
    var item: PickedItem?
    /// Whether it stays at its end while lines are added.
    var followsEnd = false
    private(set) var lines: [Line] = []
    private(set) var top = TextPosition()
    /// The start of a line whose end has not been received yet.
    private var rest: [UInt8] = []
    /// Whether the next output replaces the text, and whether it is about another item.
    private var isOutdated = false
    private var isOther = false
    private var columns = 1
    private var height = 1
    /// The column after the longest name, at most two fifths of the columns; 0 without names.
    private var textColumn = 0

    /// The newest lines of an output are kept.
    private static let linesMax = 5_000
    /// Bytes of a line.
    private static let lineLengthMax = 1 << 14

    mutating func show(_ lines: [Line], of item: PickedItem?) {
        if item?.item.id != self.item?.item.id { (top, followsEnd) = (TextPosition(), false) }
        (self.lines, self.item, rest) = (lines, item, [])
        placeTexts()
    }

    /// The old output stays until there is another one.
    mutating func expectOutput(about item: PickedItem) {
        isOther = isOther || item.item.id != self.item?.item.id
        (self.item, isOutdated) = (item, true)
    }

    mutating func append(_ output: [UInt8]) {
        if isOutdated {
            if isOther { (top, followsEnd) = (TextPosition(), false) }
            (lines, rest, isOutdated, isOther) = ([], [], false, false)
        }
        if !rest.isEmpty { lines.removeLast() }
        for byte in output {
            if byte != UInt8(ascii: "\n") { rest.append(byte) }
            guard byte == UInt8(ascii: "\n") || rest.count >= Self.lineLengthMax else { continue }
            lines.append(Line(text: String(decoding: rest, as: UTF8.self)))
            rest = []
        }
        if !rest.isEmpty { lines.append(Line(text: String(decoding: rest, as: UTF8.self))) }
        let dropped = lines.count - Self.linesMax
        guard dropped > 0 else { return }
        lines.removeFirst(dropped)
        top = top.line < dropped ? TextPosition() : TextPosition(line: top.line - dropped, part: top.part)
    }

    mutating func endOutput() { if isOutdated { append([]) } }

    // MARK: - Scrolling

    mutating func resize(columns: Int, height: Int) {
        let isOtherWidth = columns != self.columns
        (self.columns, self.height) = (columns, height)
        if isOtherWidth { placeTexts() }
    }

    private mutating func placeTexts() {
        let widths = lines.lazy.filter { !$0.label.isEmpty && !$0.text.isEmpty }
            .map { [columns] in $0.indent + columnCount(of: $0.label, limit: columns) + 2 }
        textColumn = min(widths.max() ?? 0, columns * 2 / 5)
    }

    mutating func handle(_ key: KeyPress) {
        let isControl = key.modifiers.contains(.control)
        switch key.key {
        case .up, .character("k"): scroll(by: -1)
        case .down, .character("j"): scroll(by: 1)
        case .character("u") where isControl: scroll(by: -height / 2)
        case .character("d") where isControl: scroll(by: height / 2)
        case .character("b") where isControl: scroll(by: 1 - height)
        case .character("f") where isControl: scroll(by: height - 1)
        case .pageUp: scroll(by: 1 - height)
        case .pageDown, .character(" "): scroll(by: height - 1)
        case .home, .character("g"): (top, followsEnd) = (TextPosition(), false)
        case .end, .character("G"): (top, followsEnd) = (lastTop, true)
        default: break
        }
    }

    mutating func scroll(by count: Int) {
        top = min(moved(shownTop, by: count), lastTop)
        followsEnd = top >= lastTop && count > 0
    }

    private var shownTop: TextPosition { followsEnd ? lastTop : min(top, lastTop) }

    /// The place from which the rest of the text just fits.
    private var lastTop: TextPosition {
        guard let last = lines.indices.last else { return TextPosition() }
        return moved(TextPosition(line: last, part: parts(of: last).count - 1), by: 1 - height)
    }

    private func moved(_ place: TextPosition, by count: Int) -> TextPosition {
        var place = place
        var left = count
        while left < 0 {
            if place.part > 0 {
                place.part -= 1
            } else if place.line > 0 {
                place = TextPosition(line: place.line - 1, part: parts(of: place.line - 1).count - 1)
            } else {
                break
            }
            left += 1
        }
        while left > 0, lines.indices.contains(place.line) {
            if place.part + 1 < parts(of: place.line).count {
                place.part += 1
            } else if place.line + 1 < lines.count {
                place = TextPosition(line: place.line + 1)
            } else {
                break
            }
            left -= 1
        }
        return place
    }

    /// The number of the last visible line among all.
    var position: String { "\(min(shownTop.line + height, lines.count))/\(lines.count)" }

    // MARK: - Drawing

    private func parts(of index: Int) -> [String] {
        let line = lines[index]
        let text = harmlessText(line.text.expandingTabs)
        let start = line.label.isEmpty && line.indent == 0 ? 0 : textColumn
        let width = max(columns - start, 1)
        if columnCount(of: text, limit: width + 1) <= width { return [text] }
        let indent = min(text.prefix { $0 == " " }.count, width / 2)
        let blanks = String(repeating: " ", count: indent)
        return wrapped(text, columns: width - indent, lines: Self.lineLengthMax).map { blanks + $0 }
    }

    func draw(into grid: inout Grid, at area: Rectangle, _ symbols: Symbols) {
        var place = shownTop
        let first = place.line
        for row in area.rows {
            guard lines.indices.contains(place.line) else { break }
            let line = lines[place.line]
            if place.part == 0, !line.label.isEmpty {
                let end = line.text.isEmpty ? columns : textColumn - 1
                let label = fitted(harmlessText(line.label), columns: max(end - line.indent, 1))
                grid.put(label, row: row, column: area.column + line.indent, Style(.secondary))
            }
            let start = line.label.isEmpty && line.indent == 0 ? 0 : textColumn
            grid.put(
                parts(of: place.line)[place.part], row: row, column: area.column + start,
                limit: area.columns.upperBound, Style())
            let next = moved(place, by: 1)
            if next == place { break }
            place = next
        }
        guard first > 0 || lastTop > TextPosition() else { return }
        let length = max(min(area.height * area.height / max(lines.count, 1), area.height - 1), 1)
        let isAtEnd = shownTop >= lastTop
        let start = isAtEnd ? area.height - length : (area.height - length) * first / max(lines.count, 1)
        for row in area.row + start..<area.row + start + length {
            grid.put(String(symbols.thumb), row: row, column: area.columns.upperBound, Style(.tertiary))
        }
    }
}

extension String {
    fileprivate var expandingTabs: String {
        guard utf8.contains(UInt8(ascii: "\t")) else { return self }
        var text = ""
        for character in self {
            if character == "\t" {
                text += String(repeating: " ", count: 8 - text.count % 8)
            } else {
                text.append(character)
            }
        }
        return text
    }
}

// MARK: - The members of an item

extension TextPane {
    /// All members of an item's content, and its place in the list.
    static func lines(of picked: PickedItem) -> [Line] {
        var lines: [Line] = []
        if let content = picked.item.content.map({ ContentValue($0) }) {
            if case .object(let members) = content {
                for member in members { add(member.value, named: member.name, indent: 0, to: &lines) }
            } else {
                add(content, named: "", indent: 0, to: &lines)
            }
        }
        if !lines.isEmpty { lines.append(Line(text: "")) }
        lines.append(Line(label: "id", text: picked.item.id.description))
        if let kind = picked.item.kind { lines.append(Line(label: "kind", text: kind.description)) }
        lines.append(Line(label: "section", text: picked.section.description))
        if let parent = picked.parent { lines.append(Line(label: "parent", text: parent.description)) }
        return lines
    }

    private static func add(_ value: ContentValue, named name: String, indent: Int, to lines: inout [Line]) {
        switch value {
        case .object(let members) where !members.isEmpty:
            lines.append(Line(label: name, indent: indent, text: ""))
            for member in members { add(member.value, named: member.name, indent: indent + 2, to: &lines) }
        case .array(let elements) where elements.contains { $0.elements != nil || $0.isObject }:
            lines.append(Line(label: name, indent: indent, text: ""))
            for (index, element) in elements.enumerated() {
                add(element, named: "\(index + 1)", indent: indent + 2, to: &lines)
            }
        case .array(let elements) where !elements.isEmpty:
            let texts = elements.map { $0.text ?? $0.json }
            lines.append(Line(label: name, indent: indent, text: texts.joined(separator: ", ")))
        default:
            let text = value.text ?? value.json
            for (index, part) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                lines.append(
                    Line(label: index == 0 ? name : "", indent: indent + (index > 0 ? 1 : 0), text: String(part)))
            }
        }
    }
}
