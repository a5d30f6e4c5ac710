import DiffableClient
import ProcessArguments

/// The environment of a command that runs for a list.
enum CommandEnvironment {
    /// The length of a variable at most, in bytes, with its name and the byte at its end: Linux's MAX_ARG_STRLEN.
    static let variableLengthMax = 131_071

    /// `NAME=value`: ours, without the variables of a list that we have if such a command runs us.
    static func base(socket: SocketPath) -> [String] {
        var variables = ProcessEnvironment.given().filter { !$0.key.hasPrefix("DIFFABLE_") }
        // A diffablectl in the command talks to the same daemon.
        for name in ["DIFFABLED_SOCKET", "DIFFABLE_SOCKET"] { variables[name] = socket.path }
        return variables.map { "\($0.key)=\($0.value)" }
    }
}
