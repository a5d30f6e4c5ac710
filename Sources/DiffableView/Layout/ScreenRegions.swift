struct ScreenRegions: Sendable {
    /// Lines of the screen; nil without room or need.
    let tabs: Int?
    let banner: Int?
    let status: Int?
    let rows: Range<Int>

    init(_ viewport: Viewport) {
        var top = 0
        var bottom = viewport.rows
        // A problem is shown even if there is little room.
        banner = viewport.banner != nil && bottom > 1 ? 0 : nil
        if banner != nil { top += 1 }
        status = viewport.status != nil && bottom - top > 1 ? bottom - 1 : nil
        if status != nil { bottom -= 1 }
        tabs = (viewport.tabs.count > 1 || viewport.showsTitle) && bottom - top > 2 ? top : nil
        if tabs != nil { top += 1 }
        rows = top..<bottom
    }
}
