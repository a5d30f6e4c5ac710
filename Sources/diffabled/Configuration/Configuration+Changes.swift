extension Configuration {
    /// The settings that have other values than in another configuration. The socket, the state directory and who is served
    /// are not among them: these are for `StartUp` to say.
    func changes(from old: Configuration) -> [Setting] {
        Setting.allCases.filter { $0 == .access ? access != old.access : value(of: $0) != old.value(of: $0) }
    }

    /// As in the file.
    private func value(of setting: Setting) -> String? {
        switch setting {
        case .socket, .stateDirectory, .clients, .access: nil
        case .logLevel: "\(logLevel)"
        case .connectionsMax: "\(connectionsMax)"
        case .connectionsPerUserMax: "\(connectionsPerUserMax)"
        case .subscriptionsPerConnectionMax: "\(subscriptionsPerConnectionMax)"
        case .requestsPerSecondMax: "\(requestsPerSecondMax)"
        case .heldLengthMax: "\(heldLengthMax)"
        case .silentAgeMax: "\(silentAgeMax)"
        case .lineLengthMax: "\(lineLengthMax)"
        case .lineOutLengthMax: "\(lineOutLengthMax)"
        case .depthMax: "\(depthMax)"
        case .idLengthMax: "\(idLengthMax)"
        case .contentLengthMax: "\(contentLengthMax)"
        case .levelsMax: "\(levelsMax)"
        case .operationsMax: "\(operationsMax)"
        case .viewTermsMax: "\(viewTermsMax)"
        case .windowRowsMax: "\(windowRowsMax)"
        case .transactionLengthMax: "\(transactionLengthMax)"
        case .itemsMax: "\(itemsMax)"
        case .listsMax: "\(listsMax)"
        case .historyLengthMax: "\(historyLengthMax)"
        case .historyAgeMax: "\(historyAgeMax)"
        case .requestKeysMax: "\(requestKeysMax)"
        case .requestKeyAgeMax: "\(requestKeyAgeMax)"
        }
    }
}
