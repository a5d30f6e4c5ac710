import Diffable
import DiffableProtocol
import Foundation
import TestSupport

/// Inserts items into a list with and without a lease, over several connections. No other client changes that list.
///
/// The items of the lease `L` are `L.1`, `L.2` and so on.
struct LeasingWriter {
    let participant: Participant
    let number: Int

    /// - Parameter leases: the number of connections, unless it has to finish earlier.
    func run(seed: UInt64, leases: Int) throws {
        var random = SplitMix64(seed: seed)
        for connection in 1...leases {
            guard var link = try participant.connect() else { return }
            let lease = "lease \(number)-\(connection)"
            var items = 0
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let more = Int.random(in: 1...4, using: &random)
                let ids = (items + 1...items + more).map { "\(lease).\($0)" }
                guard let name = try put(ids, isLeased: true, on: &link) else { break }
                items += more
                participant.note(.leased(lease: lease, items: items, name), in: link.life)
                if random.next() % 4 == 0 {
                    let own = "own \(number)-\(connection)-\(items)"
                    guard try put([own], isLeased: false, on: &link) != nil else { break }
                }
                usleep(UInt32.random(in: 0...20_000, using: &random))
            }
            // The connection is closed here, read to the end or not.
            link.client.close()
            usleep(UInt32.random(in: 0...20_000, using: &random))
        }
    }

    /// Returns nil when the connection is lost.
    private func put(_ ids: [String], isLeased: Bool, on link: inout Link) throws -> Chronicle.Name? {
        let items = ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
        let answer = try link.answer(
            to: #"{"id":1,"method":"transact","params":{"list":"\#(participant.list)","operations":["#
                + #"{"op":"appendItems","section":"first","items":[\#(items)]}]\#(isLeased ? #","lease":"connection""# : "")}}"#
        )
        switch answer {
        case .result(let result)?:
            let revision = try Reply.Change(json: result).revision
            return try participant.state(on: &link, at: revision)?.name
        case .failure(let error)?: throw Failure("\(ids) are refused: \(error.message)")
        case nil: return nil
        }
    }
}

/// Reads the daemon's state of each revision afterwards.
struct LeaseAudit {
    let participant: Participant

    private struct Past: Decodable {
        var revisions: [Revision]

        struct Revision: Decodable {
            var revision: Int
            var name: String?
        }
    }

    func run() throws {
        guard var link = try participant.connect() else { throw Failure("the leases are looked at too late") }
        // The daemon notices the end of a connection with a delay.
        let deadline = ContinuousClock.now + .seconds(240)
        while try items(at: nil, on: &link).items.contains(where: { !$0.key.isEmpty }), ContinuousClock.now < deadline {
            usleep(20_000)
        }
        let request = #"{"id":1,"method":"history","params":{"list":"\#(participant.list)","limit":10000}}"#
        guard case .result(let result)? = try link.answer(to: request) else { throw Failure("there is no history") }
        for revision in try JSONDecoder().decode(Past.self, from: Data(result)).revisions {
            let (state, items) = try items(at: revision.revision, on: &link)
            participant.note(.audited(state), in: link.life)
            let kept = Chronicle.Kept(name: state.name, origin: revision.name ?? "", items: items)
            participant.note(.kept(kept), in: link.life)
        }
    }

    private func items(
        at revision: Int?, on link: inout Link
    ) throws -> (state: Chronicle.State, items: [String: Int]) {
        guard let (state, json) = try participant.told(on: &link, at: revision) else {
            throw Failure("the daemon does not say what \(participant.list) is")
        }
        let ids = String(decoding: json, as: UTF8.self).matches(of: /"id":"((?:lease|own) [^"]*)"/).map { String($0.1) }
        let leases = ids.map { $0.hasPrefix("lease ") ? String($0.prefix { $0 != "." }) : "" }
        return (state, Dictionary(leases.map { ($0, 1) }, uniquingKeysWith: +))
    }
}
