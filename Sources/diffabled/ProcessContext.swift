import Glibc
import ProcessArguments

/// The user and the environment of the process, read once, so that everything else is a function of its arguments.
struct ProcessContext {
    var userID: UInt32
    var environment: [String: String]
    var subordinateIDFile = SubordinateIDFile.path

    static var current: ProcessContext { ProcessContext(userID: geteuid(), environment: ProcessEnvironment.given()) }
}
