/* probes of the example */
#pragma D attributes Evolving/Evolving/Common provider tracetest provider
provider tracetest {
	/* a tick */
	probe test__probe(int, char *, struct timeval *now);
	probe plain();
	probe none(void); // nothing
	probe fn(int (*cb)(int, long), unsigned long long n) : (int a, int b);
};
provider other { probe one(int x); };
