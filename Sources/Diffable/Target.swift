/// The state that an `apply` asks for.
package enum Target: Sendable {
    /// The list becomes exactly this. If no content is given, the list keeps its own.
    case whole(WholeList)
    /// The section becomes exactly this. A missing one is created at the end, and items from other sections are moved.
    case section(SectionID, [Item])
    /// The result of these operations on an empty list that keeps its own content, or, if a section is given, on a list
    /// with only that section, which is then replaced. This form can be sent in parts, like a `reset`.
    case operations([ListOperation], section: SectionID? = nil)
}
