import ArgumentParser

/// What happens to a row whose parent is missing. `ps` names parents that it does not show.
enum OrphanRule: String, CaseIterable, ExpressibleByArgument {
    case refuse
    /// The row goes to the top level.
    case top
}
