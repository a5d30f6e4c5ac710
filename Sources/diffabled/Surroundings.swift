import Glibc
import ProcessArguments

/// Who runs the process and in which environment, read once, so that everything else is a function of its arguments.
struct Surroundings {
    var userID: UInt32
    var environment: [String: String]

    static var current: Surroundings { Surroundings(userID: geteuid(), environment: ProcessEnvironment.given()) }
}
