"""The parts of `Scripts/bench trace`."""
