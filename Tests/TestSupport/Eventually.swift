import Foundation

/// How long a test waits for what comes at once on a quiet machine: no measure, but an end where it never comes.
package let patience = Duration.seconds(180)

/// Looks again and again, and tells whether it became so.
package func eventually(_ isSo: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + patience
    while true {
        if try isSo() { return true }
        guard ContinuousClock.now < end else { return false }
        usleep(2_000)
    }
}

/// The same in a task, which gives its thread to others meanwhile. It waits longer for what another task does: that has to
/// wait for a thread while the tests of all modules are under way.
package func eventuallyInTask(_ isSo: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + patience * 4
    while true {
        if try await isSo() { return true }
        guard ContinuousClock.now < end else { return false }
        try await Task.sleep(for: .milliseconds(2))
    }
}
