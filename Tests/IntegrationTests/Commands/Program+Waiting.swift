import Foundation

extension Program {
    func waitForOutput(_ text: String) throws {
        _ = try eventually("\(text) in \(output)") { output.contains(text) ? true : nil }
    }

    func waitForComplaint(_ text: String) throws {
        _ = try eventually("\(text) in \(complaints)") { complaints.contains(text) ? true : nil }
    }

    /// Whether a process exists and is not a zombie: an orphan may have no parent to wait for it.
    static func isRunning(_ process: pid_t) -> Bool {
        let state = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ") Z"
        return !state.contains(") Z")
    }
}

extension Serving {
    /// Waits until the daemon has that many subscriptions of a program. Subscriptions of other programs, which may just have
    /// ended, do not count.
    func waitForSubscriptions(_ count: Int = 1, of program: Program) throws {
        let client = try connect()
        _ = try eventually("subscription; it said: \(program.complaints)") {
            let reply = try JSONDecoder().decode(ClientsReply.self, from: Data(client.reply(to: "clients").utf8))
            let own = reply.result.clients.filter { $0.pid == program.processID }
            return own.reduce(0) { $0 + $1.subscriptions.count } == count ? true : nil
        }
    }
}

private struct ClientsReply: Decodable {
    var result: Result

    struct Result: Decodable {
        var clients: [Client]
    }

    struct Client: Decodable {
        var pid: pid_t?
        var subscriptions: [Subscription]
    }

    struct Subscription: Decodable {}
}
