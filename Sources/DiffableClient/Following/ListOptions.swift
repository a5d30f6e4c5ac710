/// How a list is followed.
public struct ListOptions: Sendable {
    /// What of the list is seen, and in which order; nil: all of it.
    public var view: ListView?

    public init(view: ListView? = nil) {
        self.view = view
    }
}
