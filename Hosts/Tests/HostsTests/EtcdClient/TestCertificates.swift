import Foundation

/// An authority and its certificates, made by openssl in a temporary directory for one test.
final class TestCertificates {
    static let path = "/usr/bin/openssl"
    static var canBeMade: Bool { FileManager.default.isExecutableFile(atPath: path) }

    private let directory: String

    init() throws {
        directory = NSTemporaryDirectory() + "certificates-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try makeAuthority("authority")
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func certificate(_ name: String) -> String { "\(directory)/\(name).pem" }
    func key(_ name: String) -> String { "\(directory)/\(name).key" }

    func makeAuthority(_ name: String) throws {
        try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            "/CN=\(name)", "-days", "30", "-keyout", key(name), "-out", certificate(name),
        ])
    }

    /// - Parameters:
    ///   - names: the names of the server, as subjectAltName.
    ///   - days: the days of validity from now; a negative number makes an expired certificate.
    func make(_ name: String, names: String, days: Int = 30) throws {
        let request = "\(directory)/\(name).request"
        try openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(name)",
            "-keyout", key(name), "-out", request,
        ])
        let extensions = "\(directory)/\(name).extensions"
        try "subjectAltName=\(names)\nextendedKeyUsage=serverAuth,clientAuth\n".write(
            toFile: extensions, atomically: true, encoding: .utf8)
        try openssl([
            "x509", "-req", "-in", request, "-CA", certificate("authority"), "-CAkey", key("authority"),
            "-CAcreateserial", "-days", "\(days)", "-extfile", extensions, "-out", certificate(name),
        ])
    }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }
}
