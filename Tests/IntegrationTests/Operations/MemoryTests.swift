import Foundation
import Testing

extension Integration {
    /// What the daemon has of the machine's memory, after it had much in its lists.
    struct MemoryTests {
        @Test(arguments: ["volatile", "durable"])
        func `what a large list took goes back to the machine when it is deleted`(durability: String) throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            for list in ["large", "small"] {
                let creation =
                    #"{"id":1,"method":"createList","params":{"list":"\#(list)","durability":"\#(durability)"}}"#
                #expect(try client.reply(to: creation).contains("result"))
            }
            let before = daemon.program.residentLength

            let content = String(repeating: "x", count: 1_000)
            for round in 0..<60 {
                // What another list gets meanwhile lies between, so that nothing goes back by itself.
                for (list, count) in [("large", 900), ("small", 1)] {
                    let items = (0..<count).map { #"{"id":"\#(round)-\#($0)","content":"\#(content)"}"# }
                    let section = #"{"op":"appendSections","sections":[{"id":"\#(round)"}]}"#
                    let append = #"{"op":"appendItems","items":[\#(items.joined(separator: ","))]}"#
                    let reply = try client.reply(
                        to:
                            #"{"id":1,"method":"transact","params":{"list":"\#(list)","operations":[\#(section),\#(append)]}}"#
                    )
                    #expect(reply.contains(#""changed":true"#), "\(reply)")
                }
            }
            let full = daemon.program.residentLength
            #expect(full > before + 54_000_000, "the contents alone are that much")

            #expect(
                try client.reply(to: #"{"id":1,"method":"deleteList","params":{"list":"large"}}"#).contains("result"))
            _ = try eventually("less than half of what the list took, of \(full) bytes") {
                daemon.program.residentLength < before + (full - before) / 2 ? true : nil
            }
            #expect(try client.reply(to: "snapshot small").contains(#""id":"59-0""#))
        }
    }
}
