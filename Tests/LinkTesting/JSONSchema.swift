public import Testing

/// A schema of `Profiles/schema`, checked by python3-jsonschema, which is not ours to be wrong.
public struct JSONSchema {
    private let path: String

    /// The schema `Profiles/schema/<name>.schema.json`.
    public init(_ name: String) {
        path = "\(BuiltProduct.packageDirectory)/Profiles/schema/\(name).schema.json"
    }

    /// Records an issue if `json` does not conform, or if it cannot be checked.
    public func expectValid(
        _ json: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await runProcess("python3", ["-c", Self.program, path], input: json)
        #expect(
            result.exitCode == 0, "\(result.standardError)", sourceLocation: sourceLocation)
    }

    private static let program = """
        import json, os, sys
        try:
            from jsonschema import Draft202012Validator
        except ImportError:
            sys.exit("no module jsonschema of 4.0 or later: apt-get install python3-jsonschema")
        schema = json.load(open(sys.argv[1]))
        # What it may refer to, in one document with it.
        with open(os.path.join(os.path.dirname(sys.argv[1]), "direction.schema.json")) as file:
            schema.setdefault("$defs", {})["linkcond:direction"] = json.load(file)
        validator = Draft202012Validator(schema)
        errors = list(validator.iter_errors(json.load(sys.stdin)))
        for error in errors:
            print(error.json_path, error.message, file=sys.stderr)
        sys.exit(bool(errors))
        """
}
