"""The parts of `Scripts/bench uplink`."""
