@testable import DiffableJSON
import DiffableProtocol
import Foundation
import Testing

/// docs/protocol.md, as far as it can be checked without a daemon: IntegrationTests runs its transcripts against one.
struct DocumentationTests {
    private static let page: [String] = {
        let file = URL(filePath: #filePath).appending(path: "../../../docs/protocol.md").standardized
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }()

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
            // What can be refused without a list is refused here, with the very line that the page has.
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

    @Test func `the page names every method, parameter, operation and error`() {
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
