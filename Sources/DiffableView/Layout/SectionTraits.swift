import Diffable

/// The parts that any of a section's first items has. All rows leave room for them, so that their texts begin in one column.
struct SectionTraits: Sendable {
    var isOutline = false
    var hasDisclosures = false
    var hasCheckboxes = false
    var hasIcons = false
    var hasSigns = false

    static let sampleCount = 4
}

extension Composer {
    func traits(_ plan: SectionPlan) -> SectionTraits {
        var traits = SectionTraits()
        let rootCount = snapshot.numberOfRootItems(inSection: plan.id) ?? 0
        traits.isOutline = snapshot.numberOfItems(inSection: plan.id) ?? 0 > rootCount
        traits.hasDisclosures = traits.isOutline || !document.knownParents.isEmpty
        // Cards are not aligned with each other.
        guard plan.isOfRows else { return traits }
        for index in 0..<min(rootCount, SectionTraits.sampleCount) {
            guard let id = snapshot.itemIdentifier(at: [plan.index, index]), let look = resolved(id, plan)?.look else {
                continue
            }
            traits.hasDisclosures = traits.hasDisclosures || look.hasChildren
            traits.hasCheckboxes = traits.hasCheckboxes || look.checkbox != nil
            traits.hasIcons = traits.hasIcons || look.iconCluster(symbols) != nil
            traits.hasSigns = traits.hasSigns || look.sign != nil
        }
        return traits
    }

    func disclosure(_ id: ItemID, _ look: ItemLook) -> Bool? {
        guard look.hasChildren || document.isParent(id) else { return nil }
        if let accessories = look.accessories {
            let isNamed = accessories.contains {
                $0.sort == .outlineDisclosure && $0.isShown(isEditing: document.isEditing)
            }
            guard isNamed else { return nil }
        }
        return document.isExpanded(id)
    }
}
