import ArgumentParser
@main struct Companion: ParsableCommand { func run() {} }
