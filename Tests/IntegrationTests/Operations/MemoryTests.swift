import Foundation
import Testing

extension Integration {
    /// The daemon's memory after its lists were long.
    struct MemoryTests {
        @Test(arguments: ["volatile", "durable"])
        func `what a large list took goes back to the machine when it is deleted`(durability: String) throws {
            let daemon = try Daemon()
            try deleteLargeList(of: daemon, durability)
        }

        /// A fresh daemon has some 20 MB, and the list takes more than that again.
        @Test(.early, arguments: MemoryTests.Ending.allCases, ["volatile", "durable"])
        func `after a list of 100,000 items has gone, the daemon soon has hardly more memory than before`(
            ending: Ending, durability: String
        ) throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            func ask(_ method: String, _ parameters: String) throws {
                let reply = try client.reply(
                    to: #"{"id":1,"method":"\#(method)","params":{"list":"large"\#(parameters)}}"#)
                #expect(reply.contains("result"), "\(reply)")
            }
            try ask("createList", #","durability":"\#(durability)""#)
            let before = daemon.program.anonymousLength
            // One `apply` in parts, or many transactions.
            func add(_ operation: String, isLast: Bool = false) throws {
                if ending == .deletedAfterManyChanges {
                    try ask("transact", #","operations":[\#(operation)]"#)
                } else if isLast {
                    try ask("apply", #","operations":[\#(operation)],"more":false"#)
                } else {
                    try client.send(
                        #"{"method":"apply","params":{"list":"large","operations":[\#(operation)],"more":true}}"#)
                }
            }
            try add(#"{"op":"appendSections","sections":[{"id":"s"}]}"#)
            for part in 0..<100 {
                let items = (part * 1_000..<(part + 1) * 1_000).map {
                    #"{"id":"item \#($0)","content":{"text":"what there is to do, number \#($0)","n":\#($0)}}"#
                }
                try add(
                    #"{"op":"appendItems","section":"s","items":[\#(items.joined(separator: ","))]}"#,
                    isLast: part == 99)
            }
            #expect(daemon.program.anonymousLength > before + 10 << 20)
            switch ending {
            case .deleted, .deletedAfterManyChanges: try ask("deleteList", "")
            case .deletedForGood: try ask("deleteList", #","keep":"never""#)
            case .appliedEmpty: try ask("apply", #","snapshot":{"sections":[]}"#)
            }
            _ = try eventually(within: 60, "no more than 8 MiB above \(before) bytes") {
                daemon.program.anonymousLength < before + 8 << 20 ? true : nil
            }
            switch ending {
            case .deleted, .deletedAfterManyChanges: try ask("undeleteList", "")
            case .deletedForGood: return
            case .appliedEmpty: try ask("undo", "")
            }
            #expect(try client.reply(to: "lists").contains(#""items":100000"#))
        }

        enum Ending: CaseIterable {
            case deleted, deletedAfterManyChanges, deletedForGood, appliedEmpty
        }

        /// Otherwise the kernel merges freed pages into large pages again: as its documentation says, one small page in use is
        /// enough for a large one (`khugepaged/max_ptes_none`).
        @Test(.enabled(if: MemoryTests.areLargePagesMadeWhereWanted))
        func `no large pages are wanted where little is left of a large list`() throws {
            // As in the units.
            let daemon = try Daemon(environment: ["GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"])
            try deleteLargeList(of: daemon, "volatile")
            _ = try eventually("stretches without large pages") {
                daemon.program.heapFlags.contains { $0.contains("nh") } ? true : nil
            }
            #expect(daemon.program.heapFlags.contains { $0.contains("hg") }, "and elsewhere they are")
        }

        static let areLargePagesMadeWhereWanted =
            (try? String(contentsOfFile: "/sys/kernel/mm/transparent_hugepage/enabled", encoding: .utf8))?
            .contains("[madvise]") == true

        private func deleteLargeList(of daemon: Daemon, _ durability: String) throws {
            let client = try daemon.connect()
            for list in ["large", "small"] {
                let creation =
                    #"{"id":1,"method":"createList","params":{"list":"\#(list)","durability":"\#(durability)"}}"#
                #expect(try client.reply(to: creation).contains("result"))
            }
            let before = daemon.program.residentLength

            let content = String(repeating: "x", count: 1_000)
            for round in 0..<60 {
                // The other list's memory lies in between, so that nothing is returned automatically.
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
