import ArgumentParser
import Diffable

/// Options that name a place for an item: beside another item, in a section or under a parent.
struct NamedPlace: ParsableArguments {
    @Option(
        help: ArgumentHelp("Before this item, as its sibling.", valueName: "item"), completion: .items,
        transform: itemID)
    var before: ItemID?

    @Option(
        help: ArgumentHelp("After this item, as its sibling.", valueName: "item"), completion: .items, transform: itemID
    )
    var after: ItemID?

    @Option(
        help: ArgumentHelp("Into this section, at its end.", valueName: "section"), completion: .sections,
        transform: sectionID)
    var section: SectionID?

    @Option(
        help: ArgumentHelp("Under this item, as its last child.", valueName: "item"), completion: .items,
        transform: itemID)
    var parent: ItemID?

    var hasAnchor: Bool { before != nil || after != nil }
    var hasContainer: Bool { section != nil || parent != nil }
    var isSaidTwice: Bool { [before != nil, after != nil, section != nil, parent != nil].count(where: { $0 }) > 1 }

    /// Nil if no place is named.
    func position(atFront isFront: Bool) -> ItemPosition? {
        if let before { return .before(before) }
        if let after { return .after(after) }
        guard hasContainer else { return nil }
        let container = Container(section: section, parent: parent)
        return isFront ? .front(of: container) : .end(of: container)
    }
}

/// Options for the place of a new item.
struct PlaceOptions: ParsableArguments {
    @OptionGroup var place: NamedPlace

    @Flag(help: "At the front of the section or the parent instead of the end.")
    var front = false

    func validate() throws {
        if place.isSaidTwice { throw ValidationError("one place only: --before, --after, --section or --parent") }
        guard place.hasAnchor || place.hasContainer else {
            if front { throw ValidationError("--front is the front of a --section or of a --parent: name one") }
            throw ValidationError("say where: --before or --after an item, into a --section or under a --parent")
        }
        if front, place.hasAnchor {
            throw ValidationError("--front is for --section and --parent; --before and --after already name the place")
        }
    }

    var position: ItemPosition {
        get throws {
            guard let position = place.position(atFront: front) else { throw ValidationError("say where") }
            return position
        }
    }
}

/// Options for the place of a section.
struct SectionPlaceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Before this section.", valueName: "section"), completion: .sections, transform: sectionID)
    var before: SectionID?

    @Option(
        help: ArgumentHelp("After this section.", valueName: "section"), completion: .sections, transform: sectionID)
    var after: SectionID?

    @Flag(help: "Before all other sections.")
    var front = false

    func validate() throws {
        guard [before != nil, after != nil, front].count(where: { $0 }) <= 1 else {
            throw ValidationError("one place only: --before, --after or --front")
        }
    }

    /// Nil if no place is named.
    var position: SectionPosition? {
        if let before { return .before(before) }
        if let after { return .after(after) }
        return front ? .front : nil
    }
}
