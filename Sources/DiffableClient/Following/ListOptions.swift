/// How a list is followed.
public struct ListOptions: Sendable {
    public init() {}
}
