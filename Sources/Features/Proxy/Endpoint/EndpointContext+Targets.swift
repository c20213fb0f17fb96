import LinuxKernel
import ProxyProtocols

extension EndpointContext {
    /// What is known of a target.
    enum Finding {
        /// These endpoints, to be tried in their order.
        case endpoints([Endpoint])
        /// Name servers have to be asked, which the caller starts.
        case question(NameLookup)
        /// A Unix socket.
        case path(String)
    }

    /// Finds the endpoints by which a target is reached.
    ///
    /// - Parameter completion: Called with the answer to a question.
    func find(
        _ target: TargetAddress, _ files: ResolverFiles,
        completion: @escaping (Result<[Endpoint], NameFailure>, Duration) -> Void
    ) -> Finding {
        switch target {
        case .endpoint(let endpoint): return .endpoints(reachable(endpoint))
        case .local(let path): return .path(path)
        case .name(_, let port) where target.isLoopback: return .endpoints(loopback(port: port))
        case .name(let name, let port):
            func endpoints(_ addresses: [IPAddress]) -> [Endpoint] {
                addresses.flatMap { reachable(Endpoint($0, port: port)) }
            }
            let known = files.addresses(of: name)
            guard known.isEmpty else { return .endpoints(endpoints(known)) }
            return .question(
                NameLookup(name, files, self) { result, now in
                    completion(result.map(endpoints), now)
                })
        }
    }
}
