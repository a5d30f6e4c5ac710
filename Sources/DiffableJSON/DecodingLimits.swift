import Diffable

/// How much a decoder takes, and how strict it is. The daemon's come from its configuration.
package struct DecodingLimits: Sendable {
    /// Arrays and objects inside each other, counted from the beginning of the line.
    package var depthMax: Int
    /// Of ids, names of lists, kinds and request keys, in bytes; at most 255.
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
    package var unknownMembers: UnknownMembers

    /// What to do about a member that the decoder does not know.
    package enum UnknownMembers: Sendable {
        /// A typo in a script must not be ignored.
        case areRefused
        /// A client reads what a newer daemon says.
        case areIgnored
    }

    package init(
        depthMax: Int = 64, idLengthMax: Int = Record.idLengthMax, contentLengthMax: Int = 32_768, levelsMax: Int = 24,
        operationsMax: Int = 100_000, viewTermsMax: Int = 64, windowRowsMax: Int = 10_000,
        unknownMembers: UnknownMembers = .areRefused
    ) {
        self.depthMax = depthMax
        self.idLengthMax = idLengthMax
        self.contentLengthMax = contentLengthMax
        self.levelsMax = levelsMax
        self.operationsMax = operationsMax
        self.viewTermsMax = viewTermsMax
        self.windowRowsMax = windowRowsMax
        self.unknownMembers = unknownMembers
    }

    /// The daemon's defaults.
    package static let server = DecodingLimits()

    /// For what a daemon sent: its limits are not the client's business, but a client survives nonsense too.
    package static let client = DecodingLimits(
        depthMax: 128, contentLengthMax: .max, levelsMax: .max, operationsMax: .max, viewTermsMax: .max,
        windowRowsMax: .max, unknownMembers: .areIgnored)

    /// For what a person or a program asks for before the daemon, which knows its limits, is asked.
    package static let asking = DecodingLimits(viewTermsMax: .max, windowRowsMax: .max)

    /// For what the daemon itself wrote down: limits that were lowered since do not lock anybody out.
    package static let journal = DecodingLimits(
        depthMax: 256, contentLengthMax: .max, levelsMax: .max, operationsMax: .max)
}
