/// Of the daemon and of its companion, which are released together. CHANGELOG.md and debian/changelog have the same, as a
/// test sees.
package enum Version {
    package static let current = "0.1.0"
}
