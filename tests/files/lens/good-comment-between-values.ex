;
I: 1
# not a value 2
 3;
