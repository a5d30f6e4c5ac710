import Testing

/// The tests that start the real binaries, a few at a time (`SideBySide`).
@Suite(.sideBySide)
enum Integration {}
