import Diffable

/// What a viewer is told when it begins.
package struct ViewerOptions: Sendable {
    package enum Picking: Sendable { case none, single, multiple }

    package var picking = Picking.none
    package var symbols = Symbols.unicode
    /// Changes are marked by their sign alone, and nothing spins.
    package var reducesMotion = false
    package var reportsMouse = true
    /// What the viewer's user says about looks.
    package var look: Content?
    /// What its user is told at first.
    package var notice: String?
    package var filter = ViewFilter()
    /// The id of a new item, which no other has.
    package var newID: @Sendable () -> ItemID = { .random() }
    /// What of a typed condition and a typed sort key the protocol knows, as JSON; what is wrong is thrown as text.
    package var condition: @Sendable (String) throws(TypingError) -> String
    package var sortKey: @Sendable (String) throws(TypingError) -> String

    package init(
        condition: @escaping @Sendable (String) throws(TypingError) -> String,
        sortKey: @escaping @Sendable (String) throws(TypingError) -> String
    ) {
        self.condition = condition
        self.sortKey = sortKey
    }
}

extension ItemID {
    /// In 25 letters and digits: two are never the same.
    fileprivate static func random() -> ItemID {
        let text = String(UInt128.random(in: 0...UInt128.max), radix: 36)
        guard let id = try? ItemID(text) else { preconditionFailure("\(text) is an id") }
        return id
    }
}

/// Why what was typed means nothing.
package struct TypingError: Error, Equatable {
    package var message: String

    package init(_ message: String) { self.message = message }
}
