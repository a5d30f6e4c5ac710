/// What a handler answers for.
package enum HandledKind: String, CaseIterable, Sendable {
    /// An action on a list, on a section or on items of it.
    case perform
    /// A change that somebody proposes.
    case propose
    /// The children of an item that somebody opens.
    case expand
}
