import Diffable
import DiffableView
import Testing

@Suite struct AppearanceTests {
    static let looks = Appearance.allCases.flatMap { appearance in
        SectionLayout.Kind.allCases.map { (appearance, $0) }
    }

    @Test(arguments: looks) func `an appearance with a layout looks as in its picture`(
        appearance: Appearance, layout: SectionLayout.Kind
    ) throws {
        let document = try Gallery.everything(appearance, layout)
        var decoration = Decoration()
        decoration.focused = .item("bread")
        decoration.changed = ["apple": ChangeMark(places: [Rectangle(column: 4, row: 0, width: 12, height: 1)])]
        decoration.marked = ["soap"]
        for columns in [40, 80, 200] {
            try expectScreen(
                drawn(document, Viewport(columns: columns, rows: 28), decoration), "\(appearance)-\(layout)-\(columns)",
                styles: columns == 80)
        }
        var viewport = Viewport(columns: 80, rows: 28)
        viewport.symbols = .ascii
        try expectScreen(drawn(document, viewport, decoration), "\(appearance)-\(layout)-ascii")
    }
}
