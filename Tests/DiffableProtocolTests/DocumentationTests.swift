@testable import DiffableJSON
import DiffableProtocol
import Foundation
import Testing

/// Checks the protocol's pages without a daemon. IntegrationTests runs their transcripts against one.
struct DocumentationTests {
    private static let docs = URL(filePath: #filePath).appending(path: "../../../docs").standardized

    /// The names of the pages: `protocol.md`, which links to all others, and `protocol-….md`.
    private static let names: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: docs.path)) ?? []
        return names.filter { $0.hasPrefix("protocol") && $0.hasSuffix(".md") }.sorted()
    }()

    private static func contents(of name: String) -> String {
        (try? String(contentsOf: docs.appending(path: name), encoding: .utf8)) ?? ""
    }

    private static let page: [String] = names.flatMap { name in
        contents(of: name).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test func `the overview links to every page of the protocol`() {
        let overview = Self.contents(of: "protocol.md")
        #expect(Self.names.count > 5)
        for name in Self.names where name != "protocol.md" { #expect(overview.contains("](\(name))"), "\(name)") }
    }

    @Test func `each line of a client reads as its reply says`() throws {
        var replies: [String: String] = [:]
        var count = 0
        for line in Self.page.reversed() {
            if line.hasPrefix("S: ") {
                let reply = String(line.dropFirst(3))
                switch try decodeMessage(reply) {
                case .failure(let id, let error): replies["\(id)"] = text { error.write(id: id, into: &$0) }
                case .result(let id, _): replies["\(id)"] = ""
                default: break
                }
            }
            guard line.hasPrefix("C: ") else { continue }
            count += 1
            let decoded = decodeRequest(String(line.dropFirst(3)))
            // Errors that need no list are checked here, against the exact line of the page.
            if case .failure(let error) = decoded.request {
                #expect(text { error.write(id: decoded.id, into: &$0) } == replies["\(decoded.id)"], "\(line)")
            }
        }
        #expect(count > 20)
    }

    @Test func `each error of the daemon is written as the page has it`() throws {
        for line in Self.page where line.hasPrefix("S: ") {
            let reply = String(line.dropFirst(3))
            guard case .failure(let id, let error) = try decodeMessage(reply) else { continue }
            #expect(text { error.write(id: id, into: &$0) } == reply + "\n")
        }
    }

    @Test func `the pages name every method, parameter, operation and error`() {
        let page = Self.page.joined(separator: "\n")
        for method in Method.allCases {
            #expect(page.contains("`\(method.rawValue)`"), "\(method)")
            for parameter in method.required + method.optional {
                #expect(page.contains(parameter), "\(parameter) of \(method)")
            }
        }
        for operation in OperationVerb.allCases {
            #expect(page.contains("`\(operation.name)`"), "\(operation)")
        }
        for code in WireError.Code.allCases {
            #expect(page.contains("| \(code.rawValue) | `\(code.name)` |"), "\(code)")
        }
    }
}
