import Catalog
import LinuxKernel
import ProxyControl
import ProxyProtocols
import Scenarios
import UserCatalog

extension ProxyServer {
    /// Carries out a call and answers it, now or when it is done.
    func carryOut(_ call: ControlCall, for controller: Controller) {
        func answer(_ reply: ProxyReply) {
            controller.send(ControlAnswer(call.number, reply))
        }
        do throws(ControlError) {
            try carryOut(call.request, for: controller, answer)
        } catch {
            answer(.failed(error))
        }
    }

    private func carryOut(
        _ request: ProxyRequest, for controller: Controller,
        _ answer: @escaping (ProxyReply) -> Void
    ) throws(ControlError) {
        switch request {
        case .state: answer(.state(state))
        case .createListener(let request): try create(request, answer)
        case .changeListener(let name, let change):
            let served = try findListener(name)
            try self.change(served, change) { [unowned self] in
                self.tell(.listener(served.state))
                answer(.listener(served.state))
            }
        case .deleteListener(let name):
            let served = try findListener(name)
            remove(served)
            tell(.listenerDeleted(name))
            if served.link.isOwned { tell(.linkDeleted(served.link.name)) }
            answer(.done)
        case .closeConnections(let name):
            let served = try findListener(name)
            served.link.send(.resetConnections(served.number))
            answer(.listener(served.state))
        case .createLink(let request):
            let link = try makeLink(
                request.name, request.conditions, seed: request.seed, isOwned: false)
            link.whenStarted { [unowned self] error in
                if let error {
                    self.remove(link)
                    return answer(.failed(error))
                }
                self.tell(.link(link.state))
                answer(.link(link.state))
            }
        case .changeLink(let name, let change): try self.change(findLink(name), change, answer)
        case .deleteLink(let name):
            let link = try findLink(name)
            if let user = listeners.first(where: { $0.link === link }) {
                throw ControlError(
                    .linkInUse, "listener \(user.name) uses the link; delete that first")
            }
            remove(link)
            tell(.linkDeleted(name))
            answer(.done)
        case .startScenario(let name, let scenario):
            try start(scenario, on: findLink(name), answer)
        case .stopScenario(let name):
            let link = try findLink(name)
            link.scenario = nil
            tell(.link(link.state))
            answer(.link(link.state))
        case .subscribe(let interval):
            guard interval.map({ $0 >= 50 }) ?? true else {
                throw .badField("countersEvery", "counters come every 50 ms at most")
            }
            controller.isSubscribed = true
            controller.counterInterval = interval.map { .milliseconds($0) }
            countFromNow(for: controller)
            answer(.done)
        case .unsubscribe:
            controller.isSubscribed = false
            controller.counterInterval = nil
            answer(.done)
        case .serves(let address):
            api?.openAddress = address
            answer(.done)
        }
    }

    // MARK: Listeners

    private func create(
        _ request: ListenerRequest, _ answer: @escaping (ProxyReply) -> Void
    ) throws(ControlError) {
        let served = try makeListener(request)
        served.link.whenStarted { [unowned self] error in
            if let error {
                self.remove(served)
                return answer(.failed(error))
            }
            if served.link.isOwned { self.tell(.link(served.link.state)) }
            self.tell(.listener(served.state))
            answer(.listener(served.state))
        }
    }

    private func change(
        _ served: ServedListener, _ change: ListenerChange,
        _ completion: @escaping () -> Void
    ) throws(ControlError) {
        // All is checked before anything is changed.
        if let name = change.name, name != served.name { try checkNew(name) }
        if let behaviours = change.behaviours { try check(behaviours) }
        let service = change.service ?? served.service
        let address = try parse(change.address ?? "\(served.address)", for: service)
        let link = try change.link.map { name throws(ControlError) in try findLink(name) }
        if let link, link !== served.link { try link.expectAlive() }
        if let link, link !== served.link, link.isOwned {
            throw ControlError(
                .linkInUse, "link \(link.name) belongs to its listener; make one to be shared",
                field: "link")
        }
        let former = (served.service, served.behaviours, served.address)
        (served.service, served.behaviours) = (service, change.behaviours ?? served.behaviours)
        let isEnabled = change.isEnabled ?? (served.sockets != nil)
        do throws(ControlError) {
            try apply(address, isEnabled: isEnabled, to: served)
        } catch {
            (served.service, served.behaviours, served.address) = former
            throw error
        }
        if let name = change.name, name != served.name {
            tell(.listenerDeleted(served.name))
            served.name = name
            if served.link.isOwned { served.link.name = name }
        }
        guard let link, link !== served.link else { return completion() }
        try move(served, to: link, completion)
    }

    private func apply(
        _ address: ListenAddress, isEnabled: Bool, to served: ServedListener
    ) throws(ControlError) {
        guard isEnabled else {
            if served.sockets != nil { served.close() }
            served.address = address
            return
        }
        if served.sockets != nil, address == served.address {
            return served.link.send(.change(try servicePlan(of: served)))
        }
        served.address = address
        let old = served.sockets
        try served.open(try servicePlan(of: served))
        old?.close()
    }

    /// Has another link serve a listener from now on.
    private func move(
        _ served: ServedListener, to link: ServedLink, _ completion: @escaping () -> Void
    ) throws(ControlError) {
        let former = served.link
        let plan = try servicePlan(of: served)
        served.link = link
        // Otherwise both would accept clients for a moment, and the former link reset its own.
        former.end(served.number) { [unowned self] in
            if self.listeners.contains(where: { $0 === served }), served.link === link {
                served.serve(plan)
            }
            if former.isOwned {
                self.remove(former)
                self.tell(.linkDeleted(former.name))
            }
            completion()
        }
    }

    // MARK: Links

    private func change(
        _ link: ServedLink, _ change: LinkChange, _ answer: @escaping (ProxyReply) -> Void
    ) throws(ControlError) {
        let conditions = try resolve(
            change, from: (link.named.profile, link.named.settings))
        link.scenario = nil
        link.change(to: conditions) { [unowned self] error in
            if let error { return answer(.failed(error)) }
            self.tell(.link(link.state))
            answer(.link(link.state))
        }
    }

    /// Plays a scenario on a link, instead of any other.
    private func start(
        _ name: String, on link: ServedLink, _ answer: @escaping (ProxyReply) -> Void
    ) throws(ControlError) {
        try link.expectAlive()
        let scenario: Scenario
        do {
            scenario = try UserCatalog.scenarios.entry(named: name).scenario
        } catch {
            throw .badField("scenario", "\(error)")
        }
        link.scenario = LinkScenario(scenario, seed: link.seed, at: now)
        tell(.link(link.state))
        answer(.link(link.state))
    }

    // MARK: Checks

    func findListener(_ name: String) throws(ControlError) -> ServedListener {
        guard let found = listeners.first(where: { $0.name == name }) else {
            throw ControlError(.noSuchListener, "there is no listener \(name)")
        }
        return found
    }

    func findLink(_ name: String) throws(ControlError) -> ServedLink {
        guard let found = links.first(where: { $0.name == name }) else {
            throw ControlError(.noSuchLink, "there is no link \(name)", field: "link")
        }
        return found
    }

    /// Checks the name of a new listener.
    func checkNew(_ name: String) throws(ControlError) {
        guard !name.isEmpty else { throw .badField("name", "a listener needs a name") }
        guard !listeners.contains(where: { $0.name == name }) else {
            throw ControlError(
                .nameTaken, "there is a listener \(name) already; choose another name",
                field: "name")
        }
    }

    func check(_ behaviours: [StreamBehaviour]) throws(ControlError) {
        var names: Set<String> = []
        for behaviour in behaviours {
            if let problem = behaviour.problem { throw problem }
            guard names.insert(behaviour.name).inserted else {
                throw ControlError(
                    .nameTaken, "there are two behaviours \(behaviour.name)", field: "name")
            }
        }
    }

    /// Reads the address of a listener, and checks that it suits the service.
    func parse(
        _ text: String, for service: ListenerService
    ) throws(ControlError) -> ListenAddress {
        let address: ListenAddress
        do {
            address = try ListenAddress(text)
        } catch {
            throw .badField("address", "\(error)")
        }
        guard case .forward(let text) = service else {
            if case .datagram = address {
                throw .badField("address", "\(address): clients of SOCKS and HTTP connect by TCP")
            }
            return address
        }
        do {
            let target = try TargetAddress(text)
            if case .datagram = address, case .local = target {
                throw ControlError.badField("target", "UDP does not lead to a Unix socket")
            }
        } catch let error as ControlError {
            throw error
        } catch {
            throw .badField("target", "\(error)")
        }
        return address
    }
}
