/// The state that an `apply` asks for.
package enum Target: Sendable {
    /// The list becomes exactly this. Its own content stays, if none is said.
    case whole(WholeList)
    /// The section becomes exactly this, at the list's end if there is none; items that other sections hold are taken over.
    case section(SectionID, [Item])
    /// What these operations make of nothing: of an empty list that has its own content still, or of one that has only the
    /// section besides, which is then the one replaced. This form can be sent in parts, as a `reset` is.
    case operations([ListOperation], section: SectionID? = nil)
}
