import Foundation

/// What a program that a test starts gets of this process.
package enum SpawnedDescriptors {
    /// Glibc has this since 2.34, and shows it to those only who define `_GNU_SOURCE`.
    private static let addCloseFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt).self)
    }

    /// A program gets no descriptor but the first three: whoever had a copy of another test's connection would keep it
    /// open.
    package static func closeOthers(_ actions: inout posix_spawn_file_actions_t) { _ = addCloseFrom?(&actions, 3) }
}
