import DiffableServer
import Foundation
import Testing

extension Integration {
    /// Requests and answers sent before a client closes its connection are executed.
    struct LastAnswerTests {
        @Test(arguments: ["volatile", "durable"])
        func `an answer that is sent before the connection is closed is an answer`(durability: String) throws {
            let bench = try HandlerBench(durability: durability)
            for round in 1...100 {
                let handler = try bench.daemon.connect()
                _ = try bench.handle(#""perform","propose""#, by: handler, members: #","replace":true"#)
                // The caller of a proposal waits for another transaction, and that one for the disk.
                let isProposed = round.isMultiple(of: 2)
                try bench.asker.send(
                    isProposed
                        ? HandlerBench.propose(HandlerBench.append("p\(round)"), id: round)
                        : HandlerBench.perform("a", id: round))
                let number = try bench.request(of: handler).number
                try handler.send(
                    HandlerBench.transact(HandlerBench.append("h\(round)")) + "\n" + HandlerBench.answer(number))
                handler.close()
                let reply = try bench.line(of: bench.asker)
                #expect(reply.contains(#""id":\#(round),"result""#), "round \(round): \(reply)")
                if reply.contains("error") { return }
            }
            let snapshot = try bench.asker.reply(to: "snapshot tasks")
            #expect(snapshot.contains(#""id":"h100""#) && snapshot.contains(#""id":"p100""#))
        }

        @Test func `transactions behind a read are carried out, though nobody reads what comes of it`() throws {
            let bench = try HandlerBench(durability: "durable")
            // More than one read, so that answers fail to be sent while some of it is still in the socket.
            let long = String(repeating: "x", count: 10_000)
            let change = HandlerBench.transact(
                #"{"op":"reconfigureItems","items":[{"id":"milk","content":"\#(long)"}]}"#)
            let start = String(repeating: change + "\nhistory tasks\n", count: 5)
            for round in 1...100 {
                let client = try bench.daemon.connect()
                try client.send(start + HandlerBench.transact(HandlerBench.append("z\(round)")))
                client.close()
            }
            _ = try eventually("the last of each") {
                let snapshot = try bench.asker.reply(to: "snapshot tasks")
                return (1...100).allSatisfy { snapshot.contains(#""id":"z\#($0)""#) } ? true : nil
            }
        }

        @Test func `a handler ends with what it sent before`() throws {
            let bench = try HandlerBench()
            try bench.handle(#""perform""#)
            for id in 1...2 { try bench.asker.send(HandlerBench.perform("a", id: id)) }
            let numbers = try [bench.request().number, bench.request().number]
            try bench.handler.send(HandlerBench.answer(numbers[0]))
            bench.handler.close()
            #expect(try bench.line(of: bench.asker).contains(#""id":1,"result""#))
            let lost = try bench.line(of: bench.asker)
            #expect(lost.errorName == "handlerLost" && lost.contains(#""id":2,"#), "\(lost)")
            #expect(try bench.asker.reply(to: HandlerBench.perform("a", id: 3)).errorName == "noHandler")
        }
    }
}
