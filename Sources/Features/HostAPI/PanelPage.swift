import HTTPAPI

/// The files of the panel, which are part of the program.
enum PanelPage {
    /// Nothing from anywhere else, no scripts in the page, and no page around it.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// For pages of others: no requests, and none of the rights of this server's pages.
    static var reportPolicy: String {
        String(decoding: EmbeddedFiles.report_policy_txt.dropLast(), as: UTF8.self)
    }

    static func page(isKnown: Bool) -> APIResponse {
        isKnown ? file(EmbeddedFiles.panel_html, "text/html; charset=utf-8") : refusal(nil)
    }

    /// A file that the page loads; nil if it has none of this name.
    static func part(_ name: String) -> APIResponse? {
        guard name != "panel.css" else {
            return file(EmbeddedFiles.panel_css, "text/css; charset=utf-8")
        }
        return scripts[name].map { file($0, "text/javascript; charset=utf-8") }
    }

    private static let scripts = [
        "panel.js": EmbeddedFiles.panel_js, "api.js": EmbeddedFiles.api_js,
        "card.js": EmbeddedFiles.card_js, "controls.js": EmbeddedFiles.controls_js,
        "dom.js": EmbeddedFiles.dom_js, "measure.js": EmbeddedFiles.measure_js,
        "plot.js": EmbeddedFiles.plot_js, "programs.js": EmbeddedFiles.programs_js,
        "scenarios.js": EmbeddedFiles.scenarios_js, "traces.js": EmbeddedFiles.traces_js,
        "units.js": EmbeddedFiles.units_js,
    ]

    /// The page that asks for a token.
    static func refusal(_ error: APIError?) -> APIResponse {
        let page = String(decoding: EmbeddedFiles.login_html, as: UTF8.self)
        let reason = error.map { "<p role=\"alert\">\(escaped($0.message))</p>" } ?? ""
        var response = file(
            Array(page.replacing("<!-- reason -->", with: reason).utf8), "text/html; charset=utf-8")
        response.status = error?.status ?? 401
        return response
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    private static func file(_ bytes: [UInt8], _ type: String) -> APIResponse {
        var response = APIResponse(
            status: 200,
            headers: [
                ("content-type", type), ("content-security-policy", policy),
                ("referrer-policy", "same-origin"), ("cache-control", "no-store"),
                ("cross-origin-opener-policy", "same-origin"),
                ("cross-origin-resource-policy", "same-origin"),
            ])
        response.content = .bytes(bytes)
        return response
    }
}
