import ArgumentParser
import Diffable

/// Where an item goes: beside another one, or into a section or under a parent.
struct PlaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Before this item, as its sibling.", valueName: "item"), transform: itemID)
    var before: ItemID?

    @Option(help: ArgumentHelp("After this item, as its sibling.", valueName: "item"), transform: itemID)
    var after: ItemID?

    @Option(help: ArgumentHelp("Into this section, at its end.", valueName: "section"), transform: sectionID)
    var section: SectionID?

    @Option(help: ArgumentHelp("Under this item, as its last child.", valueName: "item"), transform: itemID)
    var parent: ItemID?

    @Flag(help: "At the front of the section or the parent instead of the end.")
    var front = false

    func validate() throws {
        let places = [before != nil, after != nil, section != nil, parent != nil].count(where: { $0 })
        guard places <= 1 else {
            throw ValidationError("one place only: --before, --after, --section or --parent")
        }
        guard places == 1 else {
            if front { throw ValidationError("--front is the front of a --section or of a --parent: name one") }
            throw ValidationError("say where: --before or --after an item, into a --section or under a --parent")
        }
        if front, before != nil || after != nil {
            throw ValidationError("--front is for --section and --parent; --before and --after say the place already")
        }
    }

    var position: ItemPosition {
        if let before { return .before(before) }
        if let after { return .after(after) }
        let container = Container(section: section, parent: parent)
        return front ? .front(of: container) : .end(of: container)
    }
}

/// Where a section goes.
struct SectionPlaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Before this section.", valueName: "section"), transform: sectionID)
    var before: SectionID?

    @Option(help: ArgumentHelp("After this section.", valueName: "section"), transform: sectionID)
    var after: SectionID?

    @Flag(help: "Before all others.")
    var front = false

    func validate() throws {
        guard [before != nil, after != nil, front].count(where: { $0 }) <= 1 else {
            throw ValidationError("one place only: --before, --after or --front")
        }
    }

    /// `nil` when no place was named.
    var position: SectionPosition? {
        if let before { return .before(before) }
        if let after { return .after(after) }
        return front ? .front : nil
    }
}
