import ArgumentParser
import Diffable

struct MoveOptions: ParsableArguments {
    @OptionGroup var place: ItemPositionOptions

    @Flag(help: "To the front of its siblings, of the section or of the parent.") var front = false
    @Flag(help: "To the end of its siblings.") var back = false
    @Flag(help: "Up by one sibling.") var up = false
    @Flag(help: "Down by one sibling.") var down = false

    enum Direction {
        case front, back, up, down
    }

    func validate() throws {
        if place.isSaidTwice {
            throw ValidationError("only one place can be named: use one of --before, --after, --section and --parent")
        }
        guard [front, back, up, down].count(where: { $0 }) <= 1 else {
            throw ValidationError("only one step can be named: use one of --front, --back, --up and --down")
        }
        if place.hasAnchor, step != nil {
            throw ValidationError(
                "--before and --after already name the place: leave --front, --back, --up and --down out")
        }
        if place.hasContainer, up || down {
            throw ValidationError("--up and --down move an item among its siblings: leave --section and --parent out")
        }
        if !place.hasAnchor, !place.hasContainer, step == nil {
            throw ValidationError(
                "the place is missing: use --before, --after, --section or --parent, or --front, --back, --up or --down"
            )
        }
    }

    /// Nil if the target depends on the siblings.
    var position: ItemPosition? { place.position(atFront: front) }

    var step: Direction? { front ? .front : back ? .back : up ? .up : down ? .down : nil }
}

struct Siblings {
    private let container: Container
    private let ids: [ItemID]
    private let index: Int

    init?(of id: ItemID, in snapshot: Snapshot) {
        guard let section = snapshot.sectionIdentifier(containingItem: id) else { return nil }
        let parent = snapshot.parent(of: id)
        let siblings = parent.flatMap { snapshot.children(of: $0) } ?? snapshot.rootItems(inSection: section)
        guard let siblings, let index = siblings.firstIndex(of: id) else { return nil }
        container = Container(section: section, parent: parent)
        ids = siblings
        self.index = index
    }

    /// Nil if the item is already there.
    func position(after step: MoveOptions.Direction) -> ItemPosition? {
        switch step {
        case .front: index == 0 ? nil : .front(of: container)
        case .back: index == ids.count - 1 ? nil : .end(of: container)
        case .up: index == 0 ? nil : .before(ids[index - 1])
        case .down: index == ids.count - 1 ? nil : .after(ids[index + 1])
        }
    }
}
