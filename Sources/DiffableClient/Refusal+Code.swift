import DiffableProtocol

extension Refusal {
    /// The code of an error. A newer daemon can send codes that have no constant here.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name of the code in the protocol, such as `noSuchList`.
        public let rawValue: String

        /// A code by its name in the protocol.
        public init(rawValue: String) { self.rawValue = rawValue }

        init(_ code: WireError.Code) { rawValue = code.name }

        /// The name of the code.
        public var description: String { rawValue }
    }
}
