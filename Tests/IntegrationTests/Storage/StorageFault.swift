import Foundation

/// A storage call of the daemon that fails, injected by Tests/Shim/storage_faults.c.
struct StorageFault {
    enum Kind: String { case write, sync, any }
    enum Action: String, CaseIterable {
        /// The daemon dies before the call, or halfway through it.
        case kill, torn
        /// The call does nothing, and fails with this error.
        case inputOutput = "EIO"
        case noSpace = "ENOSPC"
        case quota = "EDQUOT"
        /// A limit on the length of files.
        case tooLong = "EFBIG"
        /// Half of a write is done, and the call reports that.
        case short

        /// Whether the daemon treats a write with this error as a full disk.
        var isLackOfRoom: Bool { [.noSpace, .quota, .tooLong].contains(self) }
    }

    var kind: Kind
    /// The number of the call of this kind, from 1.
    var number: Int
    var action: Action

    /// The library that is loaded into the daemon; nil without a C compiler.
    static var library: String? { shim?.path }
    private static let shim = PreloadedLibrary("storage_faults")

    /// Returns the daemon's environment; without a fault, calls are only counted.
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

    /// The daemon's storage calls, in order.
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
    /// Starts a daemon with a fault, and returns whether it began to serve.
    static func startFailing(
        _ fault: StorageFault?, kind: StorageFault.Kind = .any, in directory: ScratchDirectory
    ) throws -> (program: Program, client: RawClient?) {
        let program = try Program(
            Binaries.daemon, ["--socket", directory.file("socket"), "--state-directory", directory.file("state")],
            environment: try StorageFault.environment(fault, kind: kind, in: directory), in: directory)
        return (program, try client(of: program, in: directory))
    }

    /// Waits until the daemon accepts connections; returns nil when it has ended instead.
    static func client(of program: Program, in directory: ScratchDirectory) throws -> RawClient? {
        enum Start { case ended, accepts(RawClient) }
        let start = try eventually("daemon; it said: \(program.complaints)") { () -> Start? in
            if program.exitStatus() != nil { return .ended }
            return (try? RawClient(connectingTo: directory.file("socket"))).map { .accepts($0) }
        }
        if case .accepts(let client) = start { return client } else { return nil }
    }
}
