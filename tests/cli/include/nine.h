#include <sub/deep.h>
#define NINE 9
