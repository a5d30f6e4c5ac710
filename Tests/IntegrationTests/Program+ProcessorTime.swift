import Foundation

extension Program {
    /// The CPU time, with a resolution of a hundredth of a second. It does not include waiting on a busy machine.
    var processorTime: Duration { Self.processorTime("/proc/\(processID)/stat") }

    /// The CPU time of the daemon's event loop.
    var loopTime: Duration {
        let directory = "/proc/\(processID)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let loop = threads.first { thread in
            let name = try? String(contentsOfFile: "\(directory)/\(thread)/comm", encoding: .utf8)
            return name?.hasPrefix("NIO-ELT") == true
        }
        return loop.map { Self.processorTime("\(directory)/\($0)/stat") } ?? .zero
    }

    private static func processorTime(_ file: String) -> Duration {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        // The name, in brackets, may contain anything.
        let fields = text.split(separator: ")").last.map { $0.split(separator: " ") } ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return .zero }
        return .seconds(1) * (user + system) / sysconf(Int32(_SC_CLK_TCK))
    }
}
