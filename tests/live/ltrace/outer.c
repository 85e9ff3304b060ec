/* A library that calls another one, itself, and libc. */
int inner(int n);
int helper(int n) { return n + 1; }
int outer(int n) { return inner(n) + helper(n); }
int jumps(int n) { return inner(n); }
