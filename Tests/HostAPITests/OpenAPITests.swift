import HTTPAPI
import HostAPI
import JSONReading
import LinkTesting
import Testing

/// The description and the API are the same; that it is valid OpenAPI is tested with the proxy's.
@Suite("The description of the host's API", .tags(.unit)) struct OpenAPITests {
    private static let methods = ["get", "put", "post", "patch", "delete"]

    /// Each operation of the file, with values for its parameters.
    private static func operations() async -> [(method: String, target: String, value: JSONValue)] {
        let client = PanelClient()
        _ = await client.logIn()
        let file = await client.send("GET", "/v1/openapi.json").json
        guard case .object(let paths)? = file["paths"] else { return [] }
        return paths.filter { $0.key.hasPrefix("/v1/host") }.flatMap { path in
            let target = path.key.replacing("{interface}", with: "eth0")
                .replacing("{name}", with: "default").replacing("{profile}", with: "3G")
                .replacing("{scenario}", with: "Elevator").replacing("{direction}", with: "up")
                .replacing("{id}", with: "1")
                .replacing("{pid}", with: "7")
            return methods.compactMap { method in
                path.value[method].map { (method.uppercased(), target, $0) }
            }
        }
    }

    @Test func `every operation is answered, and its statuses are those described`() async throws {
        let operations = await Self.operations()
        #expect(operations.count >= 15)
        for (method, target, value) in operations {
            let client = PanelClient()
            _ = await client.logIn()
            let body =
                value["requestBody"] == nil
                ? ""
                : target.hasSuffix("override")
                    ? "{'cost':'expensive'}"
                    : target.hasSuffix("plays") ? "{'scenario':'Elevator'}" : "{'profile':'3G'}"
            let answer = await client.send(method, target, body)
            #expect(!answer.error.hasPrefix("there is nothing"), "\(method) \(target)")
            #expect(
                value["responses"]?["\(answer.status)"] != nil, "\(method) \(target): \(answer)")
            let anonymous = await client.send(method, target, body, headers: ["cookie": ""])
            #expect(anonymous.status == 401, "\(method) \(target)")
            #expect(value["security"] != nil)
        }
    }

    @Test func `what is not described is not there`() async {
        let described = Set(await Self.operations().map { "\($0.method) \($0.target)" })
        let client = PanelClient()
        _ = await client.logIn()
        for target in Set(await Self.operations().map(\.target)) {
            for method in Self.methods.map({ $0.uppercased() })
            where !described.contains("\(method) \(target)") {
                let answer = await client.send(method, target, "{}")
                #expect(answer.status == 405, "\(method) \(target)")
            }
        }
    }
}
