/// The profiles and scenarios that a matrix may name.
public protocol MatrixNames {
    /// An identifier of a profile, shared by all its names; throws if there is none.
    func profileID(_ name: String) throws -> String

    /// The profiles of a family; throws if there is none.
    func profiles(ofFamily family: String) throws -> [String]

    /// The scenario with this name, or those in a directory; throws if there is none.
    func scenarios(_ source: String) throws -> [MatrixScenario]

    /// Throws if `settings`, such as `down.loss=2%`, make no sense for a profile that the matrix
    /// runs; `profiles` are those of the file.
    func check(settings: [String], of profiles: [String]) throws
}
