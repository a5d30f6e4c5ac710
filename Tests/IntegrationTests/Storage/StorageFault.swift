import Foundation

/// A call to storage that goes wrong in the daemon, by way of Tests/Shim/storage_faults.c.
struct StorageFault {
    enum Kind: String { case write, sync, any }
    enum Action: String, CaseIterable {
        /// The daemon dies before the call, or halfway through it.
        case kill, torn
        /// Nothing of the call is done, and it fails with this.
        case inputOutput = "EIO"
        case noSpace = "ENOSPC"
        case quota = "EDQUOT"
    }

    var kind: Kind
    /// Which call of this kind, from 1.
    var number: Int
    var action: Action

    /// The library that is loaded into the daemon, made once; nil where there is no C compiler.
    static let library: String? = {
        let source = "\(Binaries.repository)/Tests/Shim/storage_faults.c"
        let compilers = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"]
        guard let compiler = compilers.first(where: { FileManager.default.isExecutableFile(atPath: $0) }),
            let directory = try? ScratchDirectory()
        else { return nil }
        kept = directory
        let library = directory.file("storage_faults.so")
        let arguments = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library, source, "-ldl"]
        guard let program = try? Program(compiler, arguments, in: directory), (try? program.wait()) == 0 else {
            return nil
        }
        return library
    }()
    private nonisolated(unsafe) static var kept: ScratchDirectory?

    /// For the daemon's environment; without a fault, calls are only counted.
    static func environment(
        _ fault: StorageFault?, kind: Kind = .any, in directory: ScratchDirectory
    ) throws -> [String: String] {
        guard let library else { throw Failure("the library of storage faults cannot be compiled") }
        var environment = [
            "LD_PRELOAD": library, "FAULT_DIRECTORY": directory.file("state"), "FAULT_LOG": directory.file("calls"),
            "FAULT_KIND": (fault?.kind ?? kind).rawValue,
        ]
        if let fault {
            environment["FAULT_AT"] = "\(fault.number)"
            environment["FAULT_ACTION"] = fault.action.rawValue
        }
        return environment
    }

    /// What the daemon asked of storage, in order.
    static func calls(in directory: ScratchDirectory) -> [Call] {
        let text = (try? String(contentsOfFile: directory.file("calls"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            return words.count == 5 ? Call(name: words[1], file: words[2], result: words[4]) : nil
        }
    }

    struct Call {
        var name: String
        var file: String
        var result: String

        var isSync: Bool { name.hasSuffix("sync") }
    }
}

extension Daemon {
    /// Starts a daemon that is to fail, and says whether it came so far as to serve.
    static func startFailing(
        _ fault: StorageFault?, kind: StorageFault.Kind = .any, in directory: ScratchDirectory
    ) throws -> (program: Program, client: RawClient?) {
        let program = try Program(
            Binaries.daemon, ["--socket", directory.file("socket"), "--state-directory", directory.file("state")],
            environment: try StorageFault.environment(fault, kind: kind, in: directory), in: directory)
        return (program, try client(of: program, in: directory))
    }

    /// Waits until the daemon accepts; nil when it has ended instead.
    static func client(of program: Program, in directory: ScratchDirectory) throws -> RawClient? {
        enum Start { case ended, accepts(RawClient) }
        let start = try eventually(within: 30, "daemon; it said: \(program.complaints)") { () -> Start? in
            if program.exitStatus() != nil { return .ended }
            return (try? RawClient(connectingTo: directory.file("socket"))).map { .accepts($0) }
        }
        if case .accepts(let client) = start { return client } else { return nil }
    }
}
