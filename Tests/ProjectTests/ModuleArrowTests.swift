import Testing

/// The arrows of ARCHITECTURE.md, with each module's permitted external imports. SwiftPM enforces the dependencies between
/// targets, but does not notice an import that is available only through another target.
@Suite struct ModuleArrowTests {
    private static let system: Set = ["Darwin", "Glibc", "Observation", "Swift", "Synchronization"]

    private static let allowed: [String: Set<String>] = [
        "Diffable": [],
        "Files": ["SystemPackage"],
        "DiffableJSON": ["Diffable"],
        "DiffableView": ["Diffable", "DiffableJSON"],
        "DiffableTerminal": ["CTerminalRestore", "DiffableView"],
        "DiffableProtocol": ["Diffable", "DiffableJSON"],
        "DiffableStore": [
            "DequeModule", "Diffable", "DiffableJSON", "Dispatch", "Files", "Foundation", "GRDB", "GRDBSQLite",
            "HashTreeCollections", "HeapModule", "Logging", "SystemPackage",
        ],
        "DiffableServer": [
            "Diffable", "DiffableJSON", "DiffableProtocol", "DiffableStore", "DequeModule", "Dispatch", "Files",
            "HeapModule", "Logging", "NIOCore", "NIOPosix",
        ],
        "DiffableClient": [
            "Diffable", "DiffableJSON", "DiffableProtocol", "Dispatch", "Foundation", "FoundationEssentials",
            "HashTreeCollections", "NIOCore", "NIOPosix",
        ],
        "Systemd": ["CSystemd", "Logging"],
        "ProcessArguments": ["CProcessArguments"],
        "TaskThreads": ["CBootTimer", "DequeModule", "Dispatch", "HeapModule", "_Concurrency"],
        "DiffableInput": ["Diffable", "DiffableJSON", "DiffableView", "Dispatch"],
        "DiffableFeed": [
            "CSQLiteGuard", "Diffable", "DiffableClient", "DiffableInput", "DiffableJSON", "Dispatch", "Files",
            "GRDBSQLite", "Systemd", "Yams",
        ],
        "DiffableWeb": [
            "Diffable", "DiffableClient", "DiffableJSON", "DiffableProtocol", "Files", "Logging", "NIOCore", "NIOHTTP1",
            "NIOPosix", "NIOWebSocket", "SystemPackage",
        ],
        "diffable-web": [
            "ArgumentParser", "CResidentMemory", "Diffable", "DiffableProtocol", "DiffableWeb", "Files", "Logging",
            "NIOCore", "ProcessArguments", "Systemd", "TaskThreads", "UnixSignals",
        ],
        "diffable-feed": [
            "ArgumentParser", "CResidentMemory", "Diffable", "DiffableClient", "DiffableFeed", "DiffableInput",
            "DiffableJSON", "DiffableProtocol", "DiffableView", "Files", "Logging", "NIOCore", "ProcessArguments",
            "Systemd", "TaskThreads", "UnixSignals",
        ],
        "diffabled": [
            "ArgumentParser", "CResidentMemory", "Diffable", "DiffableJSON", "DiffableProtocol",
            "DiffableServer", "DiffableStore", "Dispatch", "Files", "Foundation", "Logging", "NIOCore", "NIOPosix",
            "ProcessArguments", "ServiceLifecycle", "Systemd", "TaskThreads", "UnixSignals", "Yams",
        ],
        "diffablectl": [
            "ArgumentParser", "CResidentMemory", "Diffable", "DiffableClient", "DiffableInput", "DiffableJSON",
            "DiffableProtocol", "DiffableTerminal", "DiffableView", "Dispatch", "Files", "NIOCore", "ProcessArguments",
            "SystemPackage", "TaskThreads",
        ],
    ]

    @Test(arguments: SourceFile.all)
    func `a file imports only what its module may use`(file: SourceFile) throws {
        let allowed = try #require(
            Self.allowed[file.module], "the module \(file.module) has no arrows yet: give it some here")
        for line in file.code {
            guard let module = importedModule(in: line) else { continue }
            #expect(
                Self.system.contains(module) || allowed.contains(module),
                "\(file.module) does not use \(module); if it should now, say so here and in ARCHITECTURE.md")
        }
    }

    /// They are untested on macOS, but must not import anything that macOS lacks.
    @Test(arguments: SourceFile.all.filter { Self.libraries.contains($0.module) })
    func `what the libraries import from Linux alone stands under a condition`(file: SourceFile) {
        var conditions = 0
        for line in file.code.map({ $0.drop(while: \.isWhitespace) }) {
            if line.hasPrefix("#if ") { conditions += 1 }
            if line.hasPrefix("#endif") { conditions -= 1 }
            let isFromLinux = ["Glibc", "FoundationEssentials"].contains(importedModule(in: line))
            #expect(!isFromLinux || conditions > 0, "\(file): \(line)")
        }
    }

    /// HTTP is only for modules that serve browsers.
    @Test(arguments: SourceFile.all.filter { !["DiffableWeb", "diffable-web"].contains($0.module) })
    func `no other program is linked with what serves browsers`(file: SourceFile) {
        for module in file.code.compactMap(importedModule) {
            #expect(!["DiffableWeb", "NIOHTTP1", "NIOWebSocket"].contains(module), "\(file)")
        }
    }

    private static let libraries: Set = ["Diffable", "DiffableJSON", "DiffableProtocol", "DiffableClient"]

    /// `package import struct NIOCore.ByteBuffer` imports NIOCore.
    private func importedModule(in line: Substring) -> String? {
        var words = line.split(whereSeparator: \.isWhitespace).drop { $0.hasPrefix("@") }
        if let first = words.first, ["public", "package", "internal", "private"].contains(first) {
            words = words.dropFirst()
        }
        guard words.first == "import" else { return nil }
        words = words.dropFirst()
        if let kind = words.first, ["struct", "class", "enum", "protocol", "func", "var", "let"].contains(kind) {
            words = words.dropFirst()
        }
        return words.first.map { String($0.prefix { $0 != "." }) }
    }
}
