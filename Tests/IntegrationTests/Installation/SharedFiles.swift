import Foundation

/// The man pages and completions of the tested programs, made once as in `make build`.
struct SharedFiles {
    static let path = "\(Binaries.directory)/share"
    var path: String { Self.path }
    private static let made = Result { try make() }

    /// Returns nil, with a message, if they cannot be made.
    init?() throws {
        guard Binaries.areInstalled("lowdown", "python3") else { return nil }
        try Self.made.get()
    }

    private static func make() throws {
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        try make(of: Binaries.directory, path)
    }

    /// Makes the files of the programs in a directory; with the argument `hosts`, the files of diffabled-etcd.
    static func make(of binaries: String, _ arguments: String...) throws {
        let script = "\(Binaries.repository)/scripts/man-pages"
        let make = try Program("/usr/bin/python3", ["-B", script, binaries] + arguments, in: ScratchDirectory())
        guard try make.wait(within: 240) == 0 else { throw Failure("scripts/man-pages: \(make.complaints)") }
    }

    /// The paths of all files, relative to this directory.
    var all: [String] { filePaths(below: path) }

    func text(of file: String) throws -> String { try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8) }
}

/// Returns the sorted paths of files below a directory.
func filePaths(below directory: String) -> [String] {
    (FileManager.default.subpaths(atPath: directory) ?? []).filter {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: "\(directory)/\($0)", isDirectory: &isDirectory)
            && !isDirectory.boolValue
    }.sorted()
}

/// Returns links of Markdown pages to missing files, each as `PAGE: LINK`.
func brokenLinks(ofPagesIn directory: String) -> [String] {
    let pages = filePaths(below: directory).filter { $0.hasSuffix(".md") }
    precondition(!pages.isEmpty, "there is no page below \(directory)")
    return pages.flatMap { page in
        let file = URL(filePath: "\(directory)/\(page)")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return ["\(page): not readable"] }
        return text.matches(of: /\]\(([^)#:\s]+)(#[^)]*)?\)/).map { String($0.1) }.filter {
            !FileManager.default.fileExists(atPath: file.deletingLastPathComponent().appending(path: $0).path)
        }.map { "\(page): \($0)" }
    }
}

extension Binaries {
    /// Whether these programs are installed; prints a message if not.
    static func areInstalled(_ programs: String...) -> Bool {
        let missing = programs.filter { !isInstalled($0) }
        if !missing.isEmpty { print("skipped: \(missing.joined(separator: ", ")) not installed") }
        return missing.isEmpty
    }
}
