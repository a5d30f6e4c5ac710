import ArgumentParser
import Diffable

struct ShownItemsOptions: ParsableArguments {
    @OptionGroup var matching: ConditionOptions

    @Option(
        help: ArgumentHelp(
            "Only items that contain all these words; case and accents are ignored.", valueName: "words"))
    var search: String?

    @Option(
        name: .customLong("section"), help: ArgumentHelp("Only this section. May be repeated.", valueName: "section"),
        completion: .sections, transform: sectionID)
    var sections: [SectionID] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Sort by this member, such as .due, or by id or kind. -.due reverses the order; '#.size' (or '-#.size') compares \
            strings as numbers, as in tables. May be repeated.
            """,
            valueName: "path"))
    var sort: [String] = []

    func sortKeys() throws -> [SortOption] { try sort.map { try SortOption(checking: $0) } }

    /// Whether items are selected by conditions, so that none may match.
    var selectsItems: Bool { !matching.isEmpty || search != nil || !sections.isEmpty }

    var namedFields: [NamedField] {
        get throws { try matching.namedFields + sortKeys().compactMap(\.namedField) }
    }
}
