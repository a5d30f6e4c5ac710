struct HandlePageHeader {
    fileprivate var count: UInt32
    fileprivate var capacity: UInt32
}

/// A leaf of a sibling tree: an ordered array of handles in one allocation.
///
/// May be written only by a tree with the sole reference to it.
final class HandlePage: ManagedBuffer<HandlePageHeader, Handle> {
    private static let step = 8

    static func make(_ handles: UnsafeBufferPointer<Handle>, besides others: Int = 0) -> HandlePage {
        // Most owners in an outline have few children.
        let needed = handles.count + others
        let capacity = needed <= step / 2 ? step / 2 : (needed + step - 1) / step * step
        let page = create(minimumCapacity: capacity) { _ in
            HandlePageHeader(count: UInt32(handles.count), capacity: UInt32(capacity))
        }
        page.withUnsafeMutablePointerToElements { elements in
            _ = UnsafeMutableBufferPointer(start: elements, count: handles.count).initialize(fromContentsOf: handles)
        }
        return unsafeDowncast(page, to: HandlePage.self)
    }

    static func make(_ handle: Handle) -> HandlePage {
        withUnsafePointer(to: handle) { make(UnsafeBufferPointer(start: $0, count: 1)) }
    }

    /// A copy with room for one more handle, because copies are made for insertions.
    func copy() -> HandlePage { .make(handles, besides: 1) }

    /// Valid while this page is retained.
    var handles: UnsafeBufferPointer<Handle> {
        withUnsafeMutablePointers { header, handles in
            UnsafeBufferPointer(start: handles, count: Int(header.pointee.count))
        }
    }

    // MARK: Writing, by the only holder

    func hasRoom(for added: Int) -> Bool {
        withUnsafeMutablePointerToHeader { Int($0.pointee.count) + added <= $0.pointee.capacity }
    }

    func insert(_ handle: Handle, at position: Int) {
        withUnsafeMutablePointers { header, handles in
            let count = Int(header.pointee.count)
            (handles + position + 1).update(from: handles + position, count: count - position)
            handles[position] = handle
            header.pointee.count += 1
        }
    }

    func append(_ added: UnsafeBufferPointer<Handle>) {
        withUnsafeMutablePointers { header, handles in
            for position in added.indices { handles[Int(header.pointee.count) + position] = added[position] }
            header.pointee.count += UInt32(added.count)
        }
    }

    func remove(at position: Int) {
        withUnsafeMutablePointers { header, handles in
            let rest = Int(header.pointee.count) - position - 1
            (handles + position).update(from: handles + position + 1, count: rest)
            header.pointee.count -= 1
        }
    }

    func truncate(to count: Int) {
        withUnsafeMutablePointerToHeader { $0.pointee.count = UInt32(count) }
    }
}
