"""Numbers of tickets that nobody can compute: the permutation, the keys, and the commands for both."""
