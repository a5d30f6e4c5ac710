import Diffable
import DiffableJSON
import DiffableServer
import Testing

extension Integration {
    struct ViewTests {
        /// Views of one list under random changes: after each update, a view's state equals `snapshot` with the same view at
        /// that revision, and the view of the whole list.
        ///
        /// With an even seed, everything possible runs in the background.
        private static let seeds = {
            let first = UInt64.random(in: 0...UInt64.max / 2)
            return (first..<first + UInt64(Sweep.count(6))).map { $0 }
        }()

        @Test(arguments: seeds) func `every view shows at every revision what it is of the list`(
            seed: UInt64
        ) throws {
            let daemon = try TestServer(turn: seed.isMultiple(of: 2) ? .none : IterationLimits())
            try daemon.succeed("create", "rows", "--volatile")
            let publisher = try Publisher(seed, daemon)
            for _ in 0..<10 { try publisher.change() }

            var viewers: [Viewer] = []
            for number in 0..<10 {
                let viewer = try Viewer(
                    of: "rows", in: daemon, through: number == 0 ? "{}" : publisher.rows.view())
                viewer.onGroup = publisher.expectSame
                viewers.append(viewer)
            }
            // The number of updates and of resumptions is random.
            func isEnough() -> Bool {
                publisher.groups > 150 && viewers.reduce(0) { $0 + $1.resumptions } > 2
            }
            for step in 0..<1_000 where step < 60 || !isEnough() {
                for _ in 0..<publisher.rows.number(0..<4) { try publisher.change() }
                let chosen = viewers[publisher.rows.number(1..<viewers.count)]
                switch publisher.rows.number(0..<4) {
                case 0:
                    try chosen.show(publisher.rows.view())
                    if publisher.rows.chance(30) { try chosen.show(publisher.rows.view()) }
                    if publisher.rows.chance(30) { try publisher.change() }
                case 1: try chosen.reconnect()
                default: break
                }
                for viewer in viewers {
                    try viewer.catchUp()
                    #expect(viewer.shownView == viewer.view && viewer.groupsSinceChange != 0)
                    // No visible row has changed since the last update.
                    try publisher.expectCurrent(viewer)
                }
            }
            #expect(isEnough(), "\(publisher.groups) groups")
        }

        /// Changes the list, and reads it.
        final class Publisher {
            var rows: RandomRows
            private let client: RawClient
            private let seed: UInt64
            private var revision = 0
            private var states = [Snapshot()]
            private(set) var groups = 0

            init(_ seed: UInt64, _ daemon: any Serving) throws {
                self.seed = seed
                rows = RandomRows(seed: seed)
                client = try daemon.connect()
            }

            func change() throws {
                let operations = try rows.change()
                let reply: String
                if rows.chance(3) {
                    reply = try client.reply(
                        to: #"{"id":1,"method":"apply","params":{"list":"rows","usingReloadData":true,"#
                            + #""snapshot":\#(try rows.handOver(after: states[revision]))}}"#)
                } else {
                    reply = try client.reply(
                        to: #"{"id":1,"method":"transact","params":{"list":"rows","operations":\#(operations)}}"#)
                }
                guard reply.contains(#""changed":"#) else { throw Failure("seed \(seed): \(reply)") }
                guard reply.contains(#""changed":true"#) else { return }
                revision += 1
                guard reply.member("revision") == revision else { throw Failure("seed \(seed): \(reply)") }
                states.append(rows.snapshot)
            }

            /// Checks that the viewer's state after an update is the list's.
            func expectSame(_ viewer: Viewer) throws {
                groups += 1
                try expect(viewer, at: viewer.replay.revision ?? -1)
            }

            func expectCurrent(_ viewer: Viewer) throws { try expect(viewer, at: revision) }

            private func expect(_ viewer: Viewer, at revision: Int) throws {
                let view = viewer.reproducibleView
                let reply = try client.reply(
                    to: #"{"id":1,"method":"snapshot","params":{"list":"rows","at":\#(revision),"view":\#(view)}}"#)
                let extent = viewer.replay.extent.map { #""offset":\#($0.offset),"total":\#($0.total),"# } ?? ""
                let known = #"\#(extent)"snapshot":\#(viewer.replay.snapshot.json)}}"#
                guard reply.hasSuffix(known) else {
                    let place = "seed \(seed), revision \(revision), view \(viewer.shownView)"
                    let lines = viewer.recentLines.joined(separator: "\n")
                    throw Failure("\(place): \(known) is not \(reply)\n\(lines)")
                }
                let decoded = try Array(view.utf8).withUnsafeBytes { try View(json: $0) }
                let shown = decoded.evaluate(states[revision])
                var place = viewer.replay.extent
                place?.anchor = nil
                #expect(shown.snapshot == viewer.replay.snapshot && shown.extent == place)
                // The window begins with its anchor, or with the item that replaces it.
                guard let anchor = viewer.anchor, let place, place.total > 0 else { return }
                #expect(decoded.rowsBeforeWindow(of: states[revision]).index(ofItem: anchor) == place.offset)
            }
        }
    }
}
