/// The name that was probably meant, if one is within a third of the word's length of it.
///
/// Counts insertions, deletions, replacements and swapped neighbours (the restricted Damerau–Levenshtein distance),
/// without regard to case. O(length²) for each name.
func nearestName(to word: String, among names: [String]) -> String? {
    let word = Array(word.lowercased())
    let distances = names.map { (name: $0, distance: editDistance(word, Array($0.lowercased()))) }
    guard let nearest = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return nearest.distance * 3 <= max(word.count, nearest.name.count) ? nearest.name : nil
}

private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var distance = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { distance = min(distance, beforeLast[j - 1] + 1) }
            row.append(distance)
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
