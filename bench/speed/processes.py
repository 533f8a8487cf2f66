"""What holds for all that is measured in processes of their own."""

#: Else malloc gives the end of its heap back with each call in some processes, and in
#: others not: a thousand page faults in a call of a small network.
KEEPS_FREED_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30),
                      "MALLOC_TOP_PAD_": str(64 << 20),
                      "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}

#: Processes below which an interval says nothing.
FEWEST = 6
