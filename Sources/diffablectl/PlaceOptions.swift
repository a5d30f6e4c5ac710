import ArgumentParser
import Diffable

struct ItemPositionOptions: ParsableArguments {
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

struct PlaceOptions: ParsableArguments {
    @OptionGroup var place: ItemPositionOptions

    @Flag(help: "At the front of the section or the parent instead of the end.")
    var front = false

    func validate() throws {
        if place.isSaidTwice {
            throw ValidationError("only one place can be named: use one of --before, --after, --section and --parent")
        }
        guard place.hasAnchor || place.hasContainer else {
            if front {
                throw ValidationError(
                    "--front means the front of a section or a parent: add --section SECTION or --parent ITEM")
            }
            throw ValidationError("the place is missing: use --before, --after, --section or --parent")
        }
        if front, place.hasAnchor {
            throw ValidationError("--before and --after already name the place: leave --front out")
        }
    }

    var position: ItemPosition {
        get throws {
            guard let position = place.position(atFront: front) else { throw ValidationError("the place is missing") }
            return position
        }
    }
}

struct SectionPositionOptions: ParsableArguments {
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
            throw ValidationError("only one place can be named: use one of --before, --after and --front")
        }
    }

    /// Nil if no place is named.
    var position: SectionPosition? {
        if let before { return .before(before) }
        if let after { return .after(after) }
        return front ? .front : nil
    }
}
