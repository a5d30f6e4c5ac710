import Foundation

/// What the daemon says afterwards of one revision.
struct HandlerAudit {
    /// Who made it, as history has it.
    let name: String?
    let handler: String?
    /// What was put at the mark.
    let mark: ReadLine.Tag?
    /// The items that have children then.
    let parents: Set<String>
    /// All that is in the list then, as JSON.
    let state: String

    /// All revisions of a list but those that are kept no more.
    static func past(of list: String, through client: RawClient) throws -> [Int: HandlerAudit] {
        let history = try ReadLine(client.reply(to: #"{"id":1,"method":"history","params":{"list":"\#(list)"}}"#))
        guard let result = history.result, let newest = result.revision, result.oldest == 0,
            let revisions = result.revisions
        else { throw Failure("the history of \(list) is cut off: \(history)") }
        let origins = Dictionary(revisions.map { ($0.revision, $0) }, uniquingKeysWith: { $1 })
        var past: [Int: HandlerAudit] = [:]
        var parents: Set<String> = []
        for revision in stride(from: 1, through: newest, by: 1) {
            let request =
                #"{"id":1,"method":"difference","params":{"list":"\#(list)","from":\#(revision - 1),"to":\#(revision)}}"#
            guard let operations = try ReadLine(client.reply(to: request)).result?.operations else {
                throw Failure("there is no difference to revision \(revision) of \(list)")
            }
            for operation in operations where operation.op == "insertItems" {
                if let parent = operation.parent { parents.insert(parent) }
            }
            // Children go all at once, and are replaced by none.
            if operations.contains(where: { $0.op == "deleteItems" }) { parents = [] }
            let mark = operations.lazy.filter { $0.op == "reconfigureItems" }.compactMap { $0.items?.first?.content }
            let origin = origins[revision]
            let snapshot = try client.reply(
                to: #"{"id":1,"method":"snapshot","params":{"list":"\#(list)","at":\#(revision)}}"#)
            guard let state = snapshot.firstRange(of: #""snapshot":"#).map({ String(snapshot[$0.upperBound...]) })
            else {
                throw Failure("there is no revision \(revision) of \(list)")
            }
            past[revision] = HandlerAudit(
                name: origin?.name, handler: origin?.handler?.name, mark: mark.first, parents: parents, state: state)
        }
        return past
    }
}
