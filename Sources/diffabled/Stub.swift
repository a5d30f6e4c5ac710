import ArgumentParser
import Configuration
import ServiceLifecycle
@main struct Daemon: ParsableCommand { func run() {} }
