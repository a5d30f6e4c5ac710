/// The treatment of a row without its parent. `ps` names parents that it does not show.
package enum OrphanRule: String, CaseIterable {
    case refuse
    case top
}
