import Diffable
import DiffableProtocol
import DiffableStore

// A client can give up methods and lists for the rest of its connection, before it forwards requests of other programs.

extension Connection {
    /// Restricts later requests of the connection, and ends its subscriptions, handlers and mirrors of other lists.
    func restrict(_ request: Request.Restrict, id: RequestID) {
        if let lists = request.lists {
            do throws(WireError) { try restrictLists(to: ListScope(lists)) } catch {
                return answer(id, .failure(error))
            }
        }
        if let methods = request.methods { allowedMethods = allowedMethods?.intersection(methods) ?? methods }
        for subscription in subscriptions { subscription.noteCapabilities() }
        for subscription in listsSubscriptions { subscription.noteAll() }
        answer(id, .success(.ping))
    }

    private func restrictLists(to lists: ListScope) throws(WireError) {
        let scope = peer.scope?.intersection(lists) ?? lists
        guard scope.numberOfPatterns <= Request.Restrict.listsMax else { throw .tooManyKept }
        let growth = scope.lengthInMemory - (peer.scope?.lengthInMemory ?? 0)
        guard growth <= quota.roomForRegistrations else {
            throw .noRoomForScope(max: hub.limits.registeredLengthMax)
        }
        quota.register(growth)
        peer.scope = scope
        for subscription in subscriptions where !peer.isInScope(subscription.list) {
            subscription.revoke(because: .givenUp(subscription.list))
        }
        hub.handlers.endOutOfScope(self)
        hub.endMirrors(of: self) { [peer] in !peer.isInScope($0) }
        // The connector sees every shared list.
        hub.connector.end(self)
    }

    /// Releases the scope's memory when the connection has ended.
    func forgetScope() {
        if let scope = peer.scope { quota.register(-scope.lengthInMemory) }
    }

    /// Whether the client has not given the method up.
    func isAllowed(_ method: Method) -> Bool { allowedMethods?.contains(method) ?? true }

    /// Whether the client may administer the daemon. A client that gave up lists may not, because the methods for that
    /// are about all lists.
    var isAdministrator: Bool { peer.isPrivileged && peer.scope == nil }

    /// The methods that this client can call.
    var callableMethods: [Method] {
        Method.allCases.filter { isAllowed($0) && (isAdministrator || !$0.isForAdministrators) }
    }
}

extension WireError {
    static func givenUp(_ method: Method) -> WireError {
        WireError(
            .permissionDenied,
            "permission denied: this connection gave up the method \(method.rawValue) (`restrict`); use another connection",
            .restrict)
    }

    fileprivate static func givenUp(_ list: ListName) -> WireError {
        WireError(
            .permissionDenied,
            "permission denied for the list \"\(list)\": this connection gave it up (`restrict`), and this subscription has ended; "
                + "use another connection", .restrict, list: list)
    }

    fileprivate static let tooManyKept = WireError(
        .invalidParams,
        "together with earlier requests, lists would leave more than \(Request.Restrict.listsMax) names and prefixes; nothing was "
            + "restricted. Use prefixes, such as \"menu*\"")

    fileprivate static func noRoomForScope(max: Int) -> WireError {
        WireError(
            .tooLarge,
            "this user's subscriptions, views, handlers and restrictions would take more than \(max) bytes (registeredLengthMax), "
                + "and nothing was restricted; end others with `unsubscribe` or `unhandle`, or ask an administrator to raise the "
                + "limit",
            limit: Limit("registeredLengthMax", max: max))
    }
}
