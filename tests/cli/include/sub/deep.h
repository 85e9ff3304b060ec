struct deep { long long x; };
