import Foundation

/// The descriptors that a program started by a test inherits.
package enum SpawnedDescriptors {
    /// Glibc has this since 2.34, but declares it only with `_GNU_SOURCE`.
    private static let addCloseFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt).self)
    }

    /// Closes all descriptors but the first three in a child: a copy of another test's connection would keep it open.
    package static func closeOthers(_ actions: inout posix_spawn_file_actions_t) { _ = addCloseFrom?(&actions, 3) }
}
