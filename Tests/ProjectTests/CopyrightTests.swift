import Foundation
import Testing

/// The Debian package's information on copyrights.
@Suite struct CopyrightTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    @Test func `debian/copyright names every package that is linked in`() throws {
        let copyright = try String(contentsOf: Self.root.appending(path: "debian/copyright"), encoding: .utf8)
        for file in ["Package.swift", "Hosts/Package.swift"] {
            let manifest = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
            let packages = manifest.matches(of: /url: "https:\/\/github\.com\/[^"]*\/([^"\/]+)"/).map { String($0.1) }
            #expect(packages.count > 5)
            for package in packages {
                #expect(copyright.contains("lib/\(package)") || copyright.contains("lib/etcd/\(package)"), "\(package)")
            }
        }
    }
}
