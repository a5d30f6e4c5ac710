import ArgumentParser
import Diffable
import DiffableStore
import Foundation

enum OfflineTask: String, EnumerableFlag {
    case check, repair

    static func help(for task: OfflineTask) -> ArgumentHelp? {
        switch task {
        case .check: "Check the lists on disk, report damage, and exit. Changes nothing."
        case .repair: "Repair the lists on disk, keep a copy of the old files, and exit."
        }
    }

    /// The report in lines, and the exit status: 0 if everything is good now.
    func run(
        in directory: String, _ processContext: ProcessContext
    ) throws(StoreOpeningError) -> (lines: [String], status: Int32) {
        let store = OfflineStore(directory: directory)
        switch self {
        case .check:
            // Not in /tmp, which may be in memory. $TMPDIR may be accessible to root only.
            let chosen = processContext.environment["TMPDIR"].flatMap { access($0, W_OK | X_OK) == 0 ? $0 : nil }
            let examination = try store.check(scratch: chosen ?? "/var/tmp")
            let (lines, status) = Self.lines(of: examination, in: directory)
            return ((store.missingLog().map { ["warning: \($0)"] } ?? []) + lines, status)
        case .repair:
            let repair = try store.repair(keepingIn: "damaged-" + Self.timeOfDay())
            return (Self.lines(of: repair, in: directory), 0)
        }
    }

    private static func lines(of examination: StoreExamination, in directory: String) -> ([String], Int32) {
        var lines = examination.lists.map {
            "\(title(of: $0)): \($0.damage.map { "damaged: \($0); intact:" } ?? "good,") \(extent(of: $0))"
        }
        lines += examination.faults.map { "damaged: \($0)" }
        if examination.isGood {
            lines.append("\(examination.path) is good")
            return (lines, 0)
        }
        if examination.isMissing {
            lines.append(
                """
                \(examination.path) is missing, so there are no lists; put the file back, or restore it from a backup; \
                `diffabled --repair --state-directory \(directory)` makes an empty one
                """)
            return (lines, 1)
        }
        lines.append(
            "\(examination.path) is damaged; `diffabled --repair --state-directory \(directory)` saves the intact part")
        return (lines, 1)
    }

    private static func lines(of repair: OfflineStore.Repair, in directory: String) -> [String] {
        guard let kept = repair.keptIn else { return ["\(repair.found.path) is good; nothing was changed"] }
        var lines = repair.found.lists.map { list in
            "\(title(of: list)): kept, \(extent(of: list))" + (list.damage.map { "; \($0)" } ?? "")
                + (list.isReplaceable ? "; kept as a deleted list, and diffabled-etcd fetches an intact copy" : "")
        }
        lines += repair.found.faults.map { "was damaged: \($0)" }
        if repair.found.isMissing {
            lines.append("no list could be saved: \(repair.found.path) is new and empty")
        }
        lines.append("the old files are in \(kept)")
        lines.append(
            "every list except shared ones has a new epoch, so that clients read it again from the start; restart the daemon"
        )
        return lines
    }

    private static func title(of list: ExaminedList) -> String {
        list.deletion == nil ? "\(list.name)" : "\(list.name) (deleted, can be restored)"
    }

    private static func extent(of list: ExaminedList) -> String {
        let items = list.snapshot.numberOfItems
        return "\(items) item\(items == 1 ? "" : "s") at revision \(list.revision)"
    }

    /// In UTC, to a second, and without characters that a shell would require to be quoted.
    private static func timeOfDay() -> String {
        var now = time_t()
        Foundation.time(&now)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H%M%SZ", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
