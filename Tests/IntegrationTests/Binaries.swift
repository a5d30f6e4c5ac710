import Foundation

/// The directory of the built programs: the test bundle's, or `$DIFFABLED_BINARIES`.
enum Binaries {
    static let directory = ProcessInfo.processInfo.environment["DIFFABLED_BINARIES"] ?? tests

    static let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    static let daemon = "\(directory)/diffabled"
    static let companion = "\(directory)/diffablectl"
    static let feed = "\(directory)/diffable-feed"
    static let web = "\(directory)/diffable-web"

    /// The directory of diffabled-etcd, if it was built.
    static let connectors =
        ProcessInfo.processInfo.environment["HOSTS_BINARIES"] ?? "\(repository)/Hosts/.build/debug"

    /// The repository that contains these tests.
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    static func isInstalled(_ program: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
    }
}
