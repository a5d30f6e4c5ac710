import Diffable
import DiffableJSON

/// A client's permission for a list, as in `may`.
package enum Permission: String, CaseIterable, Sendable {
    /// Read and follow it.
    case see
    /// Send requests to its handler.
    case ask
    /// Change its contents.
    case change

    /// The methods for it. A client needs one of them.
    package var methods: Set<Method> {
        switch self {
        case .see: [.snapshot, .subscribe]
        case .ask: [.perform, .propose, .expand]
        case .change: [.transact, .apply, .undo, .redo]
        }
    }
}

/// A change of a client's permissions for a list.
package struct CapabilitiesChange: Sendable, Equatable {
    package var may: Set<Permission>?
    /// The kinds of request that the list's handlers handle.
    package var handles: Set<HandlerRequestKind>?
    /// The actions that handlers named: nil for no change, `.some(nil)` if no handler named any.
    package var actions: [ActionName]??

    package init(may: Set<Permission>? = nil, handles: Set<HandlerRequestKind>? = nil, actions: [ActionName]?? = nil) {
        self.may = may
        self.handles = handles
        self.actions = actions
    }

    package var isEmpty: Bool { self == CapabilitiesChange() }
}

extension ByteWriter {
    /// `,"may":["see","ask"]`
    mutating func appendMay(_ may: Set<Permission>) {
        append(#","may":"#)
        appendArray(Permission.allCases.filter(may.contains)) { permission, writer in
            writer.appendString(permission.rawValue)
        }
    }
}

extension Decoder {
    /// Ignores permissions that only a newer daemon knows.
    mutating func may() throws(DecodingError) -> Set<Permission> {
        Set(try names("may").compactMap(Permission.init))
    }
}
