import ArgumentParser
import DiffableInput

// What is read from the command line of what `DiffableInput` reads rows with.

extension FieldPath: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }

    /// The same. Throws with an example of a path if the text is not one.
    init(checking text: String) throws {
        guard let path = FieldPath(text) else {
            throw ValidationError(
                "\(text.debugDescription) is no path; a path is like .name, .owner.name or /owner/name")
        }
        self = path
    }
}

extension InputFormat: ExpressibleByArgument {
    package init?(argument: String) { self.init(named: argument) }
}

extension TimeSpan: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension OrphanRule: ExpressibleByArgument {}
