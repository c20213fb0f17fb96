public import Testing

/// Which stages of `Scripts/test` a test belongs to. All functions of a suite have its tags.
///
/// A test without tags runs in the stage `host`, and in the stage `lab` too if its target is
/// `IntegrationTests` or ends in `KernelTests`.
extension Tag {
    /// Needs no privilege and nothing of the kernel, and waits for nothing: runs in the stage
    /// `unit` too, and never in `lab`.
    @Tag public static var unit: Self

    /// Must not rely on what the host's network hands on to new ones: runs in the stage `contrary`
    /// too.
    @Tag public static var contrary: Self

    /// Measures, and would be disturbed by others beside it: runs in the stage `measure`, one test
    /// at a time, in place of `host`.
    @Tag public static var measure: Self

    /// Measures as well, but only slow links that leave the processors idle: runs beside others of its
    /// kind, after those of `measure`, in place of `host`. It may belong to a suite of `measure`.
    @Tag public static var paced: Self

    /// Asks nothing of the lab's kernel that the host's has not, or what only the host's may have:
    /// is left out of the stage `lab`.
    @Tag public static var anyKernel: Self

    /// Is a program that another test starts, and no test: belongs to no stage.
    @Tag public static var program: Self

    /// Has the packet engine, a process that needs its processor in time, measured: no other lab
    /// runs beside its own.
    @Tag public static var lone: Self

    /// Takes a good part of a minute in the lab, or more: is a lab of its own there, and one of the
    /// first to start.
    @Tag public static var long: Self
}
