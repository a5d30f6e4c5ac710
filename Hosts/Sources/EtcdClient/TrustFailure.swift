import NIOSSL

/// Why etcd and we do not trust each other, in words that say what to do.
struct TrustFailure: Error, Hashable, CustomStringConvertible {
    let description: String

    /// Nil for an error that is none of TLS.
    init?(_ error: any Error) {
        let text = "\(error)"
        if text.contains("alidate hostname") || (error as? NIOSSLExtraError) == .failedToValidateHostname {
            description = """
                the certificate of etcd is for another name: let --endpoints say a name or an address that it has \
                (subjectAltName)
                """
        } else if text.contains("CERTIFICATE_VERIFY_FAILED") {
            description = """
                the certificate of etcd is not accepted: the authority of --cacert has not signed it, or it has expired
                """
        } else if ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "EOF during handshake"].contains(where: text.contains) {
            description = "what listens there speaks no TLS: let --endpoints say http, or give etcd a certificate"
        } else if let alert = ["CERTIFICATE_REQUIRED", "BAD_CERTIFICATE", "UNKNOWN_CA", "CERTIFICATE_EXPIRED"].first(
            where: { text.contains($0) })
        {
            description = """
                etcd does not accept who we are (\(alert)): let --cert and --key say a certificate that its \
                --trusted-ca-file has signed, and that has not expired
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
    /// What is wrong with the files themselves, which is worth knowing before anybody is connected to.
    static func ofFiles(_ certificates: ClientCertificates, at time: Int) -> TrustFailure? {
        for (option, path) in [("--cert", certificates.certificate), ("--cacert", certificates.authority)] {
            guard let path else { continue }
            guard let found = try? NIOSSLCertificate.fromPEMFile(path), !found.isEmpty else {
                return TrustFailure("\(option) \(path) cannot be read, or has no certificate as PEM")
            }
            // Of several authorities one may have expired.
            guard let last = found.map({ Int($0.notValidAfter) }).max(), last >= time else {
                return TrustFailure("\(option) \(path) has expired: renew it, and start diffabled-etcd again")
            }
            if option == "--cert", let first = found.first, Int(first.notValidBefore) > time {
                return TrustFailure("\(option) \(path) is not valid yet: is this host's clock right?")
            }
        }
        if let key = certificates.key, (try? NIOSSLPrivateKey(file: key, format: .pem)) == nil {
            return TrustFailure("--key \(key) cannot be read, or is no key as PEM without a passphrase")
        }
        return nil
    }
}
