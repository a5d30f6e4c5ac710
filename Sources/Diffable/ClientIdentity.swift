/// The identity of a client: its name, process and user, as far as they are known.
public struct ClientIdentity: Equatable, Sendable {
    /// The name that the client gave. Nil if it gave none or it is unknown.
    public var name: String?
    /// The process id according to the kernel. Nil if unknown.
    public var processID: Int?
    /// The user id according to the kernel. Nil if unknown.
    public var userID: Int?

    /// Creates an identity. Nil means unknown.
    public init(name: String? = nil, processID: Int? = nil, userID: Int? = nil) {
        self.name = name
        self.processID = processID
        self.userID = userID
    }
}
