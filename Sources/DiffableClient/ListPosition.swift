/// Where a list is: one life of it, and a state in that.
public struct ListPosition: Sendable, Equatable {
    /// One life of the list: `revision` means something only within it.
    public var epoch: String
    /// Which state the list is in: each transaction that changes the list adds one.
    public var revision: Int

    /// A position that was kept.
    public init(epoch: String, revision: Int) {
        self.epoch = epoch
        self.revision = revision
    }
}
