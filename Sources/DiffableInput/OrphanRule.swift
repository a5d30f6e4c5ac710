/// How to treat a row whose parent is missing. `ps` names parents that it does not show.
package enum OrphanRule: String, CaseIterable {
    case refuse
    case top
}
