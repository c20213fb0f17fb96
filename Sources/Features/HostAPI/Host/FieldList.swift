import HTTPAPI
import JSONReading
import LinkModel

/// The fields of a direction, for forms.
enum FieldList {
    static var response: APIResponse {
        APIResponse([
            "fields": .array(
                ConditionField.asPacketsMeetThem.filter { !$0.isFreeText }.map { field in
                    [
                        "key": .string(field.key),
                        "scale": .text(field.scale?.rawValue),
                        "members": .texts(field.members),
                        "choices": .texts(choices[field.key] ?? []),
                        "isCommon": .bool(field.isAlwaysShown),
                    ]
                })
        ])
    }

    private static let choices: [String: [String]] = [
        "aqm": QueueManagement.allCases.map(\.rawValue),
        "distribution": Jitter.Distribution.allCases.map(\.rawValue),
        "icmp": LinkMTU.Answers.allCases.map(\.rawValue),
        "ecn": ["true", "false"],
    ]
}
