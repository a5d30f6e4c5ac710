import DiffableProtocol
import Foundation
import Testing

extension Integration {
    struct VersionTests {
        @Test(arguments: [Binaries.daemon, Binaries.companion, Binaries.web])
        func `a program says its version`(program: String) throws {
            let directory = try ScratchDirectory()
            let run = try Program(program, ["--version"], in: directory)
            #expect(try run.wait() == 0)
            #expect(run.output == "\(Version.current)\n")
        }

        @Test func `the changelogs begin with the version that the programs say`() throws {
            let changes = try text(of: "CHANGELOG.md")
            let newest = try #require(changes.firstMatch(of: #/\n## (\S+) /#))
            #expect(newest.1 == Version.current)
            let package = try text(of: "debian/changelog")
            let packaged = try #require(package.prefixMatch(of: #/diffabled \(([^)-]+)(-[^)]*)?\) /#))
            #expect(packaged.1 == Version.current)
        }

        @Test func `the daemon, its status and what an administrator sees of it agree`() throws {
            let daemon = try Daemon()
            #expect(try daemon.succeed("status").contains("\nversion: \(Version.current)\n"))
            #expect(try daemon.succeed("status", "--prometheus").contains("{version=\"\(Version.current)\"} 1\n"))
        }

        private func text(of file: String) throws -> String {
            try String(contentsOfFile: "\(Binaries.repository)/\(file)", encoding: .utf8)
        }
    }
}
