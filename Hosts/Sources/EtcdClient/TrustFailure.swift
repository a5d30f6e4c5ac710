import NIOSSL

/// The reason why a TLS connection to etcd failed, with its remedy.
struct TrustFailure: Error, Hashable, CustomStringConvertible {
    let description: String

    /// Returns nil for an error that is not a TLS error.
    init?(_ error: any Error) {
        let text = "\(error)"
        if text.contains("alidate hostname") || (error as? NIOSSLExtraError) == .failedToValidateHostname {
            description = """
                the certificate of etcd is for another name: use a name or an address in --endpoints that the certificate \
                has (subjectAltName)
                """
        } else if text.contains("CERTIFICATE_VERIFY_FAILED") {
            description = """
                the certificate of etcd is not accepted: it has expired, or the CA of --cacert (by default, the system's CAs) \
                has not signed it
                """
        } else if ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "EOF during handshake"].contains(where: text.contains) {
            description = "what listens there speaks no TLS: use http:// in --endpoints, or give etcd a certificate"
        } else if let alert = ["CERTIFICATE_REQUIRED", "BAD_CERTIFICATE", "UNKNOWN_CA", "CERTIFICATE_EXPIRED"].first(
            where: { text.contains($0) })
        {
            description = """
                etcd does not accept this client's certificate (\(alert)): use --cert and --key with a certificate that has \
                not expired and that the CA in etcd's --trusted-ca-file has signed
                """
        } else if error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError {
            description = "no secure connection: \(text)"
        } else {
            return nil
        }
    }

    private init(_ description: String) { self.description = description }
}

extension TrustFailure {
    /// Returns a problem of the certificate files themselves, which can be reported before connecting.
    static func ofFiles(_ certificates: ClientCertificates, at time: Int) -> TrustFailure? {
        for (option, path) in [("--cert", certificates.certificate), ("--cacert", certificates.authority)] {
            guard let path else { continue }
            guard let found = try? NIOSSLCertificate.fromPEMFile(path), !found.isEmpty else {
                return TrustFailure("\(option) \(path) cannot be read by this user, or has no PEM certificate")
            }
            // One of several authorities may have expired.
            guard let last = found.map({ Int($0.notValidAfter) }).max(), last >= time else {
                return TrustFailure("\(option) \(path) has expired: renew it, and start diffabled-etcd again")
            }
            if option == "--cert", let first = found.first, Int(first.notValidBefore) > time {
                return TrustFailure(
                    "\(option) \(path) is not valid yet: check this host's clock, or use another certificate")
            }
        }
        guard let path = certificates.key else { return nil }
        guard let key = try? NIOSSLPrivateKey(file: path, format: .pem) else {
            return TrustFailure("--key \(path) cannot be read by this user, or is not a PEM key without a passphrase")
        }
        if let certificate = certificates.certificate, !isKey(key, of: certificate) {
            return TrustFailure(
                "--key \(path) is not the key of --cert \(certificate): use two files that belong together")
        }
        return nil
    }

    private static func isKey(_ key: NIOSSLPrivateKey, of path: String) -> Bool {
        guard let chain = try? NIOSSLCertificate.fromPEMFile(path) else { return false }
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        return (try? NIOSSLContext(configuration: configuration)) != nil
    }
}
