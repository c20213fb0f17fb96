import LinuxKernel

/// Answers requests of devices: each sees its own network and chooses another.
///
/// A device is known by the address that it asks from, which the kernel has checked by the TCP
/// handshake. Requests under any other name than the gateway's are refused: a page elsewhere could
/// have its own name lead here (DNS rebinding). A form must bring the token that its page had, and
/// that is good for that address alone, so that no other site's page can send one.
struct GatewayPage {
    /// What a form asks for.
    struct Wish: Sendable, Hashable {
        var device: HardwareAddress
        var choice: NetworkChoice
        var duration: Duration?
    }

    /// What the gateway knows of the one who asks.
    struct Visitor {
        var address: IPAddress
        /// The devices that it may see, its own first; empty if it is unknown.
        var items: [PageView.Item]
    }

    private let hosts: Set<String>
    private let offers: [NetworkChoice]
    private var tokens: [IPAddress: String] = [:]

    /// As many as there are devices; then all pages have to be loaded again.
    private static let mostTokens = 4096

    init(_ network: GatewayNetwork, offers: [NetworkChoice]) {
        let names =
            [GatewayNetwork.host]
            + network.addresses.map { $0.isIPv6 ? "[\($0)]" : "\($0)" }
        hosts = Set(names.flatMap { [$0, $0 + ":80", $0 + "."] })
        self.offers = offers
    }

    /// The answer, and what is to be done.
    mutating func answer(
        _ request: PageRequest, _ visitor: Visitor
    ) -> (PageResponse, Wish?) {
        guard let host = request.headers["host"]?.lowercased(), hosts.contains(host) else {
            return (
                Self.note(.misdirected, "This is \(GatewayNetwork.host); open it by that name."),
                nil
            )
        }
        switch (request.method, request.path) {
        case ("GET", PageView.stylePath), ("HEAD", PageView.stylePath):
            return (
                PageResponse(status: .ok, type: "text/css; charset=utf-8", body: PageView.style),
                nil
            )
        case ("GET", PageView.path), ("HEAD", PageView.path):
            return (page(visitor), nil)
        case ("POST", PageView.formPath): return submit(request, visitor, host: host)
        case ("GET", _), ("HEAD", _), ("POST", _):
            return (Self.note(.notFound, "There is no such page here."), nil)
        default: return (Self.note(.notAllowed, "That cannot be done here."), nil)
        }
    }

    private mutating func page(_ visitor: Visitor) -> PageResponse {
        guard !visitor.items.isEmpty else {
            return Self.note(
                .forbidden, "This device is not known here yet; join the network and try again.")
        }
        let view = PageView(
            items: visitor.items, offers: offers, token: token(of: visitor.address))
        return PageResponse(status: .ok, body: view.html)
    }

    private func submit(
        _ request: PageRequest, _ visitor: Visitor, host: String
    ) -> (PageResponse, Wish?) {
        if let origin = request.headers["origin"]?.lowercased(), origin != "http://\(host)" {
            return (Self.note(.forbidden, "That form is not from this page."), nil)
        }
        let form = request.form
        guard let token = tokens[visitor.address], form["token"] == token else {
            return (
                Self.note(.forbidden, "That form is too old; go back and load the page again."), nil
            )
        }
        let choices = [NetworkChoice.none] + offers
        guard let hardware = form["device"].flatMap(HardwareAddress.init),
            let number = form["profile"].flatMap({ Int($0) }), choices.indices.contains(number),
            let minutes = form["minutes"].flatMap({ Int($0) }), PageView.times.contains(minutes)
        else { return (Self.note(.badRequest, "That form has no such choice."), nil) }
        guard let item = visitor.items.first(where: { $0.hardware == hardware }) else {
            return (Self.note(.forbidden, "A device may change its own network only."), nil)
        }
        guard item.isChangeable else {
            return (Self.note(.conflict, "This device's network cannot be changed now."), nil)
        }
        return (
            PageResponse(status: .seeOther, location: PageView.path),
            Wish(
                device: hardware, choice: choices[number],
                duration: minutes == 0 ? nil : .seconds(60 * minutes))
        )
    }

    private mutating func token(of address: IPAddress) -> String {
        if let token = tokens[address] { return token }
        if tokens.count >= Self.mostTokens { tokens = [:] }
        let token = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
            .joined()
        tokens[address] = token
        return token
    }

    static func note(_ status: PageResponse.Status, _ text: String) -> PageResponse {
        PageResponse(status: status, body: PageView.note(text))
    }
}
