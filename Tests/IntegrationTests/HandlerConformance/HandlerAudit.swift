import Foundation

/// The daemon's information on one revision, read afterwards.
struct HandlerAudit {
    /// The author in the history.
    let name: String?
    let handler: String?
    /// The content of the mark.
    let mark: ReadLine.Tag?
    /// The items that have children at the revision.
    let parents: Set<String>
    /// The whole list at the revision, as JSON.
    let state: String

    /// Returns the revisions of a list that are still kept.
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
            // Children are deleted together, and not replaced.
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
