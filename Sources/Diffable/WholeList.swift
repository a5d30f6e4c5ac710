/// A list as a value: its own content, and its sections with their items.
package struct WholeList: Sendable {
    /// Nil for unspecified: an existing list keeps its content. An inner nil means no content.
    package var content: Content??
    package var sections: [Section]

    package init(content: Content?? = nil, sections: [Section]) {
        self.content = content
        self.sections = sections
    }
}
