import DiffableTerminal
import DiffableView
import Testing

@Suite struct TerminalAbilitiesTests {
    @Test(arguments: [
        (["TERM": "xterm"], Palette.Depth.sixteen), (["TERM": "xterm-256color"], .indexed),
        (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .exact), (["TERM": "xterm-kitty"], .exact),
        (["TERM": "foot-extra"], .exact), (["TERM": "xterm-direct"], .exact), (["TERM": "linux"], .sixteen),
        (["TERM": "vt220"], .none), (["TERM": "dumb", "COLORTERM": "truecolor"], .none), ([:], .none),
        (["TERM": "screen.xterm-256color"], .indexed), (["TERM": "xterm-256color", "NO_COLOR": "1"], .none),
        (["TERM": "xterm-256color", "NO_COLOR": ""], .indexed),
    ])
    func `how many colours there are comes from TERM, COLORTERM and NO_COLOR`(
        environment: [String: String], colours: Palette.Depth
    ) {
        #expect(TerminalAbilities(environment: environment).colours == colours)
    }

    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], true), (["LANG": "C"], false), ([:], false), (["LANG": "C.utf8"], true),
        (["LANG": "C.UTF-8", "LC_ALL": "POSIX"], false), (["LANG": "C", "LC_CTYPE": "en_US.UTF-8"], true),
        (["LC_ALL": "", "LANG": "en_US.UTF-8"], true),
    ])
    func `whether there is UTF-8 comes from the locale`(environment: [String: String], hasUnicode: Bool) {
        #expect(TerminalAbilities(environment: environment).hasUnicode == hasUnicode)
    }

    @Test func `the console of Linux is asked nothing, and has no mouse`() {
        let abilities = TerminalAbilities(environment: ["TERM": "linux"])
        #expect(abilities.hasCursorMotion && !abilities.takesQueries && !abilities.hasMouse)
        #expect(!abilities.attributes.contains(.italic))
        #expect(TerminalModes(abilities: abilities).queryBytes == [])
        #expect(
            TerminalModes(abilities: abilities).enteringBytes(reportsMouse: true) == Array("\u{1B}[2J\u{1B}[?7l".utf8))
    }

    @Test func `a dumb terminal takes lines only`() {
        for environment in [[:], ["TERM": ""], ["TERM": "dumb"], ["TERM": "dumb-emacs-ansi"]] {
            #expect(!TerminalAbilities(environment: environment).hasCursorMotion)
        }
    }

    @Test func `what is light or dark comes from COLORFGBG until the terminal says it`() {
        #expect(TerminalAbilities(environment: ["TERM": "rxvt", "COLORFGBG": "0;default;15"]).background == .white)
        #expect(TerminalAbilities(environment: ["TERM": "rxvt", "COLORFGBG": "15;0"]).palette.isDark)
        #expect(TerminalAbilities(environment: ["TERM": "xterm"]).palette.isDark)
    }

    /// GNU screen has no alternate screen by default.
    @Test(arguments: ["screen", "screen-256color", "xterm-256color", "linux"])
    func `at the end nothing of the picture is left on a terminal without an alternate screen`(term: String) {
        let abilities = TerminalAbilities(environment: ["TERM": term])
        let modes = TerminalModes(abilities: abilities)
        let screen = VtermScreen(columns: 40, rows: 6, hasAlternateScreen: false)
        screen.write(modes.enteringBytes(reportsMouse: true))
        var grid = Grid(columns: 40, rows: 6)
        for row in 0..<6 { grid.put("row \(row)", row: row, column: 3, Style(on: .selected)) }
        var writer = ScreenWriter(abilities: abilities)
        screen.write(writer.bytes(showing: grid))
        #expect(screen.cell(2, 3).text == "r")
        screen.write(modes.leavingBytes)
        for row in 0..<6 { for column in 0..<40 { #expect(screen.cell(row, column).text.allSatisfy { $0 == " " }) } }
        #expect(screen.cursor == Grid.Position(column: 0, row: 0))
    }

    @Test(arguments: ["xterm", "xterm-kitty", "linux", "vt100", "screen", "tmux-256color"])
    func `what is set at the start is taken back at the end`(term: String) {
        let modes = TerminalModes(abilities: TerminalAbilities(environment: ["TERM": term]))
        let entering = String(decoding: modes.enteringBytes(reportsMouse: true), as: UTF8.self)
        let leaving = String(decoding: modes.leavingBytes, as: UTF8.self)
        let on = entering.matches(of: #/\x1B\[\?(\d+)h/#).map { String($0.output.1) }
        let off = entering.matches(of: #/\x1B\[\?(\d+)l/#).map { String($0.output.1) }
        for mode in on { #expect(leaving.contains("\u{1B}[?\(mode)l")) }
        for mode in off { #expect(leaving.contains("\u{1B}[?\(mode)h")) }
        #expect(entering.contains(">1u") == leaving.contains("<u"))
    }
}
