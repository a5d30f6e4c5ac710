import Diffable

/// The limits and the strictness of a decoder. The daemon takes its limits from the configuration.
package struct DecodingLimits: Sendable, Equatable {
    /// The depth of arrays and objects, counted from the beginning of the line.
    package var depthMax: Int
    /// Bytes of ids, names of lists, kinds and request keys; at most 255.
    package var idLengthMax: Int
    /// Bytes without insignificant white space.
    package var contentLengthMax: Int
    /// Levels of items, including children.
    package var levelsMax: Int
    package var operationsMax: Int
    /// The terms of a view: tests and the operators that combine them, words to search for and paths to sort by.
    package var viewTermsMax: Int
    /// Segments of all paths in a view. A path without segments counts as one, and so does each member that a search excludes.
    package var viewSegmentsMax: Int
    package var viewIdsMax: Int
    package var windowRowsMax: Int
    package var schemas: SchemaLimits
    /// Bytes of an action's arguments without insignificant white space.
    package var argumentsLengthMax: Int
    /// Bytes of a handler's result without insignificant white space, and of the text of its refusal.
    package var resultLengthMax: Int
    package var actionsPerHandlerMax: Int
    package var unknownMembers: UnknownMembers

    package enum UnknownMembers: Sendable {
        /// An error, because a typo in a script must not be ignored.
        case areRefused
        /// Skipped, so that a client can read the lines of a newer daemon.
        case areIgnored
    }

    package init(
        depthMax: Int = 64, idLengthMax: Int = Record.idLengthMax, contentLengthMax: Int = 32_768,
        levelsMax: Int = SnapshotLimits().levelsMax, operationsMax: Int = 100_000, viewTermsMax: Int = 64,
        viewSegmentsMax: Int = 1_024, viewIdsMax: Int = 8_192,
        windowRowsMax: Int = 10_000, schemas: SchemaLimits = .standard, argumentsLengthMax: Int = 65_536,
        resultLengthMax: Int = 262_144, actionsPerHandlerMax: Int = 256,
        unknownMembers: UnknownMembers = .areRefused
    ) {
        self.depthMax = depthMax
        self.idLengthMax = idLengthMax
        self.contentLengthMax = contentLengthMax
        self.levelsMax = levelsMax
        self.operationsMax = operationsMax
        self.viewTermsMax = viewTermsMax
        self.viewSegmentsMax = viewSegmentsMax
        self.viewIdsMax = viewIdsMax
        self.windowRowsMax = windowRowsMax
        self.schemas = schemas
        self.argumentsLengthMax = argumentsLengthMax
        self.resultLengthMax = resultLengthMax
        self.actionsPerHandlerMax = actionsPerHandlerMax
        self.unknownMembers = unknownMembers
    }

    package static let server = DecodingLimits()

    /// For lines from a daemon. A client does not know the daemon's limits, but must survive invalid lines.
    package static let client = DecodingLimits(
        depthMax: 128, contentLengthMax: .max, levelsMax: .max, operationsMax: .max, viewTermsMax: .max,
        viewSegmentsMax: .max, viewIdsMax: .max, windowRowsMax: .max, schemas: .journal, argumentsLengthMax: .max,
        resultLengthMax: .max,
        actionsPerHandlerMax: .max, unknownMembers: .areIgnored)

    /// For input that a client checks before it sends it to the daemon, which knows its own limits.
    package static let asking = DecodingLimits(
        viewTermsMax: .max, viewSegmentsMax: .max, viewIdsMax: .max, windowRowsMax: .max)

    /// For the daemon's own files. A lowered limit must not make a list unreadable.
    package static let journal = DecodingLimits(
        depthMax: 256, contentLengthMax: .max, levelsMax: .max, operationsMax: .max)
}
