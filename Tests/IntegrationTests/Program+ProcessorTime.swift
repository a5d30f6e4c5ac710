import Foundation

extension Program {
    /// What it has had of the machine's processors, in hundredths of a second: what a busy machine lets it wait for is not
    /// in it.
    var processorTime: Duration { Self.processorTime("/proc/\(processID)/stat") }

    /// The same of the daemon's event loop alone.
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
        // The name, in brackets, may have anything in it.
        let fields = text.split(separator: ")").last.map { $0.split(separator: " ") } ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return .zero }
        return .seconds(1) * (user + system) / sysconf(Int32(_SC_CLK_TCK))
    }
}
