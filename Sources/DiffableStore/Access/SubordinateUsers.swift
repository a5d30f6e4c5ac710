/// The users that subordinate ids belong to (subuid(5)). An id in a range counts towards the limits of the range's
/// user. Access rights are not affected.
package struct SubordinateUsers: Sendable, Equatable {
    private struct Range: Equatable {
        var ids: ClosedRange<UInt32>
        var user: UInt32
    }

    /// In the order of the file. If ranges overlap, the first one decides.
    private var ranges: [Range] = []
    /// Ids that count for themselves even if a range contains them: root, the daemon's user, and users with ranges.
    private var owners: Set<UInt32> = []

    package init() {}

    /// Reads lines of the form `user:first:count`. Ignores all other lines, and lines with an unknown user.
    ///
    /// A range of root or of the daemon's user counts for its first id, because a container that root started is not root.
    /// - Parameter number: returns the number of a user by name.
    package init(_ text: String, daemonUserID: UInt32, number: (String) -> UInt32?) {
        owners = [0, daemonUserID]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let first = UInt32(parts[1]), let count = UInt32(parts[2]), count > 0,
                let user = number(parts[0]) ?? UInt32(parts[0])
            else { continue }
            let (last, isTooLarge) = first.addingReportingOverflow(count - 1)
            let isPrivileged = user == 0 || user == daemonUserID
            ranges.append(Range(ids: first...(isTooLarge ? .max : last), user: isPrivileged ? first : user))
            owners.insert(user)
        }
    }

    /// The user whose limits an id counts towards. O(ranges)
    package func user(of id: UInt32) -> UInt32 {
        if ranges.isEmpty || owners.contains(id) { return id }
        return ranges.first { $0.ids.contains(id) }?.user ?? id
    }
}
