/// What happens to a row whose parent is missing. `ps` names parents that it does not show.
package enum OrphanRule: String, CaseIterable {
    case refuse
    /// The row goes to the top level.
    case top
}
