/// Who a client is, as others are told: what it calls itself, its process and its user, as far as they are known.
public struct ClientIdentity: Equatable, Sendable {
    public var name: String?
    public var processID: Int?
    public var userID: Int?

    public init(name: String? = nil, processID: Int? = nil, userID: Int? = nil) {
        self.name = name
        self.processID = processID
        self.userID = userID
    }
}
