import ArgumentParser
import DiffableClient

struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the daemon read its configuration again.",
        discussion: """
            All of it is taken or nothing: when something is wrong, what and where is said, the daemon goes on as \
            before, and the status is 1. Settings that need a restart are named. For root and the daemon's own user.
            """)

    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let reload = try await daemon.withConnection { try await $0.reloadConfiguration() }
        var output = StandardOutput()
        output.line("read \(reload.file ?? "the configuration, which has no file,") again")
        if reload.applied.isEmpty { output.line("nothing has changed") }
        for setting in reload.applied { output.line("\(setting) has changed") }
        for setting in reload.needRestart { output.line("\(setting) has changed: restart the daemon to use it") }
        output.flush()
    }
}
