import ArgumentParser
import DiffableInput

// What is read from the command line of what `DiffableInput` reads rows with.

extension FieldPath: ExpressibleByArgument {
    /// Reads an option that names a field of rows.
    package init?(argument: String) { self.init(ofRow: argument) }

    /// Throws with an example of a path if the text is not one.
    init(checking text: String) throws {
        guard let path = FieldPath(text) else {
            throw ValidationError(
                "\(text.debugDescription) is not a path; a path is like .name, .owner.name or /owner/name, and a name with a dot in it "
                    + "is written /a.b")
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
