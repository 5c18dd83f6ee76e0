//! Property tests and whole-system scripts of the agent on the simulator.
