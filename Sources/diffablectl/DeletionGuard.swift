import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

/// Limits how much an `apply` may delete. If the program before it in a pipe fails, `apply` reads nothing, and must not empty a
/// list.
struct DeletionOptions: ParsableArguments {
    @Flag(help: "Empty the list if the input is empty.") var allowEmpty = false
    @Option(
        help: ArgumentHelp(
            "Change nothing if more items than this would be deleted: a number, or a share of the items such as 20%.",
            valueName: "number"))
    var maxDelete: DeletionLimit?

    var rule: DeletionRule { DeletionRule(allowsEmpty: allowEmpty, limit: maxDelete) }
}

extension DeletionLimit: ExpressibleByArgument {}

/// Checks a change by a dry run, and makes it at the checked revision only. So it cannot delete items that were added in between.
struct DeletionGuard {
    let list: ListName
    /// The section that is replaced; nil for the whole list.
    let section: SectionID?
    let options: DeletionOptions
    let ifRevision: Int?
    let count: Int

    /// The revision at which the change was checked. It does not change when the request is repeated: the change may have been
    /// made already, and then a second dry run would find no deletions.
    private var checkedRevision: Int?

    /// The number of checks if other clients keep changing the list.
    private static let attemptsMax = 20

    init(list: ListName, section: SectionID?, options: DeletionOptions, ifRevision: Int?, count: Int) {
        self.list = list
        self.section = section
        self.options = options
        self.ifRevision = ifRevision
        self.count = count
    }

    private var isNeeded: Bool { (count == 0 && !options.allowEmpty) || options.maxDelete != nil }

    struct DryRun {
        var revision: Int
        var deleted = 0
        var deletedSections = 0
        var inserted = 0
    }

    /// `trying` is a dry run; `making` makes the change, if the list is at the revision. `seesList` is asked only if the dry
    /// run was not allowed.
    mutating func apply<R>(
        trying: () async throws -> DryRun, making: (Int?) async throws -> R, seesList: () async throws -> Bool
    ) async throws -> R {
        guard isNeeded else { return try await making(ifRevision) }
        var attempts = 0
        while true {
            attempts += 1
            let revision: Int
            if let checkedRevision {
                revision = checkedRevision
            } else {
                revision = try await checkByDryRun(trying, seesList)
                checkedRevision = revision
            }
            do { return try await making(revision) } catch ClientError.refused(let refusal)
                where refusal.code == .revisionMismatch && ifRevision == nil && attempts < DeletionGuard.attemptsMax
            {
                checkedRevision = nil
            }
        }
    }

    private func checkByDryRun(
        _ trying: () async throws -> DryRun, _ seesList: () async throws -> Bool
    ) async throws -> Int {
        do {
            let trial = try await trying()
            try check(trial)
            return trial.revision
        } catch ClientError.refused(let refusal) where refusal.code == .permissionDenied {
            // A user with write access but no read access cannot make a dry run.
            if try await seesList() { throw ClientError.refused(refusal) }
            throw CommandError(
                .refused,
                options.maxDelete == nil
                    ? "the input has no items, which could delete items of \(quoted(list)); nothing was changed. To empty it, "
                        + "use --allow-empty"
                    : "--max-delete has to count the items of \(quoted(list)), which you may not read; nothing was changed. Leave "
                        + "--max-delete out, or ask the list's owner for read access")
        }
    }

    func check(_ trial: DryRun) throws(CommandError) {
        let change = DeletionRule.Change(
            deleted: trial.deleted, deletedSections: trial.deletedSections, inserted: trial.inserted)
        let place = section.map { "the section \(quoted($0)) of \(quoted(list))" } ?? quoted(list)
        do throws(DeletionRule.Refusal) { try options.rule.check(change, to: count) } catch {
            switch error {
            case .empty(let share):
                throw CommandError(
                    .refused,
                    "the input has no items, which would delete \(share) of \(place); nothing was changed. To empty it, use "
                        + "--allow-empty")
            case .tooMuch(let share, let limit):
                throw CommandError(
                    .refused,
                    "this would delete \(share) of \(place), and --max-delete allows \(limit); nothing was changed. To "
                        + "delete them, raise --max-delete")
            }
        }
    }
}

extension DeletionGuard.DryRun {
    init(_ outcome: Outcome) {
        self.init(
            revision: outcome.revision, deleted: outcome.summary?.deletedItems ?? 0,
            deletedSections: outcome.summary?.deletedSections ?? 0,
            inserted: outcome.summary?.insertedItems ?? 0)
    }

    init(_ preview: Preview) throws {
        let summary = try preview.summary
        self.init(
            revision: 0, deleted: summary.deletedItems, deletedSections: summary.deletedSections,
            inserted: summary.insertedItems)
    }
}
