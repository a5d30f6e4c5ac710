import Foundation

/// A fault of the daemon in lines to callers and handlers, injected by a proxy.
enum HandlerFault: String, CaseIterable {
    case dropsReply, doublesReply
    /// The result of another request is returned.
    case swapsResults
    /// An existing handler is denied.
    case deniesHandler
    case repeatsRequest
    /// A proposal is sent twice.
    case proposesTwice
    /// A reply overtakes a change.
    case overtakesChange
    /// A request overtakes the state that it is about.
    case asksEarly
    /// An applied proposal is reported as refused.
    case refusesAfterwards
    /// A timeout of a minute expires at once.
    case hurries
    case losesCancellation
    /// A request ends twice.
    case cancelsAnswered
    /// Two requests for the same item are open.
    case mixesUpItems

    var promise: HandlerPromise {
        switch self {
        case .dropsReply, .doublesReply: .oneReply
        case .swapsResults, .deniesHandler: .rightReply
        case .repeatsRequest, .proposesTwice: .once
        case .overtakesChange: .seenBefore
        case .asksEarly: .knownBefore
        case .refusesAfterwards: .nothingHappened
        case .hurries: .patience
        case .losesCancellation, .cancelsAnswered: .overOnce
        case .mixesUpItems: .shared
        }
    }
}

/// Changes the lines of one connection.
struct HandlerFaultLines: FaultyLines {
    private let fault: HandlerFault
    private var count = 0
    /// A change that is sent after another line.
    private var held: String?

    init(_ fault: HandlerFault) { self.fault = fault }

    /// Whether the fault is due: the first time, and then every third time.
    private mutating func isDue() -> Bool {
        count += 1
        return count % 3 == 1
    }

    mutating func requests(for line: [UInt8]) -> [UInt8] {
        let text = String(decoding: line, as: UTF8.self)
        switch fault {
        case .proposesTwice where text.contains(#""method":"propose""#) && isDue():
            // Without an id it has no reply.
            return Self.bytes(text, text.replacing(#/^{"id":[0-9]+,/#, with: "{"))
        case .hurries: return Self.bytes(text.replacing(#""timeout":60000"#, with: #""timeout":1"#))
        default: return Self.bytes(text)
        }
    }

    mutating func answers(for line: [UInt8]) -> [UInt8] {
        let text = String(decoding: line, as: UTF8.self)
        let isResult = text.contains(#""result":{"tag":"#)
        switch fault {
        case .dropsReply where isResult && isDue(): return []
        case .doublesReply where isResult && isDue(): return Self.bytes(text, text)
        case .swapsResults where isResult && isDue():
            return Self.bytes(text.replacing(#""result":{"tag":"#, with: #""result":{"tag":1"#))
        case .deniesHandler where isResult && isDue():
            return Self.bytes(
                text.replacing(
                    #/"result":.*/#, with: #""error":{"code":20,"message":"nobody","data":{"name":"noHandler"}}}"#))
        case .repeatsRequest where text.contains(#""method":"request""#) && isDue(): return Self.bytes(text, text)
        case .overtakesChange: return late(text, behind: #"{"jsonrpc":"2.0","id":"#)
        case .asksEarly: return late(text, behind: #"{"jsonrpc":"2.0","method":"request""#)
        case .refusesAfterwards where text.hasSuffix(#""changed":true}}"#) && isDue():
            return Self.bytes(
                text.replacing(
                    #/"result":.*/#, with: #""error":{"code":21,"message":"no","data":{"name":"refused"}}}"#))
        case .losesCancellation where text.contains(#""method":"requestCancelled""#): return []
        case .cancelsAnswered where isDue():
            guard let request = text.firstMatch(of: #/"result":{"request":([0-9]+)}}$/#)?.1 else { break }
            let cancelled =
                #"{"jsonrpc":"2.0","method":"requestCancelled","params":{"handler":1,"request":\#(request),"list":"steady","reason":"timedOut"}}"#
            return Self.bytes(text, cancelled)
        case .mixesUpItems: return Self.bytes(text.replacing(#/"item":"leaf [0-9]"/#, with: #""item":"leaf 1""#))
        default: break
        }
        return Self.bytes(text)
    }

    /// Delays a change until after the next line, if that begins with `beginning`.
    private mutating func late(_ line: String, behind beginning: String) -> [UInt8] {
        if let change = held {
            held = nil
            return line.hasPrefix(beginning) ? Self.bytes(line, change) : Self.bytes(change, line)
        }
        guard line.hasPrefix(#"{"jsonrpc":"2.0","method":"changes""#) else { return Self.bytes(line) }
        held = line
        return []
    }

    private static func bytes(_ lines: String...) -> [UInt8] { lines.flatMap { Array("\($0)\n".utf8) } }
}
