import CProcessArguments

/// What a program was told on its command line.
package enum ProcessArguments {
    /// Without the program's name, whatever became of the environment before `main`. A daemon that missed its options would
    /// serve the default place.
    package static func given() -> [String] {
        var arguments: [String] = []
        var next = process_arguments()
        while let argument = next?.pointee {
            arguments.append(String(cString: argument))
            next = next?.advanced(by: 1)
        }
        return Array(arguments.dropFirst())
    }

    /// The number of the first argument that is no UTF-8, counted from 1; nil when all are. Such a one is given with marks
    /// for what cannot be read, which would be taken for what was meant.
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
