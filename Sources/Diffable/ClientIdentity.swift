/// Who a client is, as others are told: what it calls itself, its process and its user, as far as they are known.
public struct ClientIdentity: Equatable, Sendable {
    /// What it calls itself; nil when it did not say, or nobody knows.
    public var name: String?
    /// The number of its process, as the kernel gave it; nil when that is not known.
    public var processID: Int?
    /// The number of its user, as the kernel gave it; nil when that is not known.
    public var userID: Int?

    /// Says of a client what is known of it.
    public init(name: String? = nil, processID: Int? = nil, userID: Int? = nil) {
        self.name = name
        self.processID = processID
        self.userID = userID
    }
}
