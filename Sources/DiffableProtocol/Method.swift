import DiffableJSON

extension Method {
    package var required: [String] { parameters.requiredNames }
    package var optional: [String] { parameters.optionalNames }
    package var summary: String { parameters.summary }
    /// Whether the method concerns lists, and not the daemon.
    package var needsLists: Bool { parameters.needsLists }
    /// Whether only root, the daemon's user and the connector of shared lists can use the method.
    package var isForAdministrators: Bool { parameters.isForAdministrators }

    // MARK: - Finding a method

    static func named(_ name: JSONString) -> Method? {
        // First, because nearly every request is one.
        if "transact" ~= name { return .transact }
        return index.names.number(of: name).map { index.methods[Int($0)] }
    }

    private static let index = (names: MemberNames(allCases.map(\.rawValue)), methods: allCases)
}
