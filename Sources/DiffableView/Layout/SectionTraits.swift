import Diffable
import Synchronization

/// The parts that any of a section's first items has. All rows leave room for them, so that each part is in one column.
struct SectionTraits: Sendable {
    var isOutline = false
    var hasDisclosures = false
    var hasCheckboxes = false
    var hasIcons = false
    var hasSigns = false
    var trailingSlots = TrailingSlots()
    /// The width of the longest text, with what is before it.
    fileprivate var longestText = 0
    /// The width of the texts next to secondary texts, with what is before them, and of the secondary texts.
    var besideText = 0
    var besideSecondary = 0
    /// When a sampled text will be another one, in milliseconds since 1970; nil: never.
    fileprivate var changesAt: Int?

    static let sampleCount = 64
}

/// The widths of the parts at the end of a section's rows; 0 for a part that no row has.
struct TrailingSlots: Sendable {
    struct AccessorySlot: Sendable {
        let kind: Accessory.Kind
        var width: Int
    }

    /// From right to left.
    var accessories: [AccessorySlot] = []
    var badge = 0
    var hasProgress = false
    /// Whether a label describes the progress, so that it needs no percentage.
    var hasLabels = false

    private static let accessoriesMax = 8

    /// Makes room for a row's accessories, in the order of the first row that has them.
    mutating func include(_ row: [(kind: Accessory.Kind, width: Int)]) {
        var used: Set<Int> = []
        var last = -1
        for part in row {
            let free = accessories.indices.filter { accessories[$0].kind == part.kind && !used.contains($0) }
            if let slot = free.first(where: { $0 > last }) ?? free.first {
                accessories[slot].width = max(accessories[slot].width, part.width)
                last = slot
            } else {
                guard accessories.count < Self.accessoriesMax else { return }
                last += 1
                used = Set(used.map { $0 < last ? $0 : $0 + 1 })
                accessories.insert(AccessorySlot(kind: part.kind, width: part.width), at: last)
            }
            used.insert(last)
        }
    }

    /// The slots for rows of this many columns with texts of this width. Empty if they would leave less than half of
    /// the columns, or if texts would be cut and the slots take more than a quarter.
    func fitted(in columns: Int, with text: Int) -> TrailingSlots {
        var slots = self
        slots.badge = min(badge, columns / 4)
        for index in accessories.indices { slots.accessories[index].width = min(accessories[index].width, columns / 3) }
        let width = slots.width(in: columns)
        let isFitting = width <= columns / 4 || width <= columns / 2 && text + width <= columns
        return isFitting ? slots : TrailingSlots(hasLabels: hasLabels)
    }

    /// The columns that they take, with a blank before each.
    func width(in columns: Int) -> Int {
        let widths = accessories.map(\.width) + [badge] + (hasProgress ? [bar(in: columns), hasLabels ? 0 : 4] : [])
        return widths.reduce(0) { $0 + ($1 > 0 ? $1 + 1 : 0) }
    }

    /// The columns of a progress bar, in rows of some columns.
    func bar(in columns: Int) -> Int { min(max(columns / 6, 5), 20) }
}

/// The traits of the sections of one state.
final class TraitsCache: Sendable {
    private struct Key: Hashable {
        let section: SectionID
        let isEditing: Bool
    }

    private let known = Mutex<[Key: SectionTraits]>([:])

    func traits(_ section: SectionID, isEditing: Bool, at now: Int, _ find: () -> SectionTraits) -> SectionTraits {
        let key = Key(section: section, isEditing: isEditing)
        if let traits = known.withLock({ $0[key] }), traits.changesAt.map({ now < $0 }) ?? true { return traits }
        let traits = find()
        known.withLock { $0[key] = traits }
        return traits
    }
}

extension Composer {
    func traits(_ plan: SectionPlan) -> SectionTraits {
        let rootCount = snapshot.numberOfRootItems(inSection: plan.id) ?? 0
        // Cards are not aligned with each other.
        var traits =
            plan.isOfRows
            ? document.traits.traits(plan.id, isEditing: document.isEditing, at: viewport.clock.now) {
                sampledTraits(plan, rootCount)
            } : SectionTraits()
        traits.isOutline = snapshot.numberOfItems(inSection: plan.id) ?? 0 > rootCount
        traits.hasDisclosures = traits.hasDisclosures || traits.isOutline || !document.knownParents.isEmpty
        let columns = plan.geometry.content.count
        let leading = leadingWidth(traits)
        traits.besideText += leading
        let beside = traits.besideSecondary == 0 ? 0 : traits.besideText + 2 + traits.besideSecondary
        traits.trailingSlots = traits.trailingSlots.fitted(in: columns, with: max(leading + traits.longestText, beside))
        return traits
    }

    func leadingWidth(_ traits: SectionTraits) -> Int {
        (traits.hasDisclosures ? 2 : 0) + (traits.hasCheckboxes ? symbols.unchecked.count + 1 : 0)
            + (traits.hasIcons ? 3 : 0) + (traits.hasSigns ? 2 : 0)
    }

    private func sampledTraits(_ plan: SectionPlan, _ rootCount: Int) -> SectionTraits {
        var traits = SectionTraits()
        for index in 0..<min(rootCount, SectionTraits.sampleCount) {
            guard let id = snapshot.itemIdentifier(at: [plan.index, index]), let look = resolved(id, plan)?.look else {
                continue
            }
            include(look, in: &traits)
        }
        return traits
    }

    private func include(_ look: ItemLook, in traits: inout SectionTraits) {
        traits.hasDisclosures = traits.hasDisclosures || look.hasChildren
        traits.hasCheckboxes = traits.hasCheckboxes || look.checkbox != nil
        traits.hasIcons = traits.hasIcons || look.iconCluster(symbols) != nil
        traits.hasSigns = traits.hasSigns || look.sign != nil
        traits.changesAt = earlier(traits.changesAt, look.changesAt)
        let accessories = (look.accessories ?? []).filter { $0.isShown(isEditing: document.isEditing) }
        let trailing = accessories.reversed().compactMap { accessory in
            symbols.trailingText(accessory).map { (accessory.kind, columnCount(of: $0, limit: Self.slotMax)) }
        }
        traits.trailingSlots.include(trailing)
        traits.trailingSlots.hasLabels = traits.trailingSlots.hasLabels || accessories.contains { $0.text != nil }
        traits.trailingSlots.hasProgress = traits.trailingSlots.hasProgress || look.progress != nil
        if let badge = look.badge.flatMap(symbols.badgeText) {
            traits.trailingSlots.badge = max(
                traits.trailingSlots.badge, columnCount(of: badge, limit: Self.slotMax) + 2)
        }
        let before = 2 * (accessories.count - trailing.count) + (look.isUrgent ? 2 : 0)
        let text = before + columnCount(of: look.text, limit: Self.textMax)
        traits.longestText = max(traits.longestText, text)
        guard let secondary = look.secondaryText, !secondary.isEmpty else { return }
        traits.besideText = max(traits.besideText, text)
        traits.besideSecondary = max(traits.besideSecondary, columnCount(of: secondary, limit: Self.textMax))
    }

    private static let slotMax = 48
    private static let textMax = 200

    func disclosure(_ id: ItemID, _ look: ItemLook) -> Bool? {
        guard look.hasChildren || document.isParent(id) else { return nil }
        if let accessories = look.accessories {
            let isNamed = accessories.contains {
                $0.kind == .outlineDisclosure && $0.isShown(isEditing: document.isEditing)
            }
            guard isNamed else { return nil }
        }
        return document.isExpanded(id)
    }
}
