;
I: (hidden) 1 (2 in) 3 (out 4) 5;
