import Foundation
import Glibc

/// What the process was started in, read once, so that everything after is a function of its arguments.
struct Surroundings {
    var userID: UInt32
    var environment: [String: String]

    static var current: Surroundings {
        Surroundings(userID: geteuid(), environment: ProcessInfo.processInfo.environment)
    }
}
