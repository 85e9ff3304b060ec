struct mine { int a; short b; };
#define SEVEN 7
