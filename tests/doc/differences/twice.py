# Two processes that ask for their parent 20000 times each.
import os

child = os.fork()
for i in range(20000):
    os.getppid()
if child == 0:
    os._exit(0)
os.wait()
