import CSystemd
import Glibc

/// A listening stream socket that the service manager opened and handed over (sd_listen_fds(3)).
package struct ListenDescriptor: Equatable, Sendable {
    package let descriptor: Int32
    /// `FileDescriptorName=` of the socket unit, or by default the unit's name.
    package let name: String

    package init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// The sockets that a program can serve.
    package enum Kind: Sendable {
        case unixStream
        /// Also sockets of IP addresses.
        case anyStream
    }

    /// Returns the sockets that the service manager passed, in the order of the socket units; empty without socket activation.
    ///
    /// Removes the variables from the environment, so that a child does not take the sockets for its own. So call this once,
    /// before the process has a second thread.
    package static func received(_ kind: Kind = .unixStream) throws(ListenDescriptorError) -> [ListenDescriptor] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count >= 0 else { throw .unreadable(error: -count) }
        defer {
            for index in 0..<Int(count) { free(names?[index]) }
            free(names)
        }
        var received: [ListenDescriptor] = []
        for index in 0..<count {
            let descriptor = ListenDescriptor(
                descriptor: SD_LISTEN_FDS_START + index,
                name: names?[Int(index)].map { String(cString: $0) } ?? "")
            let type = Int32(SOCK_STREAM.rawValue)
            let isServed =
                switch kind {
                case .unixStream: sd_is_socket_unix(descriptor.descriptor, type, 1, nil, 0)
                case .anyStream: sd_is_socket(descriptor.descriptor, AF_UNSPEC, type, 1)
                }
            guard isServed > 0 else {
                throw .notAListeningStream(name: descriptor.name)
            }
            received.append(descriptor)
        }
        return received
    }
}

/// The reason why a socket from the service manager cannot be served.
package enum ListenDescriptorError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Carries the system's error number.
    case unreadable(error: Int32)
    case notAListeningStream(name: String)

    package var description: String {
        switch self {
        case .unreadable(let error):
            "cannot read the sockets that systemd passed: \(String(cString: strerror(error)))"
        case .notAListeningStream(let name):
            "the socket \"\(name)\" that systemd passed is not a listening Unix stream socket; "
                + "its unit needs ListenStream= with a path"
        }
    }
}
