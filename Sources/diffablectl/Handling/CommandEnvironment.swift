import DiffableClient
import ProcessArguments

enum CommandEnvironment {
    /// The limit of a variable's length in bytes, with its name and the final zero: Linux's MAX_ARG_STRLEN.
    static let variableLengthMax = 131_071

    /// `NAME=value`: the environment of this process, without the list variables that it has if such a command started it.
    static func base(socket: SocketPath) -> [String] {
        var variables = ProcessEnvironment.given().filter { !$0.key.hasPrefix("DIFFABLE_") }
        // A diffablectl that the command runs uses the same daemon.
        for name in ["DIFFABLED_SOCKET", "DIFFABLE_SOCKET"] { variables[name] = socket.path }
        return variables.map { "\($0.key)=\($0.value)" }
    }
}
