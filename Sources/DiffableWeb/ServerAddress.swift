import Files
import Glibc
import NIOCore
import SystemPackage

// `diffable-web link` prints a URL of the server, which is another process: the server writes it to a file of the state directory.

extension LinkFile {
    private static let addressName = "address"

    /// The address of the server that is running or ran last, such as `http://127.0.0.1:8090`.
    package func serverAddress() throws(LinkError) -> String {
        let path = "\(directory)/\(Self.addressName)"
        do throws(UntrustedPath) {
            let bytes = try TrustedPath.contents(ofFile: path)
            return String(decoding: bytes.prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
        } catch {
            if error.number == ENOENT { return "http://\(ListenAddress.usual)" }
            throw .unusable(path, error.reason(for: path))
        }
    }

    /// - Parameter machine: the name to use if the server listens on all addresses.
    package func noteServerAddress(of server: WebServer, machine: String) throws(LinkError) {
        guard let address = server.addresses.first(where: { $0.port != nil }) else { return }
        let isAny = ["0.0.0.0", "::"].contains(address.ipAddress ?? "")
        let text = "http://\(isAny ? "\(machine):\(address.port ?? 0)" : address.hostAndPort)\n"
        let folder = try Self.folder(directory)
        defer { try? folder.close() }
        do throws(Errno) { try folder.replaceFile(Self.addressName, with: Array(text.utf8)) } catch {
            throw .unusable(directory, error.description)
        }
    }
}

extension SocketAddress {
    /// As in a URL: `127.0.0.1:8090`, `[::1]:8090`.
    package var hostAndPort: String {
        let host = ipAddress ?? pathname ?? ""
        guard let port else { return host }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
