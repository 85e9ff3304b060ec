#define SIDES 4
struct shape { int a, b; };
typedef struct shape shape_t;
