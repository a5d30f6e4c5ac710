/// The position of a list: an epoch, and a revision in it.
public struct ListPosition: Sendable, Equatable {
    /// The list's epoch: `revision` is valid only within it.
    public var epoch: String
    /// The list's revision. Each transaction that changes the list increases it by one.
    public var revision: Int

    /// Creates a position from stored values.
    public init(epoch: String, revision: Int) {
        self.epoch = epoch
        self.revision = revision
    }
}
