import Yams

package struct DirectorySettings: Equatable, Sendable {
    /// An absolute path. The directory may be created later.
    package var path: String
    /// The number of levels that are always listed. Deeper folders are listed on request.
    package var depth = 1
    package var order = FolderOrder()
    package var showsHidden = false
    /// The interval at which everything is read again if the kernel does not report changes; nil: only after changes.
    package var every: Duration?

    /// The daemon's usual limit of an item's level.
    package static let depthMax = 24

    package init(path: String) { self.path = path }
}

extension DirectorySettings {
    /// Reads `directory: PATH` or `directory: {path: PATH, …}`.
    init(_ mapping: inout YAMLMapping, home: String?) throws(FeedFileError) {
        guard let directory = mapping.take("directory") else { throw FeedFileError("directory is missing") }
        let path: YAMLMapping.Member
        var members: YAMLMapping?
        if case .mapping(_) = directory.node {
            var inner = try YAMLMapping(
                directory.node, of: "a directory", suchAs: "{path: ~/Downloads, depth: 2}", under: "directory")
            try inner.refuseUnknown(among: ["path", "depth", "sort", "hidden"])
            guard let named = inner.take("path") else {
                throw directory.error("the path is missing; add path: DIRECTORY")
            }
            (path, members) = (named, inner)
        } else {
            path = directory
        }
        self.init(path: try path.absolute(try path.text(), home: home))
        if let member = members?.take("depth") {
            guard let depth = Int(try member.text()), 1...Self.depthMax ~= depth else {
                throw member.error("it must be an integer from 1 to \(Self.depthMax)")
            }
            self.depth = depth
        }
        if let member = members?.take("sort") {
            let text = try member.text()
            guard let order = FolderOrder(text) else {
                let all = FolderOrder.Key.allCases.map(\.rawValue).joined(separator: ", ")
                throw member.error("\"\(text)\" is not one of \(all); put - before one of them to reverse the order")
            }
            self.order = order
        }
        if let member = members?.take("hidden") { showsHidden = try member.truth() }
        if let member = mapping.take("every") {
            every = try member.interval()
        } else if let objection = WatchedPath.objection(to: self.path) {
            throw path.error("\(self.path) \(objection): set `every` to read it periodically")
        }
    }
}
