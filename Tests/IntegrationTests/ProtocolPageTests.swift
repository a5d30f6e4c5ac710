import Foundation
import Testing

extension Integration {
    /// Runs the transcripts of all pages in docs.
    ///
    /// In a block marked `transcript`, the test sends each `C: ` line and expects each `S: ` line, byte for byte and in order.
    /// Values that differ from run to run have a fixed value on the page. EPOCH in a sent line means the daemon's last epoch.
    /// Each page has its own daemon. Each block has its own connection, and a second one for `C2: ` and `S2: `.
    struct ProtocolPageTests {
        private static let pages: [(name: String, transcripts: [Transcript])] = {
            let folder = "\(Binaries.repository)/docs"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter { $0.hasSuffix(".md") }.sorted().map { name in
                (name, Transcript.all(in: (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""))
            }
        }()

        @Test(arguments: pages.filter { !$0.transcripts.isEmpty }.map(\.name))
        func `the examples of a page happen as they are written`(page: String) throws {
            let daemon = try Daemon()
            for transcript in try #require(Self.pages.first { $0.name == page }).transcripts {
                try transcript.check(against: daemon)
            }
        }

        @Test func `every page of the protocol has examples`() {
            let pages = Self.pages.filter { $0.name.hasPrefix("protocol") }
            #expect(pages.count >= 10)
            for page in pages { #expect(!page.transcripts.isEmpty, "\(page.name)") }
        }
    }
}

/// A block of lines that are sent and expected.
struct Transcript {
    /// The line of the opening fence, counted from 1.
    var line: Int
    var steps: [Step] = []

    enum Step {
        case send(String, Peer)
        case expect(String, Peer)
    }

    enum Peer: String, CaseIterable {
        case first = ""
        case second = "2"
    }

    private var usesSecond: Bool {
        steps.contains { step in
            switch step {
            case .send(_, .second), .expect(_, .second): true
            default: false
            }
        }
    }

    static func all(in page: String) -> [Transcript] {
        var transcripts: [Transcript] = []
        var isInside = false
        for (number, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                isInside = !isInside && line == "```transcript"
                if isInside { transcripts.append(Transcript(line: number + 1)) }
            } else if isInside, let step = step(line) {
                transcripts[transcripts.count - 1].steps.append(step)
            }
        }
        return transcripts
    }

    private static func step(_ line: Substring) -> Step? {
        for peer in Peer.allCases {
            for (side, step) in [("C", Step.send), ("S", Step.expect)] where line.hasPrefix("\(side)\(peer.rawValue): ")
            {
                return step(String(line.dropFirst(3 + peer.rawValue.count)), peer)
            }
        }
        return nil
    }

    func check(against daemon: Daemon) throws {
        let client = try daemon.connect()
        let second = usesSecond ? try daemon.connect() : client
        var epoch = "EPOCH"
        var bookmark = ""
        for step in steps {
            switch step {
            case .send(let line, let peer):
                try (peer == .first ? client : second).send(line.replacing("EPOCH", with: epoch))
            case .expect(let line, let peer):
                var came = ""
                // Timed lines are repeated on a busy machine, where the next request is late.
                repeat {
                    came = try (peer == .first ? client : second).line() ?? "(the end of the connection)"
                } while came == bookmark
                if came.contains(#""method":"bookmark""#) { bookmark = came }
                if let match = came.firstMatch(of: #/"epoch":"([^"]*)"/#) { epoch = String(match.1) }
                #expect(Transcript.masked(came) == line, "in the transcript at line \(self.line) of the page")
            }
        }
        for client in [client, second] {
            #expect(
                try client.reply(to: "ping") == #"{"jsonrpc":"2.0","id":null,"result":{}}"#,
                "more came than the page says, in the transcript at line \(line)")
        }
    }

    private static func masked(_ line: String) -> String {
        line.replacing(#/"epoch":"[^"]*"/#) { _ in #""epoch":"EPOCH""# }
            .replacing(#/"version":"[^"]*"/#) { _ in #""version":"VERSION""# }
            .replacing(#/"time":[0-9]+/#) { _ in #""time":1795299539671"# }
            .replacing(#/"pid":[0-9]+/#) { _ in #""pid":4711"# }
            .replacing(#/"uid":[0-9]+/#) { _ in #""uid":1000"# }
    }
}
