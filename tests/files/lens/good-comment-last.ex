;
I: 1;
# the end