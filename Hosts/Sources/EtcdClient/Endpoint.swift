import Foundation
import GRPCNIOTransportHTTP2Posix

/// The address at which a member of etcd listens for clients.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    package enum Place: Hashable, Sendable {
        case name(String, port: Int)
        case address4(String, port: Int)
        case address6(String, port: Int)
        case socket(String)
    }

    package var place: Place
    package var usesTLS: Bool
    package let description: String

    /// Parses `http://10.0.0.1:2379`, `https://etcd.example:2379`, `unix:///run/etcd.sock`, or a host with an optional port.
    package init(_ text: String) throws(EndpointError) {
        description = text
        if text.hasPrefix("unix://") {
            let path = String(text.dropFirst("unix://".count))
            guard path.hasPrefix("/") else { throw EndpointError(text, "the path after unix:// must begin with /") }
            (place, usesTLS) = (.socket(path), false)
            return
        }
        let full = text.contains("://") ? text : "http://" + text
        guard let url = URLComponents(string: full), let scheme = url.scheme, var host = url.host, !host.isEmpty else {
            throw EndpointError(text, "it must be a URL such as https://10.0.0.1:2379")
        }
        guard ["http", "https"].contains(scheme) else {
            throw EndpointError(text, "it must begin with http://, https:// or unix://")
        }
        guard ["", "/"].contains(url.path), url.query == nil, url.user == nil else {
            throw EndpointError(text, "it must have only a host and a port, such as https://10.0.0.1:2379")
        }
        let port = url.port ?? 2_379
        usesTLS = scheme == "https"
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.contains(":") {
            place = .address6(host, port: port)
        } else if host.split(separator: ".").count == 4, host.allSatisfy({ $0.isNumber || $0 == "." }) {
            place = .address4(host, port: port)
        } else {
            place = .name(host, port: port)
        }
    }

    var target: any ResolvableTarget {
        switch place {
        case .name(let host, let port): .dns(host: host, port: port)
        case .address4(let host, let port): .ipv4(address: host, port: port)
        case .address6(let host, let port): .ipv6(address: host, port: port)
        // HTTP/2 requires a name for the server, but its value does not matter here.
        case .socket(let path): .unixDomainSocket(path: path, authority: "localhost")
        }
    }
}

package struct EndpointError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ endpoint: String, _ reason: String) {
        description = "--endpoints has \(endpoint.debugDescription), which cannot be used: \(reason)"
    }
}

/// The authority that etcd's certificate needs, and our own certificate: paths of PEM files.
package struct ClientCertificates: Hashable, Sendable {
    package var certificate: String?
    package var key: String?
    /// The authority; nil for the system's authorities.
    package var authority: String?

    package init(certificate: String? = nil, key: String? = nil, authority: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.authority = authority
    }

    var security: HTTP2ClientTransport.Posix.TransportSecurity {
        var tls = HTTP2ClientTransport.Posix.TransportSecurity.TLS.defaults
        if let certificate, let key {
            tls = .mTLS(
                certificateChain: [.file(path: certificate, format: .pem)],
                privateKey: .file(path: key, format: .pem))
        }
        if let authority { tls.trustRoots = .certificates([.file(path: authority, format: .pem)]) }
        return .tls(tls)
    }
}
