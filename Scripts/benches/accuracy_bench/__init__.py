"""The parts of `Scripts/bench accuracy`."""
