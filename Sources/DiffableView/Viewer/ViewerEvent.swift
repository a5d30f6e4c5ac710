import Diffable

/// What happens to a viewer. All times are since it began.
package enum ViewerEvent: Sendable {
    case key(KeyPress)
    /// The key that comes next is not the last one: others have been pressed already.
    case keysWait
    case mouse(MouseEvent)
    case paste(String)
    case resized(columns: Int, rows: Int)
    /// Whether keys come here and not to another window.
    case focused(Bool)
    case update(ViewedState, list: Int)
    /// A list cannot be followed at the moment. It may come back.
    case absent(ListAbsence, list: Int)
    case reply(ViewerReply)
    /// What `ViewerEffect.edit` asked for has made a revision.
    case edited(list: Int, ItemID, revision: Int)
    /// A handler made a revision for a request, from the revision that the request was sent at.
    case handled(ViewerRequest, revision: Int)
    case connection(isUp: Bool)
    /// What was to be drawn is on the screen.
    case drawn
    /// `Viewer.deadline` has come.
    case timer
}

/// Why a list cannot be followed.
package enum ListAbsence: Sendable {
    /// It was deleted or renamed. Another one of the name may come.
    case deleted
    /// Its user has lost the right to read it.
    case notReadable

    /// Before the title on a tab.
    var word: String {
        switch self {
        case .deleted: "deleted"
        case .notReadable: "not readable"
        }
    }
}

/// A state of a list, as a view of it shows it.
package struct ViewedState: Sendable {
    package var snapshot: Snapshot
    package var extent: Window.Extent?
    package var revision: Int
    /// In another epoch, revisions are those of another list.
    package var epoch: String
    /// Which of the queries it answers: that of `ViewerEffect.setView`, or 0 for the first.
    package var queryNumber: Int
    /// What is to be known of it for as long as it is shown, such as that a mirror or a shared list is not live.
    package var notice: String?

    package init(
        _ snapshot: Snapshot, extent: Window.Extent? = nil, revision: Int, epoch: String = "", queryNumber: Int = 0,
        notice: String? = nil
    ) {
        self.snapshot = snapshot
        self.extent = extent
        self.revision = revision
        self.epoch = epoch
        self.queryNumber = queryNumber
        self.notice = notice
    }
}

/// What became of a request.
package struct ViewerReply: Sendable {
    package enum Result: Sendable {
        /// - Parameters:
        ///   - revision: the one that this viewer's own change made, which `undo` undoes.
        ///   - answer: what the list's handler said to it.
        case done(revision: Int?, answer: String? = nil)
        /// Nothing was done, and why.
        case refused(String)
    }

    package var request: Int
    package var result: Result

    package init(request: Int, _ result: Result) {
        self.request = request
        self.result = result
    }
}
