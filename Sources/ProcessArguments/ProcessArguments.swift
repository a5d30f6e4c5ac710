import CProcessArguments

/// The command line of the program.
package enum ProcessArguments {
    /// Returns the arguments without the program's name, even if the environment was changed before `main`. A daemon that missed
    /// its options would serve the default directory.
    package static func given() -> [String] {
        var arguments: [String] = []
        var next = process_arguments()
        while let argument = next?.pointee {
            arguments.append(String(cString: argument))
            next = next?.advanced(by: 1)
        }
        return Array(arguments.dropFirst())
    }

    /// Returns the number of the first argument that is not valid UTF-8, counted from 1, or nil. `given` replaces its invalid
    /// bytes, so it no longer names the intended file.
    package static func firstUnreadable() -> Int? {
        var next = process_arguments()
        var number = 0
        while let argument = next?.pointee {
            if String(validatingCString: argument) == nil { return number }
            next = next?.advanced(by: 1)
            number += 1
        }
        return nil
    }
}
