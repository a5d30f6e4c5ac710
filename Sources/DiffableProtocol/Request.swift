import Diffable

/// What a client asks for, with everything that can be checked without knowing the lists already checked.
package enum Request: Sendable {
    case hello(Hello)
    case ping
    case help
    case status
    case lists
    case createList(CreateList)
    case deleteList(ListName)
    case snapshot(ListName)
    case transact(Transact)
    case apply(Apply)
    case subscribe(Subscribe)
    case unsubscribe(subscription: Int)

    package var method: Method {
        switch self {
        case .hello: .hello
        case .ping: .ping
        case .help: .help
        case .status: .status
        case .lists: .lists
        case .createList: .createList
        case .deleteList: .deleteList
        case .snapshot: .snapshot
        case .transact: .transact
        case .apply: .apply
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        }
    }

    package struct Hello: Sendable, Equatable {
        /// What the client calls itself.
        package var name: String?
        /// The longest line that the client reads, in bytes with its newline: `maxLine`.
        package var lineLengthMax: Int?

        package init(name: String? = nil, lineLengthMax: Int? = nil) {
            self.name = name
            self.lineLengthMax = lineLengthMax
        }
    }

    package struct CreateList: Sendable {
        package var list: ListName
        package var durability: Durability
        package var ifPresent: IfPresent

        package init(list: ListName, durability: Durability = .durable, ifPresent: IfPresent = .isError) {
            self.list = list
            self.durability = durability
            self.ifPresent = ifPresent
        }
    }

    package enum Durability: String, Sendable {
        case durable, volatile
    }

    /// What a list of that name means to `createList`.
    package enum IfPresent: Sendable {
        case isError
        /// `"ifAbsent":true`: the list that is there is the answer.
        case isKept
    }

    package struct Transact: Sendable {
        package var list: ListName
        package var operations: [Operation]
        package var ifRevision: Int?
        package var mode: Mode
        package var part: Part

        package init(
            list: ListName, operations: [Operation], ifRevision: Int? = nil, mode: Mode = .commit, part: Part = .whole
        ) {
            self.list = list
            self.operations = operations
            self.ifRevision = ifRevision
            self.mode = mode
            self.part = part
        }
    }

    package struct Apply: Sendable {
        package var list: ListName
        package var contents: Contents
        package var delivery: Delivery
        package var ifRevision: Int?
        package var mode: Mode
        package var part: Part

        package init(
            list: ListName, contents: Contents, delivery: Delivery = .difference, ifRevision: Int? = nil,
            mode: Mode = .commit, part: Part = .whole
        ) {
            self.list = list
            self.contents = contents
            self.delivery = delivery
            self.ifRevision = ifRevision
            self.mode = mode
            self.part = part
        }
    }

    package enum Contents: Sendable {
        /// The whole list.
        case snapshot([Section])
        /// One section's items.
        case items([Item], SectionID)
        /// What makes the state from nothing, as a `reset` does: the form that can be sent in parts.
        case operations([Operation], section: SectionID?)
    }

    package enum Mode: Sendable {
        case commit
        /// The answer tells the operations; nothing changes.
        case dryRun
    }

    /// How subscribers hear of it.
    package enum Delivery: Sendable {
        case difference
        /// `"usingReloadData":true`: a `reset`.
        case reload
    }

    /// A transaction that is too long for one line comes in parts, one after the other on one connection.
    package enum Part: Sendable {
        /// The line says nothing of parts: it is all there is.
        case whole
        /// `"more":true`: nothing happens before the last part.
        case more
        /// `"more":false`. It is said, so that a last part is never taken for a whole request.
        case last
    }

    package struct Subscribe: Sendable, Equatable {
        package var list: ListName
        package var duration: Duration

        package init(list: ListName, duration: Duration = .lasting) {
            self.list = list
            self.duration = duration
        }

        package enum Duration: Sendable {
            case lasting
            /// `"once":true`: the `reset`, and that is all.
            case once
        }
    }
}
