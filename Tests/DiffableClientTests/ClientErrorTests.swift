import DiffableClient
import Testing

/// The words of a library, which knows no options of a program.
struct ClientErrorTests {
    @Test func `an error names what the program can do, and no option of diffablectl`() {
        let path = SocketPath("/run/d.sock")
        for error: ClientError in [
            .noSocket(lookedAt: ["/a", "/b"]), .noConnection(path, reason: "refused"), .noPermission(path),
            .untrustedSocket(path, objection: "it is a stranger's"),
        ] {
            #expect(!error.description.contains("--") && error.description.contains("Client(socket:)"), "\(error)")
        }
    }
}
