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

    mutating func addLeading(_ text: String, columns: Int, _ style: Style, _ part: Frame.ClickablePart? = nil) {
        guard free.count > columns + 1 else { return }
        let taken = free.lowerBound..<free.lowerBound + columns
        block.add(text, line: line, columns: taken, style)
        note(part, taken)
        skip(columns + 1)
    }

    /// Adds a text at the end of a slot, or of its own width.
    private mutating func addTrailing(_ text: String, slot: Int, _ style: Style, _ part: Frame.ClickablePart? = nil) {
        let width = columnCount(of: text)
        guard let taken = reserve(max(slot, width)) else { return }
        let columns = taken.upperBound - width..<taken.upperBound
        block.add(text, line: line, columns: columns, style)
        note(part, columns)
    }

    /// Takes columns from the end, and a blank before them, if half of the columns stay free.
    private mutating func reserve(_ columns: Int) -> Range<Int>? {
        guard columns > 0, free.count - columns - 1 >= min(free.count / 2, 12) else { return nil }
        let taken = free.upperBound - columns..<free.upperBound
        free = free.lowerBound..<taken.lowerBound - 1
        return taken
    }

    private mutating func note(_ part: Frame.ClickablePart?, _ columns: Range<Int>) {
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
            switch accessory.kind {
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

    /// Adds the parts at the end, each in the slot of its section.
    mutating func addTrailingParts(_ slots: TrailingSlots, columns: Int, isEditing: Bool) {
        addAccessoriesAndBadge(slots, isEditing: isEditing)
        addProgress(slots, columns: columns)
    }

    /// A card has its progress at the bottom.
    mutating func addAccessoriesAndBadge(_ slots: TrailingSlots, isEditing: Bool) {
        addTrailingAccessories(slots.accessories, isEditing: isEditing)
        addBadge(slot: slots.badge)
    }

    private mutating func addTrailingAccessories(_ slots: [TrailingSlots.AccessorySlot], isEditing: Bool) {
        var rest = (look.accessories ?? []).enumerated().reversed().compactMap { index, accessory in
            accessory.isShown(isEditing: isEditing)
                ? symbols.trailingText(accessory).map { (index: index, accessory: accessory, text: $0) } : nil
        }
        for slot in slots {
            if let place = rest.firstIndex(where: { $0.accessory.kind == slot.kind }) {
                let part = rest.remove(at: place)
                add(part.accessory, part.text, .accessory(part.index), slot: slot.width)
            } else {
                _ = reserve(slot.width)
            }
        }
        for part in rest { add(part.accessory, part.text, .accessory(part.index), slot: 0) }
    }

    private mutating func add(_ accessory: Accessory, _ text: String, _ part: Frame.ClickablePart, slot: Int) {
        let standard: ForegroundRole =
            switch accessory.kind {
            case .disclosureIndicator, .reorder: .tertiary
            case .checkmark: tint
            case .detail, .custom: .tint(.accent)
            default: .secondary
            }
        let text = fitted(text, columns: slot > 0 ? slot : max(free.count / 3, 1))
        addTrailing(text, slot: slot, style(accessory.tint.map { .tint($0) } ?? standard), part)
    }

    private mutating func addBadge(slot: Int) {
        guard let badge = look.badge, let text = symbols.badgeText(badge) else { return _ = reserve(slot) }
        let sides = symbols.isASCII ? ("(", ")") : (" ", " ")
        let shown = fitted(text, columns: slot > 2 ? slot - 2 : max(free.count / 4, 1))
        addTrailing(
            sides.0 + shown + sides.1, slot: slot,
            look.isEnabled ? Self.badgeStyle(badge.tint, isSolid: look.isUrgent) : style(.text))
    }

    private static func badgeStyle(_ tint: Tint?, isSolid: Bool) -> Style {
        if isSolid { return Style(.onTint, on: .tint(tint ?? .secondary), .bold) }
        return tint.map { Style(.tint($0), on: .wash($0)) } ?? Style(.secondary, on: .badge)
    }

    /// `columns` is the width of the row.
    private mutating func addProgress(_ slots: TrailingSlots, columns: Int) {
        guard slots.hasProgress || look.progress != nil else { return }
        let hasLabel = slots.hasLabels || look.accessories?.contains { $0.text != nil } ?? false
        if columns >= Self.percentColumnsMin, !hasLabel {
            addTrailing(look.progress.map { "\(Int(($0 * 100).rounded()))%" } ?? "", slot: 4, style(.secondary))
        }
        guard let bar = reserve(slots.bar(in: columns)), let progress = look.progress else { return }
        addBar(progress, line: line, columns: bar)
    }

    /// In narrower rows, the text needs the room of the percentage.
    private static let percentColumnsMin = 44

    mutating func addBar(_ progress: Double, line: Int, columns: Range<Int>) {
        let done = symbols.bar(progress, columns: columns.count)
        let track = columns.lowerBound + done.count..<columns.upperBound
        block.add(done, line: line, columns: columns, style(look.isEnabled ? tint : .text))
        block.addRule(symbols.bar[0], line: line, columns: track, Style(.line, on: ground))
    }

    // MARK: - Text

    mutating func noteText(_ columns: Range<Int>) {
        frame.text = Rectangle(column: columns.lowerBound, row: line, width: columns.count, height: 1)
    }

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
