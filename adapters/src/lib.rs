//! Everything `simplex-mcp` touches.
