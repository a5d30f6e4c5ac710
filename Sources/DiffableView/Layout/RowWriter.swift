/// Writes one row from its ends to its middle: the leading part, the trailing part, and the text in the remaining columns.
struct RowWriter {
    var block: Block
    var frame: Frame
    private(set) var free: Range<Int>
    let line: Int
    let ground: BackgroundRole
    let look: ItemLook
    let symbols: Symbols

    init(
        _ block: Block, _ frame: Frame, free: Range<Int>, line: Int, ground: BackgroundRole, look: ItemLook,
        symbols: Symbols
    ) {
        (self.block, self.frame, self.free, self.line) = (block, frame, free, line)
        (self.ground, self.look, self.symbols) = (ground, look, symbols)
    }

    /// A disabled row is drawn like secondary text, and dim without colours.
    func style(_ ink: ForegroundRole, _ attributes: Style.Attributes = []) -> Style {
        look.isEnabled ? Style(ink, on: ground, attributes) : Style(.secondary, on: ground, attributes.union(.dim))
    }

    var tint: ForegroundRole { look.tint.map { .tint($0) } ?? .tint(.accent) }

    // MARK: - Ends

    mutating func skip(_ columns: Int) { free = min(free.lowerBound + columns, free.upperBound)..<free.upperBound }

    mutating func addLeading(_ text: String, columns: Int, _ style: Style, _ part: Frame.Part? = nil) {
        guard free.count > columns + 1 else { return }
        let taken = free.lowerBound..<free.lowerBound + columns
        block.add(text, line: line, columns: taken, style)
        note(part, taken)
        skip(columns + 1)
    }

    /// Adds a trailing part, if half of the columns stay free.
    mutating func addTrailing(_ text: String, columns: Int, _ style: Style, _ part: Frame.Part? = nil) {
        guard let taken = reserve(columns) else { return }
        block.add(text, line: line, columns: taken, style)
        note(part, taken)
    }

    /// Takes columns from the end, and a blank before them.
    private mutating func reserve(_ columns: Int) -> Range<Int>? {
        guard columns > 0, free.count - columns - 1 >= min(free.count / 2, 12) else { return nil }
        let taken = free.upperBound - columns..<free.upperBound
        free = free.lowerBound..<taken.lowerBound - 1
        return taken
    }

    private mutating func note(_ part: Frame.Part?, _ columns: Range<Int>) {
        guard let part else { return }
        frame.parts.append(
            (part, Rectangle(column: columns.lowerBound, row: line, width: columns.count, height: 1)))
    }

    // MARK: - Leading

    /// `isExpanded` is nil for a row without a disclosure that is next to rows with one.
    mutating func addDisclosure(_ isExpanded: Bool?) {
        switch isExpanded {
        case nil: skip(2)
        case true?: addLeading(String(symbols.expanded), columns: 1, style(.secondary), .disclosure)
        case false?: addLeading(String(symbols.collapsed), columns: 1, style(.secondary), .disclosure)
        }
    }

    mutating func addLeadingAccessories(isEditing: Bool) {
        for (index, accessory) in (look.accessories ?? []).enumerated() where accessory.isShown(isEditing: isEditing) {
            let ink: ForegroundRole? = accessory.tint.map { .tint($0) }
            switch accessory.sort {
            case .multiselect:
                addLeading(String(symbols.unselected), columns: 1, style(ink ?? .secondary), .accessory(index))
            case .delete:
                addLeading(String(symbols.delete), columns: 1, style(ink ?? .tint(.red)), .accessory(index))
            case .insert:
                addLeading(String(symbols.insert), columns: 1, style(ink ?? .tint(.green)), .accessory(index))
            default: break
            }
        }
    }

    mutating func addCheckbox(reserving isReserved: Bool) {
        let width = symbols.unchecked.count
        if let checkbox = look.checkbox {
            let ink: ForegroundRole = checkbox == .unchecked ? .secondary : tint
            addLeading(symbols.sign(checkbox), columns: width, style(ink), .checkbox)
        } else if isReserved {
            skip(width + 1)
        }
    }

    mutating func addIcon(reserving isReserved: Bool) {
        if let cluster = look.iconCluster(symbols) {
            var text = ""
            cluster.append(to: &text)
            addLeading(text, columns: 2, style(look.tint.map { .tint($0) } ?? .text), .icon)
        } else if isReserved {
            skip(3)
        }
    }

    mutating func addSign(reserving isReserved: Bool) {
        if let sign = look.sign {
            addLeading(symbols.sign(sign), columns: 1, style(look.tint.map { .tint($0) } ?? .secondary))
        } else if isReserved {
            skip(2)
        }
    }

    // MARK: - Trailing

    mutating func addTrailingAccessories(isEditing: Bool) {
        for (index, accessory) in (look.accessories ?? []).enumerated().reversed()
        where accessory.isShown(isEditing: isEditing) {
            let ink: ForegroundRole? = accessory.tint.map { .tint($0) }
            func add(_ text: String, _ ink: ForegroundRole) {
                let text = fitted(text, columns: max(free.count / 3, 1))
                addTrailing(text, columns: columnCount(of: text), style(ink), .accessory(index))
            }
            switch accessory.sort {
            case .disclosureIndicator: add(String(symbols.chevron), ink ?? .tertiary)
            case .checkmark: add(String(symbols.checkmark), ink ?? tint)
            case .reorder: add(String(symbols.reorder), ink ?? .tertiary)
            case .detail: add(String(symbols.detail), ink ?? .tint(.accent))
            case .label: add(accessory.text ?? "", ink ?? .secondary)
            case .custom: add(accessory.text ?? "", ink ?? .tint(.accent))
            case .popUpMenu:
                let text = accessory.text.map { "\($0) " } ?? ""
                add(text + String(symbols.popUpMenu), ink ?? .secondary)
            case .outlineDisclosure, .multiselect, .delete, .insert: break
            }
        }
    }

    mutating func addBadge() {
        guard let badge = look.badge, !badge.text.isEmpty else { return }
        let sign = badge.sign.map { symbols.sign($0) + " " } ?? ""
        let text = fitted(sign + badge.text, columns: max(free.count / 4, 1))
        let sides = symbols.isASCII ? ("(", ")") : (" ", " ")
        var style = style(.text)
        if look.isEnabled {
            style = Self.badgeStyle(badge.tint, isSolid: look.isUrgent)
        }
        addTrailing(sides.0 + text + sides.1, columns: columnCount(of: text) + 2, style)
    }

    private static func badgeStyle(_ tint: Tint?, isSolid: Bool) -> Style {
        if isSolid { return Style(.onTint, on: .tint(tint ?? .secondary), .bold) }
        return tint.map { Style(.tint($0), on: .wash($0)) } ?? Style(.secondary, on: .badge)
    }

    /// A label describes the progress instead of a percentage.
    mutating func addProgress() {
        guard let progress = look.progress else { return }
        let room = free.count
        let hasLabel = look.accessories?.contains { $0.text != nil } ?? false
        if room >= 40, !hasLabel {
            let number = "\(Int((progress * 100).rounded()))%"
            let space = String(repeating: " ", count: 4 - number.count)
            addTrailing(space + number, columns: 4, style(.secondary))
        }
        if let columns = reserve(min(max(room / 6, 5), 20)) { addBar(progress, line: line, columns: columns) }
    }

    mutating func addBar(_ progress: Double, line: Int, columns: Range<Int>) {
        let done = symbols.bar(progress, columns: columns.count)
        let track = columns.lowerBound + done.count..<columns.upperBound
        block.add(done, line: line, columns: columns, style(look.isEnabled ? tint : .text))
        block.addRule(symbols.bar[0], line: line, columns: track, Style(.line, on: ground))
    }

    // MARK: - Text

    var textStyle: Style {
        let ink: ForegroundRole = look.icon == nil ? look.tint.map { .tint($0) } ?? .text : .text
        return style(ink, look.isUrgent ? .bold : [])
    }

    mutating func addUrgency() {
        if look.isUrgent { addLeading(String(symbols.urgent), columns: 1, style(.tint(.red), .bold)) }
    }
}

extension Accessory {
    func isShown(isEditing: Bool) -> Bool {
        switch displayed {
        case .always: true
        case .editing: isEditing
        case .notEditing: !isEditing
        }
    }
}
