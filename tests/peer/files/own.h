struct own { int a; char name[8]; };
#define OWN 42
enum own_kind { OWN_A, OWN_B = 9 };
