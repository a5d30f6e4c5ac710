import Foundation
import Glibc
import TestSupport
import Testing

/// The real daemon, seen by a service manager.
@Suite struct DaemonLifecycleTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func `it is ready when its socket accepts, and a signal ends it with success`(signal: Int32) throws {
        let manager = NotifySocket()
        let directory = try ScratchDirectory()
        let daemon = try RunningDaemon(
            in: directory, arguments: ["--socket", directory.socket], environment: ["NOTIFY_SOCKET": manager.name])
        #expect(manager.waits(for: "READY=1"))
        #expect(directory.canConnect())
        daemon.send(signal)
        #expect(manager.waits(for: "STOPPING=1"))
        #expect(daemon.ending()?.status == 0)
    }

    @Test func `it gives signs of life as often as the manager asks`() throws {
        let manager = NotifySocket()
        let directory = try ScratchDirectory()
        let daemon = try RunningDaemon(
            in: directory, arguments: ["--socket", directory.socket],
            environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "400000"])
        #expect(manager.waits(for: "READY=1"))
        #expect(manager.waits(for: "WATCHDOG=1"))
        // Half the timeout each; never early, and late only on a busy machine. If this test itself is late, the first of three
        // notices seems early, and it tries again.
        let isNeverEarly = (0..<10).contains { _ in
            let time = ContinuousClock().measure {
                for _ in 0..<3 { #expect(manager.waits(for: "WATCHDOG=1")) }
            }
            return time > .milliseconds(550)
        }
        #expect(isNeverEarly)
        daemon.send(SIGTERM)
        #expect(daemon.ending()?.status == 0)
    }

    @Test func `it says when it reads its configuration again, and when that is done`() throws {
        let manager = NotifySocket()
        let directory = try ScratchDirectory()
        let daemon = try RunningDaemon(
            in: directory, arguments: ["--socket", directory.socket], environment: ["NOTIFY_SOCKET": manager.name])
        #expect(manager.waits(for: "READY=1"))
        for _ in 0..<2 {
            daemon.send(SIGHUP)
            let notice = manager.received()
            #expect(notice.first == "RELOADING=1")
            #expect(notice.last?.wholeMatch(of: /MONOTONIC_USEC=[0-9]+/) != nil, "\(notice)")
            #expect(manager.received() == ["READY=1"])
        }
        daemon.send(SIGTERM)
        #expect(daemon.ending()?.status == 0)
    }

    @Test(.enabled(if: access("/usr/bin/systemd-socket-activate", X_OK) == 0, "needs systemd-socket-activate"))
    func `it serves a socket that was handed over, which stays when it ends`() throws {
        let manager = NotifySocket()
        let directory = try ScratchDirectory()
        let daemon = try RunningDaemon(
            in: directory,
            launcher: [
                "/usr/bin/systemd-socket-activate", "-l", directory.socket, "-E", "HOME", "-E", "NOTIFY_SOCKET", "-E",
                "DIFFABLED_STATE_DIRECTORY",
            ], environment: ["NOTIFY_SOCKET": manager.name])
        // The first connection starts the daemon.
        #expect(eventually { directory.canConnect() })
        #expect(manager.waits(for: "READY=1"))
        #expect(directory.canConnect())
        daemon.send(SIGTERM)
        #expect(daemon.ending()?.status == 0)
        #expect(access(directory.socket, F_OK) == 0)
    }

    @Test func `without a service manager everything works the same`() throws {
        let directory = try ScratchDirectory()
        let daemon = try RunningDaemon(in: directory, arguments: ["--socket", directory.socket])
        #expect(eventually { directory.canConnect() })
        daemon.send(SIGTERM)
        let ending = try #require(daemon.ending())
        #expect(ending.status == 0)
        #expect(ending.errors.contains("notice: serving socket=\(directory.socket)"))
    }

    @Test func `a second daemon on one state directory is refused with 69`() throws {
        let manager = NotifySocket()
        let directory = try ScratchDirectory()
        let first = try RunningDaemon(
            in: directory, arguments: ["--socket", directory.socket], environment: ["NOTIFY_SOCKET": manager.name])
        #expect(manager.waits(for: "READY=1"))
        let second = try RunningDaemon(in: directory, arguments: ["--socket", directory.path + "/other.sock"])
        let ending = try #require(second.ending())
        #expect(ending.status == 69)
        #expect(ending.errors.contains("--state-directory"))
        #expect(directory.canConnect())
        first.send(SIGTERM)
        #expect(first.ending()?.status == 0)
    }

    @Test func `a live socket is refused with 69, a stale one is replaced`() throws {
        let manager = NotifySocket()
        let directory = try ScratchDirectory()
        let arguments = ["--socket", directory.socket]
        let first = try RunningDaemon(
            in: directory, arguments: arguments, environment: ["NOTIFY_SOCKET": manager.name])
        #expect(manager.waits(for: "READY=1"))
        let second = try RunningDaemon(
            in: directory, arguments: arguments + ["--state-directory", directory.path + "/other"])
        let refusal = try #require(second.ending())
        #expect(refusal.status == 69)
        #expect(refusal.errors.contains(directory.socket))
        first.send(SIGKILL)
        _ = first.ending()
        let third = try RunningDaemon(
            in: directory, arguments: arguments, environment: ["NOTIFY_SOCKET": manager.name])
        #expect(manager.waits(for: "READY=1"))
        third.send(SIGTERM)
        #expect(third.ending()?.status == 0)
    }

    @Test func `a wrong configuration ends it with 78, which no restart mends`() throws {
        let directory = try ScratchDirectory()
        let file = try directory.file("diffabled.yaml", containing: "lineLenghtMax: 5\n")
        let ending = try #require(try RunningDaemon(in: directory, arguments: ["--config", file]).ending())
        #expect(ending.status == 78)
        #expect(ending.errors.contains("unknown key \"lineLenghtMax\" in line 1. Did you mean lineLengthMax?"))
    }

    @Test func `wrong options end it with 64`() throws {
        let directory = try ScratchDirectory()
        #expect(try RunningDaemon(in: directory, arguments: ["--bogus"]).ending()?.status == 64)
        #expect(try RunningDaemon(in: directory, arguments: ["--log-level", "loud"]).ending()?.status == 64)
    }
}
