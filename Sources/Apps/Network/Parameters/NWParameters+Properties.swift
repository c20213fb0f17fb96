extension NWParameters {
    /// The only interface to use.
    public var requiredInterface: NWInterface? {
        get { self[\.requiredInterface] }
        set { self[\.requiredInterface] = newValue }
    }
    /// The only kind of interface to use; `.other` permits all.
    public var requiredInterfaceType: NWInterface.InterfaceType {
        get { self[\.requiredInterfaceType] }
        set { self[\.requiredInterfaceType] = newValue }
    }
    /// The interfaces not to use.
    public var prohibitedInterfaces: [NWInterface]? {
        get { self[\.prohibitedInterfaces] }
        set { self[\.prohibitedInterfaces] = newValue }
    }
    /// The kinds of interfaces not to use.
    public var prohibitedInterfaceTypes: [NWInterface.InterfaceType]? {
        get { self[\.prohibitedInterfaceTypes] }
        set { self[\.prohibitedInterfaceTypes] = newValue }
    }
    /// Whether networks that cost money by volume are prohibited.
    public var prohibitExpensivePaths: Bool {
        get { self[\.prohibitExpensivePaths] }
        set { self[\.prohibitExpensivePaths] = newValue }
    }
    /// Whether networks in Low Data Mode are prohibited.
    public var prohibitConstrainedPaths: Bool {
        get { self[\.prohibitConstrainedPaths] }
        set { self[\.prohibitConstrainedPaths] = newValue }
    }
    /// How a connection uses several networks at the same time: with Multipath TCP, unless
    /// `.disabled`. What the connection then does is the kernel's configuration (`ip mptcp`).
    public var multipathServiceType: MultipathServiceType {
        get { self[\.multipathServiceType] }
        set { self[\.multipathServiceType] = newValue }
    }
    /// The address and port of this end.
    public var requiredLocalEndpoint: NWEndpoint? {
        get { self[\.requiredLocalEndpoint] }
        set { self[\.requiredLocalEndpoint] = newValue }
    }
    /// Whether an address and port may be used again at once (`SO_REUSEADDR`).
    public var allowLocalEndpointReuse: Bool {
        get { self[\.allowLocalEndpointReuse] }
        set { self[\.allowLocalEndpointReuse] = newValue }
    }
    /// Whether a listener accepts only hosts on the networks of its interfaces.
    public var acceptLocalOnly: Bool {
        get { self[\.acceptLocalOnly] }
        set { self[\.acceptLocalOnly] = newValue }
    }
    /// Whether to connect directly rather than by a proxy. Proxies are never used here.
    public var preferNoProxies: Bool {
        get { self[\.preferNoProxies] }
        set { self[\.preferNoProxies] = newValue }
    }
    /// The importance of the traffic. Has no effect.
    public var serviceClass: ServiceClass {
        get { self[\.serviceClass] }
        set { self[\.serviceClass] = newValue }
    }
    /// Whether expired DNS records may be used. Has no effect.
    public var expiredDNSBehavior: ExpiredDNSBehavior {
        get { self[\.expiredDNSBehavior] }
        set { self[\.expiredDNSBehavior] = newValue }
    }
    /// Whether data may be sent while connecting. Has no effect.
    public var allowFastOpen: Bool {
        get { self[\.allowFastOpen] }
        set { self[\.allowFastOpen] = newValue }
    }
    /// Whether Apple's peer-to-peer links may be used. Has no effect.
    public var includePeerToPeer: Bool {
        get { self[\.includePeerToPeer] }
        set { self[\.includePeerToPeer] = newValue }
    }
}
