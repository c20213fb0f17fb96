/// The description of linkcond's HTTP APIs, in one file.
package enum OpenAPI {
    /// The answer with the file.
    package static var response: APIResponse {
        var response = APIResponse(
            status: 200, headers: [("content-type", "application/openapi+json")])
        response.content = .bytes(EmbeddedFiles.openapi_json)
        return response
    }
}
