/// Audiences that have the same rows, in no order. One comes and goes at the same cost, however many they are.
struct AudienceGroup {
    private var audiences: [Audience] = []

    mutating func add(_ audience: Audience) {
        audience.position = audiences.count
        audiences.append(audience)
    }

    mutating func remove(_ audience: Audience) {
        guard let position = audience.position else { preconditionFailure("an audience that goes has been here") }
        audience.position = nil
        let last = audiences.removeLast()
        if last !== audience {
            audiences[position] = last
            last.position = position
        }
    }

    func forEach(_ body: (Audience) -> Void) {
        for audience in audiences { body(audience) }
    }
}
