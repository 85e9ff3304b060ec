int inner(int n) { return n * 2; }
int (*inner_pointer(void))(int) { return inner; }
