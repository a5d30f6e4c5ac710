import Foundation

/// Where the built programs are: beside the test bundle, or where `$DIFFABLED_BINARIES` says.
enum Binaries {
    static let directory = ProcessInfo.processInfo.environment["DIFFABLED_BINARIES"] ?? tests

    /// Where these tests are.
    static let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    static let daemon = "\(directory)/diffabled"
    static let companion = "\(directory)/diffablectl"
    static let feed = "\(directory)/diffable-feed"

    /// Where diffabled-etcd is, if it was built.
    static let connectors =
        ProcessInfo.processInfo.environment["HOSTS_BINARIES"] ?? "\(repository)/Hosts/.build/debug"

    /// The repository that these tests are part of.
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    static func isInstalled(_ program: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
    }
}
