import Testing

@testable import diffabled

@Suite struct DefaultPlacesTests {
    @Test func `root's daemon is the system's`() throws {
        let places = DefaultPlaces(userID: 0, environment: ["HOME": "/root", "XDG_RUNTIME_DIR": "/run/user/0"])
        #expect(try places.socket() == "/run/diffabled/diffabled.sock")
        #expect(try places.stateDirectory() == "/var/lib/diffabled")
        #expect(places.configurationFile() == "/etc/diffabled/diffabled.yaml")
    }

    @Test func `a user's daemon lives in the user's directories`() throws {
        let places = DefaultPlaces(userID: 1000, environment: ["HOME": "/home/u", "XDG_RUNTIME_DIR": "/run/user/1000"])
        #expect(try places.socket() == "/run/user/1000/diffabled/diffabled.sock")
        #expect(try places.stateDirectory() == "/home/u/.local/state/diffabled")
        #expect(places.configurationFile() == "/home/u/.config/diffabled/diffabled.yaml")
    }

    @Test func `the XDG variables are respected`() throws {
        let places = DefaultPlaces(
            userID: 1000, environment: ["HOME": "/home/u", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"])
        #expect(try places.stateDirectory() == "/s/diffabled")
        #expect(places.configurationFile() == "/c/diffabled/diffabled.yaml")
    }

    @Test func `directories that systemd made win, and the first of several`() throws {
        let places = DefaultPlaces(
            userID: 990,
            environment: [
                "STATE_DIRECTORY": "/var/lib/diffabled:/var/lib/more", "RUNTIME_DIRECTORY": "/run/d",
                "CONFIGURATION_DIRECTORY": "/etc/diffabled",
            ])
        #expect(try places.stateDirectory() == "/var/lib/diffabled")
        #expect(try places.socket() == "/run/d/diffabled.sock")
        #expect(places.configurationFile() == "/etc/diffabled/diffabled.yaml")
    }

    @Test func `a relative XDG path counts as not set`() {
        let places = DefaultPlaces(userID: 1000, environment: ["XDG_RUNTIME_DIR": "run", "HOME": "home"])
        #expect(throws: ConfigurationError.noRuntimeDirectory) { try places.socket() }
        #expect(throws: ConfigurationError.noStateDirectory) { try places.stateDirectory() }
        #expect(places.configurationFile() == nil)
    }

    @Test func `a missing directory is answered with the option that helps`() {
        #expect(ConfigurationError.noRuntimeDirectory.description.contains("--socket PATH"))
        #expect(ConfigurationError.noStateDirectory.description.contains("--state-directory DIR"))
    }
}
