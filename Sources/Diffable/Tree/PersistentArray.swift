protocol PageElement: Sendable {
    associatedtype Page: ElementPage where Page.Element == Self

    /// The value of elements that were never written.
    static var filler: Self { get }
    /// The number of elements on a page, as a power of two.
    static var pageBits: Int { get }
    /// Whether elements start with a reference, which is their only one. Otherwise they have none. If true, their pages
    /// call `releaseReferences` in their `deinit`.
    static var beginsWithReference: Bool { get }
}

extension PageElement {
    static var pageCount: Int { 1 << pageBits }
}

/// An array of any size that shares equal pages with its copies.
///
/// Reading and writing an element cost O(log n). A write copies only pages that another copy shares. A page of elements
/// that were never written takes no memory.
struct PersistentArray<Element: PageElement>: Sendable {
    private var pages = PageTrie<Element.Page>()

    subscript(index: Int) -> Element {
        get {
            guard let page = pages.page(at: index >> Element.pageBits) else { return .filler }
            defer { withExtendedLifetime(pages) {} }
            return page._withUnsafeGuaranteedRef { $0.elements[index & (Element.pageCount - 1)] }
        }
        set { writable(at: index).pointee = newValue }
    }

    /// The address of an element for writing. Valid until another element is written, while the array is not copied.
    mutating func writable(at index: Int) -> UnsafeMutablePointer<Element> {
        pages.writablePage(at: index >> Element.pageBits)._withUnsafeGuaranteedRef {
            $0.elements + index & (Element.pageCount - 1)
        }
    }

    /// The address of an element for reading. Nil if its page was never written. Valid while this array is retained.
    func readable(at index: Int) -> UnsafeMutablePointer<Element>? {
        pages.page(at: index >> Element.pageBits)?._withUnsafeGuaranteedRef {
            $0.elements + index & (Element.pageCount - 1)
        }
    }

    /// Calls the body for each page that the two do not share, in ascending order, with the index of its first element,
    /// the old elements and the new ones. `nil` is a page of fillers. The pointers are valid within the body. O(d · log
    /// n) for d such pages.
    func forEachUnsharedPage(
        from old: PersistentArray, _ body: (Int, UnsafePointer<Element>?, UnsafePointer<Element>?) -> Void
    ) {
        pages.forEachDifference(from: old.pages) { number, oldPage, page in
            body(number << Element.pageBits, oldPage.map(Self.elements), page.map(Self.elements))
        }
    }

    private static func elements(_ page: Unmanaged<Element.Page>) -> UnsafePointer<Element> {
        page._withUnsafeGuaranteedRef { UnsafePointer($0.elements) }
    }
}

/// A page of a `PersistentArray`, in one allocation.
///
/// May be written only by an array with the sole reference to it. A protocol for the same reason as `LendingPage`.
protocol ElementPage: TriePage {
    associatedtype Element: PageElement

    /// An uninitialized page with room for all elements.
    static func makeEmpty() -> Self
    /// Valid while this page is retained.
    var elements: UnsafeMutablePointer<Element> { get }
}

extension ElementPage {
    static func make() -> Self {
        let page = makeEmpty()
        page.elements.initialize(repeating: .filler, count: Element.pageCount)
        return page
    }

    func copy() -> Self {
        let page = Self.makeEmpty()
        UnsafeMutableRawPointer(page.elements).copyMemory(
            from: elements, byteCount: Element.pageCount * MemoryLayout<Element>.stride)
        if Element.beginsWithReference { retainReferences(page.elements, count: Element.pageCount) }
        return page
    }
}
