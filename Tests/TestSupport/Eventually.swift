import Foundation

/// The timeout of a wait that normally ends at once. It measures nothing, and only ends a hopeless wait.
package let patience = Duration.seconds(180)

/// Repeats a check, and returns whether it became true.
package func eventually(_ isSo: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + patience
    while true {
        if try isSo() { return true }
        guard ContinuousClock.now < end else { return false }
        usleep(2_000)
    }
}

/// The same in a task, without blocking its thread. It waits longer, because other tasks have to wait for a thread while the
/// tests of all modules are running.
package func eventuallyInTask(_ isSo: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + patience * 4
    while true {
        if try await isSo() { return true }
        guard ContinuousClock.now < end else { return false }
        try await Task.sleep(for: .milliseconds(2))
    }
}
