import Diffable

/// How much a decoder accepts, and how strict it is. The daemon takes its limits from the configuration.
package struct DecodingLimits: Sendable, Equatable {
    /// The depth of arrays and objects, counted from the beginning of the line.
    package var depthMax: Int
    /// The length of ids, names of lists, kinds and request keys, in bytes; at most 255.
    package var idLengthMax: Int
    /// In bytes, without insignificant white space.
    package var contentLengthMax: Int
    /// Levels of items, children's included.
    package var levelsMax: Int
    /// In one line.
    package var operationsMax: Int
    /// Of a view: tests and what combines them, words to search for and paths to sort by.
    package var viewTermsMax: Int
    /// Of a view's window.
    package var windowRowsMax: Int
    package var schemas: SchemaLimits
    /// What an action is to be performed with, in bytes without insignificant white space.
    package var argumentsLengthMax: Int
    /// What a handler answers, in bytes without insignificant white space; the text of a refusal is as long at most.
    package var resultLengthMax: Int
    /// The actions that one handler names.
    package var actionsPerHandlerMax: Int
    package var unknownMembers: UnknownMembers

    /// What happens with an unknown member.
    package enum UnknownMembers: Sendable {
        /// It is refused, because a typo in a script must not be ignored.
        case areRefused
        /// It is skipped, so that a client can read the lines of a newer daemon.
        case areIgnored
    }

    package init(
        depthMax: Int = 64, idLengthMax: Int = Record.idLengthMax, contentLengthMax: Int = 32_768,
        levelsMax: Int = SnapshotLimits().levelsMax, operationsMax: Int = 100_000, viewTermsMax: Int = 64,
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
        self.windowRowsMax = windowRowsMax
        self.schemas = schemas
        self.argumentsLengthMax = argumentsLengthMax
        self.resultLengthMax = resultLengthMax
        self.actionsPerHandlerMax = actionsPerHandlerMax
        self.unknownMembers = unknownMembers
    }

    /// The daemon's defaults.
    package static let server = DecodingLimits()

    /// For lines from a daemon. A client does not know the daemon's limits, but it must survive nonsense.
    package static let client = DecodingLimits(
        depthMax: 128, contentLengthMax: .max, levelsMax: .max, operationsMax: .max, viewTermsMax: .max,
        windowRowsMax: .max, schemas: .journal, argumentsLengthMax: .max, resultLengthMax: .max,
        actionsPerHandlerMax: .max, unknownMembers: .areIgnored)

    /// For input that a client checks before it asks the daemon, which knows its limits.
    package static let asking = DecodingLimits(viewTermsMax: .max, windowRowsMax: .max)

    /// For the daemon's own files. Limits that were lowered since must not make a list unreadable.
    package static let journal = DecodingLimits(
        depthMax: 256, contentLengthMax: .max, levelsMax: .max, operationsMax: .max)
}
