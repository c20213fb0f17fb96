"""Parts of Scripts/bench gateway: the network, and the programs that run in it."""
