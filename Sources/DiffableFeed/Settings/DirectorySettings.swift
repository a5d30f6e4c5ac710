import Yams

/// A folder whose files are the list.
package struct DirectorySettings: Equatable, Sendable {
    /// Absolute. It need not be there yet.
    package var path: String
    /// How many levels are listed without anybody asking for them.
    package var depth = 1
    package var order = FolderOrder()
    /// Whether files whose names begin with a dot are listed.
    package var showsHidden = false
    /// How often all is looked at where the kernel does not report changes; nil: only after changes.
    package var every: Duration?

    /// Items of a list have so many levels, unless its daemon is told otherwise.
    package static let depthMax = 24

    package init(path: String) { self.path = path }
}

extension DirectorySettings {
    /// Of `directory: PATH`, or `directory: {path: PATH, …}`.
    init(_ mapping: inout YAMLMapping, home: String?) throws(FeedFileError) {
        guard let directory = mapping.take("directory") else { throw FeedFileError("directory is missing") }
        let path: YAMLMapping.Member
        var members: YAMLMapping?
        if case .mapping(_) = directory.node {
            var inner = try YAMLMapping(directory.node, of: "a directory", suchAs: "{path: ~/Downloads, depth: 2}")
            try inner.refuseUnknown(among: ["path", "depth", "sort", "hidden"])
            guard let named = inner.take("path") else {
                throw directory.error("the path is missing: which directory is listed?")
            }
            (path, members) = (named, inner)
        } else {
            path = directory
        }
        self.init(path: try path.absolute(try path.text(), home: home))
        if let member = members?.take("depth") {
            guard let depth = Int(try member.text()), 1...Self.depthMax ~= depth else {
                throw member.error("it is a whole number from 1 to \(Self.depthMax)")
            }
            self.depth = depth
        }
        if let member = members?.take("sort") {
            let text = try member.text()
            guard let order = FolderOrder(text) else {
                let all = FolderOrder.Key.allCases.map(\.rawValue).joined(separator: ", ")
                throw member.error("“\(text)” is none of \(all), each with - before it to turn it round")
            }
            self.order = order
        }
        if let member = members?.take("hidden") { showsHidden = try member.truth() }
        if let member = mapping.take("every") {
            every = try member.time()
            guard let every, every >= CommandSettings.everyMin else { throw member.error("at least 100ms") }
        } else if let objection = WatchedPath.objection(to: self.path) {
            throw path.error("\(self.path) \(objection): use every")
        }
    }
}
