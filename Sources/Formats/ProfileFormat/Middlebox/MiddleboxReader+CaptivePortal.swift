import LinkModel
import LinkUnits

extension MiddleboxReader {
    /// Reads what opens a captive portal: `until: click`, or after which time somebody clicks.
    static func captivePortal(_ fields: FieldReader) throws(ProfileError) -> CaptivePortal {
        guard let text = try fields.text("until") else {
            throw fields.error("until", "is missing; write until: click, or until: 20 s")
        }
        guard text != CaptivePortal.click else { return CaptivePortal() }
        do {
            return CaptivePortal(until: try Duration(parsing: text))
        } catch {
            throw fields.error(
                "until", "\"\(text.printable)\" is neither click nor a time, such as 20 s")
        }
    }
}
