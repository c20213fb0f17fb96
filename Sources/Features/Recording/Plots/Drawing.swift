/// A drawing over time, with its output formats.
package struct Drawing {
    /// The title above it; may be empty.
    let title: String
    /// The description for screen readers.
    let label: String
    let content: Lane

    /// The style sheet, light and dark. A page with many drawings needs it once.
    package static let style = String(decoding: EmbeddedFiles.plot_css, as: UTF8.self)

    /// The drawing for a page that includes `style`.
    var figure: Markup {
        """
        <svg class="timeline" xmlns="http://www.w3.org/2000/svg" width="100%" \
        height="\(content.height)" role="img" aria-label="\(label)">
        \(content.markup)</svg>

        """
    }

    /// The drawing as a separate file.
    var svg: String {
        let top = title.isEmpty ? 14 : 42
        let file: Markup = """
            <svg class="timeline" xmlns="http://www.w3.org/2000/svg" width="100%" \
            height="\(top + content.height + 14)" role="img" aria-label="\(label)">
            <style>
            \(Markup(trusted: Self.style))</style>
            <rect class="t-ground" width="100%" height="100%"/>
            <svg x="2%" width="96%" overflow="visible">
            \("<text class=\"t-title\" y=\"26\">\(title)</text>\n", if: !title.isEmpty)\
            <svg y="\(top)" overflow="visible">
            \(content.markup)</svg></svg>
            </svg>

            """
        return file.description
    }

    /// The drawing as a separate page.
    var html: String {
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="script-src 'none'; \
            connect-src 'none'; img-src 'none'; object-src 'none'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title) - linkcond</title>
            <style>
            body { margin: 0 auto; max-width: 1100px; padding: 18px 16px 32px; }
            h1 { font: 600 18px/1.35 system-ui, sans-serif; margin: 0 0 14px; overflow-wrap: anywhere; }
            :root { color-scheme: light dark; background: #fff; color: #171a21; }
            @media (prefers-color-scheme: dark) { :root { background: #161a21; color: #e5e9f0; } }
            \(Markup(trusted: Self.style))</style>
            </head>
            <body>
            <h1>\(title)</h1>
            \(figure)</body>
            </html>

            """
        return page.description
    }
}
