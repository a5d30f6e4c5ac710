import Testing

/// The tests that start the real binaries. One after the other: each has a machine's two cores to itself, and none
/// waits longer than its own deadlines say.
@Suite(.serialized)
enum Integration {}
