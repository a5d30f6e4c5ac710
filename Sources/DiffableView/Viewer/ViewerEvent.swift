import Diffable

/// An event for a viewer. All times are relative to its start.
package enum ViewerEvent: Sendable {
    case key(KeyPress)
    /// More keys have already been pressed after the next one.
    case keysWait
    case mouse(MouseEvent)
    case paste(String)
    case resized(columns: Int, rows: Int)
    case focused(Bool)
    case update(ViewedState, list: Int)
    /// The lists, for the home screen.
    case rows(Snapshot, list: Int)
    /// A list cannot be followed at the moment. It may be available again later.
    case absent(ListAbsence, list: Int)
    case reply(ViewerReply)
    /// The editor of `ViewerEffect.edit` has made a revision.
    case edited(list: Int, ItemID, revision: Int)
    /// A handler made a revision for a request, from the revision that the request was sent at.
    case handled(ViewerRequest, revision: Int)
    /// A part of the output of `ViewerEffect.start`, and its end with the reason if it failed.
    case output([UInt8], number: Int)
    case outputEnded(problem: String?, number: Int)
    /// Opens a list in a tab of its own.
    case open(ListName)
    case failed(String)
    case connection(isUp: Bool)
    case drawn
    /// `Viewer.deadline` has passed.
    case timer
}

package enum ListAbsence: Sendable {
    /// It was deleted or renamed. Another list with its name may be created.
    case deleted
    /// The user has lost the right to read it.
    case notReadable

    var word: String {
        switch self {
        case .deleted: "deleted"
        case .notReadable: "not readable"
        }
    }
}

package struct ViewedState: Sendable {
    package var snapshot: Snapshot
    package var extent: Window.Extent?
    package var revision: Int
    /// In another epoch, the revisions belong to a different list.
    package var epoch: String
    /// The number of its query, from `ViewerEffect.setView`; 0 for the first.
    package var queryNumber: Int
    /// A message that is shown as long as the state is, such as that a mirror or a shared list is not live.
    package var notice: String?
    /// The best match, if the viewer ranked the matches itself.
    var best: ItemID?

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

package struct ViewerReply: Sendable {
    package enum Result: Sendable {
        /// `revision` is of this viewer's own change, which `undo` undoes; `answer` is the handler's message.
        case done(revision: Int?, answer: String? = nil)
        /// Nothing was done, for this reason.
        case refused(String)
    }

    package var request: Int
    package var result: Result

    package init(request: Int, _ result: Result) {
        self.request = request
        self.result = result
    }
}
