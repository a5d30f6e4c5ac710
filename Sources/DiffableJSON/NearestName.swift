/// The probably intended name, if one is near: at most two letters inserted, deleted, replaced or swapped, and fewer than half
/// of them. O(names · length²), for error messages only.
package func nearestName(to name: String, among names: [String]) -> String? {
    // Names are short; a long text cannot be near one.
    guard name.utf8.count <= 40 else { return nil }
    let lowercased = name.lowercased()
    let distances = names.map { (name: $0, distance: editDistance(lowercased, $0.lowercased())) }
    guard let nearest = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return nearest.distance <= 2 && nearest.distance * 2 < max(name.utf8.count, 3) ? nearest.name : nil
}

/// Levenshtein's distance, with two swapped neighbours as one step (optimal string alignment).
private func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var steps = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { steps = min(steps, beforeLast[j - 1] + 1) }
            row.append(steps)
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
