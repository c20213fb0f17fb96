import Foundation
import FoundationNetworking
import NetworkPathSession

/// The notes of an account on the server.
struct NoteServer: Sendable {
    private let account: URL
    private let session: NetworkSession

    init(_ account: URL) {
        self.account = account
        var configuration = NetworkSession.Configuration.ephemeral
        configuration.waitsForConnectivity = true
        session = NetworkSession(configuration: configuration)
    }

    /// Fetches the notes that the folder lacks; false if something is missing.
    func fetch(into folder: NoteFolder) async -> Bool {
        do {
            let names = try JSONDecoder().decode([String].self, from: await get(account))
            for name in names where !name.contains("/") {
                try folder.keep(
                    .init(name: name, text: await get(account.appending(path: name))))
            }
            return true
        } catch {
            say("cannot fetch: \(error.localizedDescription)")
            return false
        }
    }

    /// Sends the notes that the server does not have; false if one is missing afterwards.
    @discardableResult
    func upload(_ folder: NoteFolder) async -> Bool {
        var isComplete = true
        for note in folder.unsentNotes() {
            var request = NetworkRequest(url: account.appending(path: note.name))
            request.urlRequest.httpMethod = "PUT"
            let reply = try? await session.upload(for: request, from: note.text)
            guard let reply, isSuccess(reply.1) else {
                say("\(note.name): not sent")
                isComplete = false
                continue
            }
            folder.markSent(note)
            say("\(note.name): sent")
        }
        return isComplete
    }

    private func get(_ url: URL) async throws -> Data {
        let (data, response) = try await session.data(from: url)
        guard isSuccess(response) else { throw URLError(.badServerResponse) }
        return data
    }

    private func isSuccess(_ response: URLResponse) -> Bool {
        200..<300 ~= (response as? HTTPURLResponse)?.statusCode ?? 0
    }
}
