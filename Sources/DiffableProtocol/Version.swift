/// The version of the daemon and the command-line client, which are released together. A test compares it with CHANGELOG.md and
/// debian/changelog.
package enum Version {
    package static let current = "0.1.0"
}
