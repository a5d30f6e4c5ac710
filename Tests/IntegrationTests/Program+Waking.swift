import Foundation

/// The number of wake-ups of a process's threads after they went to sleep.
struct Wakings {
    private let counts: [String: Int]

    init(of processID: pid_t) {
        let directory = "/proc/\(processID)/task"
        var counts: [String: Int] = [:]
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            let status = (try? String(contentsOfFile: "\(directory)/\(thread)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            counts[thread] = line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
        }
        self.counts = counts
    }

    /// The number of wake-ups since then. A thread that has ended counts as one.
    func number(since before: Wakings) -> Int {
        let ended = before.counts.keys.filter { counts[$0] == nil }.count
        return ended + counts.reduce(0) { $0 + $1.value - (before.counts[$1.key] ?? 0) }
    }
}

extension Wakings {
    /// The timers that may be set while a program sleeps.
    enum Timers {
        case none, any
    }

    /// Whether one of its timers (timerfd_create(2)) is set.
    private static func hasTimer(_ processID: pid_t) -> Bool {
        let directory = "/proc/\(processID)/fdinfo"
        return ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).contains { descriptor in
            let text = (try? String(contentsOfFile: "\(directory)/\(descriptor)", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("it_value:") }
            return line.map { !$0.hasSuffix("(0, 0)") } ?? false
        }
    }

    /// Waits for some seconds without a wake-up of the process or a timer, except permitted timers that expire later. A sleeping
    /// program has such seconds soon, however busy the machine is. One with a timer never has them.
    static func waitForNone(
        of processID: pid_t, timers: Timers = .none, for seconds: Double = 4, within limit: Double = 240, _ what: String
    ) throws {
        var last = Wakings(of: processID)
        var (quietSince, number) = (Date.now, 0)
        guard !last.counts.isEmpty else { throw Failure("\(what) has no threads") }
        _ = try eventually(within: limit, "\(seconds) s in which \(what) sleeps; it was woken \(number) times") {
            usleep(100_000)
            let now = Wakings(of: processID)
            let count = now.number(since: last)
            if count > 0 || now.counts.isEmpty || timers == .none && hasTimer(processID) {
                (quietSince, number) = (.now, number + count)
            }
            last = now
            return Date.now.timeIntervalSince(quietSince) >= seconds ? true : nil
        }
    }
}
