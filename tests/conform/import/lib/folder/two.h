#define FOLDER 2
