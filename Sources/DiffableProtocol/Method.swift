import DiffableJSON

/// What can be asked of the daemon. The order is that of `help`.
///
/// A new method is a case here and in `Request`, and a file in `Methods/`; the compiler then asks for the lines that are
/// missing in the tables of both.
package enum Method: String, CaseIterable, Sendable {
    case hello, ping, help, status, clients, reload, lists, createList, deleteList
    case undeleteList, renameList, mirror, snapshot, transact, apply
    case perform, propose, expand, handle, unhandle, answer
    case subscribe, setView, unsubscribe, history, difference, undo, redo, setAccess, setSchemas, schemas
    case backup, restore
    case attach, hosts, replicate, settle, checkpoint

    /// The one table of what is said in a request of each method.
    var parameters: any RequestParameters.Type {
        switch self {
        case .hello: Request.Hello.self
        case .ping: Request.Ping.self
        case .help: Request.Help.self
        case .status: Request.Status.self
        case .clients: Request.Clients.self
        case .reload: Request.Reload.self
        case .lists: Request.Lists.self
        case .createList: Request.CreateList.self
        case .deleteList: Request.DeleteList.self
        case .undeleteList: Request.UndeleteList.self
        case .renameList: Request.RenameList.self
        case .mirror: Request.Mirror.self
        case .snapshot: Request.Snapshot.self
        case .transact: Request.Transact.self
        case .apply: Request.Apply.self
        case .perform: Request.Perform.self
        case .propose: Request.Propose.self
        case .expand: Request.Expand.self
        case .handle: Request.Handle.self
        case .unhandle: Request.Unhandle.self
        case .answer: Request.Answer.self
        case .subscribe: Request.Subscribe.self
        case .setView: Request.SetView.self
        case .unsubscribe: Request.Unsubscribe.self
        case .history: Request.History.self
        case .difference: Request.Difference.self
        case .undo: Request.Undo.self
        case .redo: Request.Redo.self
        case .setAccess: Request.SetAccess.self
        case .setSchemas: Request.SetSchemas.self
        case .schemas: Request.Schemas.self
        case .backup: Request.Backup.self
        case .restore: Request.Restore.self
        case .attach: Request.Attach.self
        case .hosts: Request.Hosts.self
        case .replicate: Request.Replicate.self
        case .settle: Request.Settle.self
        case .checkpoint: Request.Checkpoint.self
        }
    }

    // MARK: - What is known of a method

    /// The parameters without which a request says nothing.
    package var required: [String] { parameters.requiredNames }
    package var optional: [String] { parameters.optionalNames }
    /// What the method does, for `help`.
    package var summary: String { parameters.summary }
    /// Whether the method is about the lists that the daemon keeps, and not about the daemon.
    package var needsLists: Bool { parameters.needsLists }

    // MARK: - Finding a method

    static func named(_ name: JSONString) -> Method? {
        // Looked at first, because nearly every request is one.
        if "transact" ~= name { return .transact }
        return index.names.number(of: name).map { index.methods[Int($0)] }
    }

    private static let index = (names: MemberNames(allCases.map(\.rawValue)), methods: allCases)
}
