import ArgumentParser
import DiffableInput

extension FieldPath: ExpressibleByArgument {
    package init?(argument: String) { self.init(ofRow: argument) }

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
