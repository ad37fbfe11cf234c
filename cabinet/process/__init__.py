"""What a process of the field program has around its runtime: the service manager, signals, a screen that may
be away, and the start that waits for what it cannot do without."""
