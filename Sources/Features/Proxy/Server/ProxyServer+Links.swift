import Catalog
import LinkModel
import ProxyControl
import ProxyProtocols
import UserCatalog

extension ProxyServer {
    /// The conditions that a change makes of others.
    func resolve(
        _ change: LinkChange, from base: (profile: String, settings: [String])
    ) throws(ControlError) -> ServedLink.Conditions {
        let settings = change.settings ?? (change.profile == nil ? base.settings : [])
        let profile: Profile
        do {
            profile = try UserCatalog.profiles.entry(named: change.profile ?? base.profile).profile
        } catch {
            throw .badField("profile", "\(error)")
        }
        do {
            return ServedLink.Conditions(
                profile: profile.id, settings: settings,
                values: try profile.conditions(changedBy: settings),
                annotation: change.annotation)
        } catch {
            throw .badField("settings", "\(error)")
        }
    }

    /// Makes a link.
    func makeLink(
        _ name: String, _ change: LinkChange, seed: UInt64?, isOwned: Bool
    ) throws(ControlError) -> ServedLink {
        guard !name.isEmpty else { throw .badField("name", "a link needs a name") }
        guard !links.contains(where: { $0.name == name }) else {
            throw ControlError(
                .nameTaken, "there is a link \(name) already; choose another name", field: "name")
        }
        let conditions = try resolve(change, from: (plan.profile, plan.settings))
        let link = try ServedLink(
            name, conditions, seed: seed ?? firstSeed &+ madeLinks,
            isSeedGiven: seed != nil || plan.seed != nil || plan.isControllable, isOwned: isOwned,
            backend: plan.backend, mayChange: plan.isControllable, owner: self, events: events)
        madeLinks += 1
        links.append(link)
        return link
    }

    /// Opens a listener, with its link if it has none.
    func makeListener(_ request: ListenerRequest) throws(ControlError) -> ServedListener {
        let address = try parse(request.address, for: request.service)
        let name = request.name ?? "\(address)"
        try checkNew(name)
        try check(request.behaviours)
        let link: ServedLink
        if let wanted = request.link {
            link = try findLink(wanted)
            guard !link.isOwned else {
                throw ControlError(
                    .linkInUse, "link \(wanted) belongs to its listener; make one to be shared",
                    field: "link")
            }
        } else {
            link = try makeLink(
                name, request.conditions ?? LinkChange(), seed: nil, isOwned: true)
        }
        lastNumber += 1
        let made = ServedListener(
            lastNumber, name: name, service: request.service, address: address, link: link)
        made.proxyHeader = request.proxyHeader
        made.behaviours = request.behaviours
        do throws(ControlError) {
            if request.isEnabled { try made.open(try servicePlan(of: made)) }
        } catch {
            if link.isOwned { remove(link) }
            throw error
        }
        if request.name == nil { made.name = "\(made.address)" }
        if request.name == nil, link.isOwned { link.name = made.name }
        listeners.append(made)
        return made
    }

    /// Closes a listener, and its link if that is its own.
    func remove(_ served: ServedListener) {
        listeners.removeAll { $0 === served }
        served.close()
        if served.link.isOwned { remove(served.link) }
    }

    /// Ends a link.
    func remove(_ link: ServedLink) {
        links.removeAll { $0 === link }
        link.close()
        link.kill()
    }

    /// What the endpoint has to do for a listener.
    func servicePlan(of served: ServedListener) throws(ControlError) -> ServicePlan {
        var failure: String?
        let plan = served.plan { path in
            do {
                let door =
                    try self.door ?? HostDoor(self.events) { [unowned self] in self.note($0) }
                self.door = door
                return try door.door(to: path)
            } catch {
                failure = "\(error)"
                return nil
            }
        }
        if let failure {
            throw ControlError(.failed, "the way to Unix sockets cannot be opened: \(failure)")
        }
        return plan
    }
}
