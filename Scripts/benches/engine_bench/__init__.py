"""The parts of `Scripts/bench engine`."""
