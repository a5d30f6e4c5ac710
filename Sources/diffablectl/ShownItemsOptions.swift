import ArgumentParser
import Diffable

/// Options for which items of a list are shown, and in which order.
struct ShownItemsOptions: ParsableArguments {
    @OptionGroup var matching: ConditionOptions

    @Option(
        help: ArgumentHelp(
            "What has each of these words in its content, whatever their case and accents.", valueName: "words"))
    var search: String?

    @Option(
        name: .customLong("section"), help: ArgumentHelp("This section. May be repeated.", valueName: "section"),
        completion: .sections, transform: sectionID)
    var sections: [SectionID] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            In the order of this member, such as .due, or of id or kind; -.due is the other way round, and '#.size' (or \
            '-#.size') is by numbers although they are texts, as in tables. May be repeated.
            """,
            valueName: "path"))
    var sort: [String] = []

    func sortKeys() throws -> [SortKey] { try sort.map { try SortKey(checking: $0) } }

    /// Whether items are selected by conditions, so that there may be none.
    var selectsItems: Bool { !matching.isEmpty || search != nil || !sections.isEmpty }

    /// The fields that `--where` and `--sort` name.
    var namedFields: [NamedField] {
        get throws { try matching.namedFields + sortKeys().compactMap(\.namedField) }
    }
}
