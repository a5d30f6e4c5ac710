/// A list as it is handed over: its own content, and its sections with their items.
package struct WholeList: Sendable {
    /// `nil` is "not said": a list that is known keeps what it has. An inner `nil` is no content.
    package var content: Content??
    package var sections: [Section]

    package init(content: Content?? = nil, sections: [Section]) {
        self.content = content
        self.sections = sections
    }
}
