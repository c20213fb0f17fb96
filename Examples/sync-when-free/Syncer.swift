import Foundation
import FoundationNetworking
import NetworkPathSession

/// Sends what the server does not have yet.
actor Syncer {
    private let folder: Folder
    private let server: URL
    private var ownSync: Task<Void, Never>?
    /// How often the folder is looked at.
    private static let interval = Duration.seconds(1)

    init(folder: Folder, server: URL) {
        (self.folder, self.server) = (folder, server)
    }

    /// What the app does by itself waits for a network that is not constrained. There is no look
    /// at the path before: the session knows when a request may go.
    private static let ownSession = {
        var configuration = NetworkSession.Configuration.ephemeral
        configuration.allowsConstrainedNetworkAccess = false
        configuration.waitsForConnectivity = true
        return NetworkSession(configuration: configuration)
    }()

    /// What the user asks for goes at once, or fails at once.
    private static let userSession = NetworkSession(configuration: .ephemeral)

    /// Sends new files from now on, when the network is free.
    func syncByItself() {
        ownSync = Task {
            while !Task.isCancelled {
                await send(by: Self.ownSession)
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Sends new files at once, whatever the network.
    func syncNow() async {
        // Else what waits would be sent a second time when the network becomes free.
        ownSync?.cancel()
        await ownSync?.value
        await send(by: Self.userSession)
        syncByItself()
    }

    private func send(by session: NetworkSession) async {
        for file in folder.newFiles() {
            var request = NetworkRequest(url: server.appending(path: file.name))
            request.urlRequest.httpMethod = "PUT"
            do throws(URLError) {
                let (_, response) = try await session.upload(for: request, fromFile: file.url)
                guard let status = (response as? HTTPURLResponse)?.statusCode,
                    200..<300 ~= status
                else {
                    say("\(file.name): the server refused it")
                    continue
                }
                folder.markSent(file)
                say("\(file.name): sent")
            } catch {
                guard error.code != .cancelled else { return }
                say("\(file.name): \(error.localizedDescription)")
            }
        }
    }
}
