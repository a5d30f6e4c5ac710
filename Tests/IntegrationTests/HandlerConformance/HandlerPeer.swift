import Foundation

/// A connection of a history, which may ask and handle. The record contains all lines that it sends and reads.
final class HandlerPeer {
    let number: Int
    let habit: Habit
    private let client: RawClient
    /// Whether it has stopped reading for now.
    var isMute = false
    /// Whether it has finished sending.
    private(set) var isFinished = false
    /// Whether it neither sends nor reads any more.
    private(set) var isEnded = false
    /// The requests that it has not answered, as far as it knows.
    private(set) var open: [HandlerRecord.Notice] = []
    /// The numbers of all requests so far.
    private(set) var known: [Int] = []
    /// Its handlers' numbers.
    private(set) var handlers: [Int] = []
    private var unanswered: Set<Int> = []

    struct Habit {
        let name: String
        /// The members of its subscription to the steady list; nil without one.
        let subscription: String?
        /// The percentage of steps in which it acts as a handler.
        let handling: Int
        /// Whether it stops reading for long.
        let isMute: Bool
    }

    var name: String { "\(habit.name) \(number)" }
    /// The number of replies that it waits for.
    var unansweredCount: Int { unanswered.count }

    /// Whether more input follows, including the end: a follower stays connected.
    var isAwaited: Bool { !isEnded && (unansweredCount > 0 || isFinished && habit.subscription == nil) }

    init(_ number: Int, _ habit: Habit, at socket: String) throws {
        self.number = number
        self.habit = habit
        client = try RawClient(connectingTo: socket)
    }

    // MARK: Sending

    func send(_ requests: [(id: Int, HandlerRecord.Request, line: String)], _ record: inout HandlerRecord) throws {
        for (id, request, _) in requests {
            record.note(.sent(id: id, request), on: number)
            unanswered.insert(id)
            if case .answer(let number, _) = request { open.removeAll { $0.request == number } }
            if case .unhandle(let number) = request {
                handlers.removeAll { $0 == number }
                open.removeAll { $0.handler == number }
            }
        }
        try client.send(requests.map(\.line).joined(separator: "\n"))
    }

    func finish(_ record: inout HandlerRecord) {
        record.note(.finished, on: number)
        isFinished = true
        open = []
        client.finishSending()
    }

    func close(_ record: inout HandlerRecord) {
        record.note(.closed, on: number)
        isFinished = true
        isEnded = true
        client.close()
    }

    // MARK: Reading

    /// Reads the available lines, and returns their number.
    func read(_ record: inout HandlerRecord) throws -> Int {
        var count = 0
        while !isEnded, !isMute, !client.isSilent(forSeconds: 0) {
            guard let line = try client.line() else {
                record.note(.atEnd, on: number)
                isFinished = true
                isEnded = true
                break
            }
            count += 1
            try note(ReadLine(line), &record)
        }
        return count
    }

    private func note(_ line: ReadLine, _ record: inout HandlerRecord) throws {
        if let id = line.id {
            unanswered.remove(id)
            if let error = line.error { return record.note(.replied(id: id, .failure(error)), on: number) }
            guard let result = line.result else {
                throw Failure("\(name) reads neither a result nor an error: \(line)")
            }
            record.note(.replied(id: id, .result(result)), on: number)
            if let handler = result.handler, result.list != nil { handlers.append(handler) }
            return
        }
        guard let method = line.method, let parameters = line.params else {
            throw Failure("\(name) is sent what is no line of its own: \(line)")
        }
        switch method {
        case "request": try noteRequest(parameters, &record)
        case "requestCancelled":
            open.removeAll { $0.request == parameters.request }
            record.note(.cancelled(request: parameters.request ?? 0), on: number)
        case "handlerEnded":
            open.removeAll { $0.handler == parameters.handler }
            handlers.removeAll { $0 == parameters.handler }
            record.note(.ended(handler: parameters.handler ?? 0), on: number)
        case "reset", "changes":
            guard parameters.more != true, let list = parameters.list, let revision = parameters.revision else {
                return
            }
            record.note(.shown(list: list, revision: revision), on: number)
        default: throw Failure("\(name) is sent \(method)")
        }
    }

    private func noteRequest(_ parameters: ReadLine.Parameters, _ record: inout HandlerRecord) throws {
        guard let handler = parameters.handler, let request = parameters.request, let list = parameters.list,
            let kind = parameters.kind
        else { throw Failure("\(name) is sent a request without what belongs to it: \(parameters)") }
        let proposed = parameters.operations?.lazy.compactMap { $0.items?.first?.content }.first
        let notice = HandlerRecord.Notice(
            handler: handler, request: request, list: list, kind: kind, item: parameters.item,
            revision: parameters.revision, tag: parameters.arguments?.tag ?? proposed?.tag)
        record.note(.notified(notice), on: number)
        open.append(notice)
        known.append(request)
    }
}
