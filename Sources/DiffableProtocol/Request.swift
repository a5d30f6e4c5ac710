import DiffableJSON

/// What a client asks for, with everything that can be checked without knowing the lists already checked.
///
/// What is large and not asked all the time is boxed: every request would be as large, and moving it around is part of
/// reading it.
package enum Request: Sendable {
    case hello(Hello)
    case ping
    case help
    case status
    case clients
    case reload
    case lists(Lists)
    case createList(CreateList)
    case deleteList(DeleteList)
    case undeleteList(UndeleteList)
    case renameList(RenameList)
    indirect case mirror(Mirror)
    indirect case snapshot(Snapshot)
    case transact(Transact)
    case apply(Apply)
    indirect case perform(Perform)
    indirect case propose(Propose)
    indirect case expand(Expand)
    indirect case handle(Handle)
    case unhandle(Unhandle)
    indirect case answer(Answer)
    indirect case subscribe(Subscribe)
    indirect case setView(SetView)
    case unsubscribe(Unsubscribe)
    case history(History)
    case difference(Difference)
    case undo(Undo)
    case setAccess(SetAccess)
    indirect case setSchemas(SetSchemas)
    case schemas(Schemas)
    case backup
    case restore(Restore)
    case attach(Attach)
    indirect case replicate(Replicate)
    case settle(Settle)
    case hosts(Hosts)
    case checkpoint(Checkpoint)

    package var method: Method {
        switch self {
        case .hello: .hello
        case .ping: .ping
        case .help: .help
        case .status: .status
        case .clients: .clients
        case .reload: .reload
        case .lists: .lists
        case .createList: .createList
        case .deleteList: .deleteList
        case .undeleteList: .undeleteList
        case .renameList: .renameList
        case .mirror: .mirror
        case .snapshot: .snapshot
        case .transact: .transact
        case .apply: .apply
        case .perform: .perform
        case .propose: .propose
        case .expand: .expand
        case .handle: .handle
        case .unhandle: .unhandle
        case .answer: .answer
        case .subscribe: .subscribe
        case .setView: .setView
        case .unsubscribe: .unsubscribe
        case .history: .history
        case .difference: .difference
        case .undo(let undo): undo.isRedo ? .redo : .undo
        case .setAccess: .setAccess
        case .setSchemas: .setSchemas
        case .schemas: .schemas
        case .backup: .backup
        case .restore: .restore
        case .attach: .attach
        case .replicate: .replicate
        case .settle: .settle
        case .hosts: .hosts
        case .checkpoint: .checkpoint
        }
    }

    /// Boxed, which takes an allocation; the daemon does not ask for it.
    private var parameters: any RequestParameters {
        switch self {
        case .hello(let parameters): parameters
        case .ping: Ping()
        case .help: Help()
        case .status: Status()
        case .clients: Clients()
        case .reload: Reload()
        case .lists(let parameters): parameters
        case .createList(let parameters): parameters
        case .deleteList(let parameters): parameters
        case .undeleteList(let parameters): parameters
        case .renameList(let parameters): parameters
        case .mirror(let parameters): parameters
        case .snapshot(let parameters): parameters
        case .transact(let parameters): parameters
        case .apply(let parameters): parameters
        case .perform(let parameters): parameters
        case .propose(let parameters): parameters
        case .expand(let parameters): parameters
        case .handle(let parameters): parameters
        case .unhandle(let parameters): parameters
        case .answer(let parameters): parameters
        case .subscribe(let parameters): parameters
        case .setView(let parameters): parameters
        case .unsubscribe(let parameters): parameters
        case .history(let parameters): parameters
        case .difference(let parameters): parameters
        case .undo(let undo): undo.isRedo ? Redo(undo: undo) : undo
        case .setAccess(let parameters): parameters
        case .setSchemas(let parameters): parameters
        case .schemas(let parameters): parameters
        case .backup: Backup()
        case .restore(let parameters): parameters
        case .attach(let parameters): parameters
        case .replicate(let parameters): parameters
        case .settle(let parameters): parameters
        case .hosts(let parameters): parameters
        case .checkpoint(let parameters): parameters
        }
    }

    /// Writes one whole line, whatever its length; `RequestWriter` splits long ones.
    package func write(id: RequestID, into writer: inout ByteWriter) {
        writer.beginRequest(method, id: id)
        parameters.write(into: &writer)
        writer.append("}}\n")
    }
}
